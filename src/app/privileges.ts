import { codeOf } from '../mysql/connections.ts';
import type { Database } from '../mysql/database.ts';
import { StartError } from './start-error.ts';

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
