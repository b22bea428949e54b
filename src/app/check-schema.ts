import { type Database, DatabaseNotPrimary } from '../mysql/database.ts';
import { readEpoch } from '../mysql/epoch.ts';
import { findPlanProblems } from '../mysql/explain-plan.ts';
import { isExplainRefused } from '../mysql/faults.ts';
import { mustTakeWrites, readServer } from '../mysql/server-identity.ts';
import { type ColumnProblem, findColumnProblems } from '../mysql/view-columns.ts';
import { StartError } from './start-error.ts';

const VIEWS: Readonly<Record<string, string>> = {
  recency_contacts: 'user_id, contact_id, related, last_upload_at, sees, is_friend, is_family, version',
  recency_photos: 'id, owner_id, audience, uploaded_at, title',
};

/** Recency's own tables, and the columns that came to them later. */
const OWN_TABLES: Readonly<Record<string, string>> = {
  recency_epoch: '1',
  recency_redis_masters: 'replid',
  recency_mysql_servers: '1',
  recency_settings: '1',
  recency_runs: '1',
  recency_leases: '1',
  recency_outbox: 'is_recheck',
  recency_kafka_ends: '1',
};

/**
 * Is everything there that Recency reads and writes in MySQL, may this user, and can it be asked quickly?
 * @throws StartError, DatabaseUnavailable
 */
export async function checkSchema(database: Database, user: string): Promise<void> {
  const attemptAll = async (tables: Readonly<Record<string, string>>) => {
    for (const [table, columns] of Object.entries(tables)) {
      await attempt(database, `SELECT ${columns} FROM ${table} LIMIT 0`, { table, user });
    }
  };
  await attemptAll(OWN_TABLES);
  await readEpoch(database);
  await attemptAll(VIEWS);
}

/**
 * Does the primary take writes? What is read from a server that does not may lack the latest changes.
 * @throws StartError, DatabaseUnavailable
 */
export async function checkPrimary(database: Database): Promise<void> {
  try {
    mustTakeWrites(await readServer(database));
  } catch (error) {
    throw error instanceof DatabaseNotPrimary ? new StartError(error.message, { cause: error }) : error;
  }
}

/**
 * Are the columns of the views whole numbers?
 * @returns those that are not, and work all the same
 * @throws StartError naming those that do not work, DatabaseUnavailable
 */
export async function checkColumns(database: Database): Promise<ColumnProblem[]> {
  const problems = await findColumnProblems(database);
  const refused = problems.filter(({ works }) => !works);
  if (refused.length === 0) return problems;
  throw new StartError(
    refused.map(({ column, type, fix }) => `${column} is of type ${type}, no whole number. ${fix}`).join('\n'),
  );
}

/** @throws StartError when the views do not merge or an index is missing, DatabaseUnavailable */
export async function checkPlans(database: Database): Promise<void> {
  const problems = await findPlanProblems(database).catch(explainRefused);
  if (problems.length === 0) return;
  const lines = problems.map(
    ({ question, finding, mend }) => `MySQL cannot answer quickly for ${question}: ${finding}. ${mend}`,
  );
  throw new StartError([...new Set(lines)].join('\n'));
}

interface Asked {
  readonly table: string;
  readonly user: string;
}

async function attempt(database: Database, statement: string, asked: Asked): Promise<void> {
  try {
    await database.rows(statement, []);
  } catch (error) {
    throw explain(error, asked);
  }
}

function explain(error: unknown, { table, user }: Asked): unknown {
  const reason = error instanceof Error && 'sqlMessage' in error ? String(error.sqlMessage) : '';
  switch (error instanceof Error && 'code' in error ? error.code : '') {
    case 'ER_NO_SUCH_TABLE':
      return new StartError(
        `MySQL has no ${table} here (${reason}). Run \`recency migrate\`; with a schema of your own, \`recency migrate --views-only\`, and define the views.`,
        { cause: error },
      );
    case 'ER_BAD_FIELD_ERROR':
    case 'ER_VIEW_INVALID':
      if (table in OWN_TABLES) {
        return new StartError(`${table} is of a version before (${reason}). Run \`recency migrate\`.`, {
          cause: error,
        });
      }
      return new StartError(
        `The view ${table} is not as Recency needs it: ${reason}. \`recency migrate --status\` shows how it must look; a view with SQL SECURITY INVOKER takes GRANT SELECT on the tables under it to '${user}'.`,
        { cause: error },
      );
    case 'ER_TABLEACCESS_DENIED_ERROR':
    case 'ER_COLUMNACCESS_DENIED_ERROR':
      return new StartError(
        `MySQL does not let user "${user}" read ${table}: ${reason}. As an administrator: GRANT SELECT ON ${table} TO '${user}'.`,
        { cause: error },
      );
    default:
      return error;
  }
}

function explainRefused(error: unknown): [] {
  if (isExplainRefused(error)) return [];
  throw error;
}
