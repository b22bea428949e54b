import { StartError } from '../config/start-error.ts';
import { otherProductOf } from '../contracts/server-versions.ts';
import { type Database, DatabaseNotPrimary } from '../mysql/database.ts';
import { readEpoch } from '../mysql/epoch.ts';
import { codeOf, isExplainRefused, unlessRefused } from '../mysql/faults.ts';
import { mustTakeWrites, readServer } from '../mysql/server-record.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { type ColumnProblem, findColumnProblems, findPlanProblems } from '../mysql/view-checks.ts';
import { viewsOf } from '../site/kind-view.ts';
import type { Site } from '../site/site.ts';

/** Recency's own tables, each with its columns that were added later. */
const OWN_TABLES: Readonly<Record<string, string>> = {
  recency_epoch: 'seen_in_use',
  recency_settings: '1',
  recency_runs: '1',
  recency_leases: '1',
  recency_outbox: 'is_recheck, published_by',
  recency_kafka_ends: '1',
  recency_seen: '1',
  recency_watches: 'tested',
  recency_undelivered: '1',
  recency_capture: 'proof, mapping',
};

/**
 * Checks that Recency's tables and the views of these kinds exist and that this user may read them.
 * @throws StartError, DatabaseUnavailable
 */
export async function checkSchema(database: Database, user: string, site: Site): Promise<void> {
  const [[version] = []] = await database.rows('SELECT VERSION()', []);
  const other = otherProductOf(String(version));
  if (other !== undefined)
    throw new StartError(`RECENCY_MYSQL_URL leads to ${other} (${version}): Recency needs MySQL or MariaDB.`);
  const attemptAll = async (tables: Readonly<Record<string, string>>) => {
    for (const [table, columns] of Object.entries(tables)) {
      await attempt(database, `SELECT ${columns} FROM ${table} LIMIT 0`, { table, user });
    }
  };
  await attemptAll(OWN_TABLES);
  await readEpoch(database);
  const columns = ([name, of]: [string, object]) => [name, Object.keys(of).join(', ')];
  await attemptAll(Object.fromEntries([...viewsOf(site)].map(columns)));
}

/**
 * Checks that the primary accepts writes. Another server may lack the latest changes.
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
 * Checks that the columns of the views are whole numbers, and that those which are only passed on can be.
 * @returns columns that are not, but work all the same
 * @throws StartError naming the columns that do not work, DatabaseUnavailable
 */
export async function checkColumns(database: Database, site: Site): Promise<ColumnProblem[]> {
  const problems = await findColumnProblems(database, site);
  const refused = problems.filter(({ works }) => !works);
  if (refused.length === 0) return problems;
  throw new StartError(
    refused.map(({ column, type, fault, fix }) => `${column} is of type ${type}, ${fault}. ${fix}`).join('\n'),
  );
}

/**
 * Whether answers can be had quickly. What only checks of last uploads ask is left to doctor.
 * @throws StartError when the views do not merge or an index is missing, DatabaseUnavailable
 */
export async function checkPlans(kinds: readonly KindDatabase[]): Promise<void> {
  const found = await findPlanProblems(kinds).catch(explainRefused);
  const problems = found.filter(({ inAnswers }) => inAnswers);
  if (problems.length === 0) return;
  const lines = problems.map(
    ({ question, finding, fix }) => `MySQL cannot answer quickly for ${question}: ${finding}. ${fix}`,
  );
  throw new StartError([...new Set(lines)].join('\n'));
}

interface CheckedTable {
  readonly table: string;
  readonly user: string;
}

async function attempt(database: Database, statement: string, asked: CheckedTable): Promise<void> {
  try {
    await database.rows(statement, []);
  } catch (error) {
    throw explain(error, asked);
  }
}

function explain(error: unknown, { table, user }: CheckedTable): unknown {
  const reason = error instanceof Error && 'sqlMessage' in error ? String(error.sqlMessage) : '';
  switch (error instanceof Error && 'code' in error ? error.code : '') {
    case 'ER_NO_SUCH_TABLE':
      return new StartError(
        `MySQL has no ${table} (${reason}). Run \`recency migrate\`; with a schema of your own, define the views and run \`recency migrate --views-only\`.`,
        { cause: error },
      );
    case 'ER_BAD_FIELD_ERROR':
    case 'ER_VIEW_INVALID':
      if (table in OWN_TABLES) {
        return new StartError(`${table} is of an older version (${reason}). Run \`recency migrate\`.`, {
          cause: error,
        });
      }
      return new StartError(
        `The view ${table} lacks what Recency needs: ${reason}. docs/adopting.md says what it must have; a view with SQL SECURITY INVOKER needs GRANT SELECT to '${user}' on the tables that it reads.`,
        { cause: error },
      );
    case 'ER_TABLEACCESS_DENIED_ERROR':
    case 'ER_COLUMNACCESS_DENIED_ERROR':
      return new StartError(
        `MySQL does not allow user "${user}" to read ${table}: ${reason}. As an administrator: GRANT SELECT ON ${table} TO '${user}'.`,
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

type Privilege = 'INSERT' | 'UPDATE' | 'DELETE';

/** What an account may write, by Recency's own tables. Every account also reads all of these tables, and the views. */
export type Grants = Readonly<Record<string, readonly Privilege[]>>;

// The first process to notice that a server was replaced writes the rows of the epoch and of the Redis masters on record.
const WATCH: Grants = {
  recency_epoch: ['UPDATE'],
  recency_settings: ['INSERT', 'DELETE'],
};

const ENDS: Grants = { recency_kafka_ends: ['INSERT', 'UPDATE'] };
const LEASES: Grants = { recency_leases: ['INSERT', 'UPDATE'] };

/**
 * The minimum that each process or command must be allowed to write in MySQL. docs/operations.md has the same table, and a test
 * runs with exactly these grants.
 */
export const GRANTS = {
  serve: {
    ...WATCH,
    ...ENDS,
    recency_seen: ['INSERT', 'UPDATE'],
    recency_watches: ['INSERT', 'UPDATE', 'DELETE'],
    recency_undelivered: ['DELETE'],
    recency_settled_letters: ['INSERT', 'UPDATE'],
  },
  consume: { ...WATCH, ...ENDS, ...LEASES, recency_outbox: ['INSERT', 'UPDATE', 'DELETE'] },
  relay: {
    recency_epoch: ['UPDATE'],
    recency_settings: ['INSERT', 'DELETE'],
    ...ENDS,
    ...LEASES,
    recency_outbox: ['UPDATE', 'DELETE'],
  },
  capture: {
    recency_epoch: ['UPDATE'],
    recency_settings: ['INSERT', 'DELETE'],
    ...ENDS,
    ...LEASES,
    recency_capture: ['INSERT', 'UPDATE'],
  },
  notify: { ...WATCH, recency_watches: ['UPDATE'], recency_undelivered: ['INSERT'] },
  verify: { ...WATCH },
  backfill: { ...WATCH, ...LEASES, recency_runs: ['INSERT', 'UPDATE'] },
  repair: { ...WATCH, ...LEASES, recency_runs: ['INSERT', 'UPDATE'] },
} as const satisfies Readonly<Record<string, Grants>>;

export type Account = keyof typeof GRANTS;

export function isAccount(name: string): name is Account {
  return Object.hasOwn(GRANTS, name);
}

/** A column of each table, for an UPDATE that changes nothing. */
const COLUMNS: Readonly<Record<string, string>> = {
  recency_epoch: 'why',
  recency_outbox: 'due_at',
  recency_kafka_ends: 'went_back',
  recency_seen: 'seen_at',
  recency_leases: 'token',
  recency_runs: 'state',
  recency_watches: 'due_at',
  recency_undelivered: 'more',
  recency_capture: 'published',
  recency_settled_letters: 'why',
};

/** A statement that changes nothing, which MySQL refuses all the same when the privilege is missing. */
function harmless(table: string, privilege: Privilege): string {
  if (privilege === 'INSERT') return `INSERT INTO ${table} SELECT * FROM ${table} WHERE FALSE`;
  if (privilege === 'DELETE') return `DELETE FROM ${table} WHERE FALSE`;
  const column = COLUMNS[table];
  if (column === undefined) throw new Error(`it is not known how to ask for UPDATE on ${table}`);
  return `UPDATE ${table} SET ${column} = ${column} WHERE FALSE`;
}

/**
 * Trivial questions, one for each table that an account writes: while somebody has locked it against writes (a backup, for example), work
 * can be read and not be done. What MySQL refuses is answered.
 */
export function askTables(primary: Database, grants: Grants): (() => Promise<unknown>)[] {
  return Object.entries(grants).flatMap(([table, [privilege]]) =>
    privilege === undefined ? [] : [() => primary.write(harmless(table, privilege), []).catch(unlessRefused)],
  );
}

const DENIED = new Set(['ER_TABLEACCESS_DENIED_ERROR', 'ER_COLUMNACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR']);

/** @returns the GRANT statements that this account lacks; empty if it lacks none @throws DatabaseUnavailable */
export async function missingGrants(database: Database, grants: Grants, user: string): Promise<string[]> {
  const missing: string[] = [];
  for (const [table, privileges] of Object.entries(grants)) {
    const lacking: Privilege[] = [];
    for (const privilege of privileges) {
      await database.write(harmless(table, privilege), []).catch((error: unknown) => {
        if (DENIED.has(codeOf(error))) lacking.push(privilege);
        else unlessRefused(error); // the server accepts no writes now, for example
      });
    }
    if (lacking.length > 0) missing.push(`GRANT ${lacking.join(', ')} ON ${table} TO '${user}'`);
  }
  return missing;
}

/** Checks the privileges at the start rather than at first use. @throws StartError naming each that is missing, DatabaseUnavailable */
export async function checkGrants(database: Database, account: Account, user: string): Promise<void> {
  const missing = await missingGrants(database, GRANTS[account], user);
  if (missing.length === 0) return;
  throw new StartError(
    `User "${user}" of MySQL lacks privileges that \`recency ${account}\` needs. As an administrator: ${missing.join('; ')}.`,
  );
}
