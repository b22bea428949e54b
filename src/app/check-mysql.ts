import { type Database, DatabaseNotPrimary } from '../mysql/database.ts';
import { readEpoch } from '../mysql/epoch.ts';
import { codeOf, isExplainRefused } from '../mysql/faults.ts';
import { mustTakeWrites, readServer } from '../mysql/server-record.ts';
import { type ColumnProblem, findColumnProblems, findPlanProblems } from '../mysql/view-checks.ts';
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
    ({ question, finding, fix }) => `MySQL cannot answer quickly for ${question}: ${finding}. ${fix}`,
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

export type Privilege = 'INSERT' | 'UPDATE' | 'DELETE';

/** What an account may write, by table of Recency's own. Besides, every one reads all of them, and the views. */
export type Grants = Readonly<Record<string, readonly Privilege[]>>;

// Rows of the epoch and of the servers known are written by whoever notices first that a server is another one.
const WATCH: Grants = {
  recency_epoch: ['UPDATE'],
  recency_redis_masters: ['INSERT', 'DELETE'],
  recency_mysql_servers: ['INSERT', 'DELETE'],
  recency_settings: ['INSERT', 'DELETE'],
};

const ENDS: Grants = { recency_kafka_ends: ['INSERT', 'UPDATE'] };
const LEASES: Grants = { recency_leases: ['INSERT', 'UPDATE'] };

/**
 * The least that each process or command needs to write in MySQL; docs/operations.md has the same table, and a test works with
 * exactly these.
 */
export const GRANTS = {
  serve: { ...WATCH, ...ENDS },
  consume: { ...WATCH, ...ENDS, ...LEASES, recency_outbox: ['INSERT', 'UPDATE', 'DELETE'] },
  relay: {
    recency_epoch: ['UPDATE'],
    recency_settings: ['INSERT', 'DELETE'],
    ...ENDS,
    ...LEASES,
    recency_outbox: ['UPDATE', 'DELETE'],
  },
  verify: { ...WATCH },
  backfill: { ...WATCH, ...LEASES, recency_runs: ['INSERT', 'UPDATE'] },
  repair: { ...WATCH, ...LEASES, recency_runs: ['INSERT', 'UPDATE'] },
} as const satisfies Readonly<Record<string, Grants>>;

export type Account = keyof typeof GRANTS;

export function isAccount(name: string): name is Account {
  return Object.hasOwn(GRANTS, name);
}

/** A column of each table that an UPDATE of nothing may name. */
const COLUMNS: Readonly<Record<string, string>> = {
  recency_epoch: 'why',
  recency_outbox: 'due_at',
  recency_kafka_ends: 'went_back',
  recency_leases: 'token',
  recency_runs: 'state',
};

/** Changes nothing; MySQL refuses it all the same when the privilege is missing. */
function harmless(table: string, privilege: Privilege): string {
  if (privilege === 'INSERT') return `INSERT INTO ${table} SELECT * FROM ${table} WHERE FALSE`;
  if (privilege === 'DELETE') return `DELETE FROM ${table} WHERE FALSE`;
  return `UPDATE ${table} SET ${COLUMNS[table]} = ${COLUMNS[table]} WHERE FALSE`;
}

const DENIED = new Set(['ER_TABLEACCESS_DENIED_ERROR', 'ER_COLUMNACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR']);

/** The GRANT statements that this account lacks; empty: it has what it needs. @throws DatabaseUnavailable */
export async function missingGrants(database: Database, grants: Grants, user: string): Promise<string[]> {
  const missing: string[] = [];
  for (const [table, privileges] of Object.entries(grants)) {
    const lacking: Privilege[] = [];
    for (const privilege of privileges) {
      await database.write(harmless(table, privilege), []).catch((error: unknown) => {
        if (DENIED.has(codeOf(error))) lacking.push(privilege);
        else if (error instanceof Error && 'sqlState' in error)
          return; // as a server that takes no writes now
        else throw error;
      });
    }
    if (lacking.length > 0) missing.push(`GRANT ${lacking.join(', ')} ON ${table} TO '${user}'`);
  }
  return missing;
}

/** A missing privilege would otherwise show only when it is needed. @throws StartError naming each, DatabaseUnavailable */
export async function checkGrants(database: Database, account: Account, user: string): Promise<void> {
  const missing = await missingGrants(database, GRANTS[account], user);
  if (missing.length === 0) return;
  throw new StartError(
    `MySQL does not let user "${user}" do what ${account} does. As an administrator: ${missing.join('; ')}.`,
  );
}
