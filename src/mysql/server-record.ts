/**
 * The MySQL server on record: the one whose rows count (see server-identity.ts).
 *
 * Another one is put on record with a new epoch: after a failover or a restore, commits that the indexes know may be lost.
 * Where several servers that take writes answer at one address in turns (a cluster with several writers behind a balancer,
 * a primary that was replaced and not stopped), that would be a new epoch at every comparison. So a server that was replaced
 * is not put on record again while the one that replaced it still answers: it is refused.
 */
import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { Database } from './database.ts';
import { bump, type EpochRow, lockEpoch, type Recorded } from './epoch.ts';
import { mustTakeWrites, readServer, type ServerState, serverIn } from './server-identity.ts';
import { DatabaseNotPrimary } from './unavailable.ts';

/** What is known of servers that were replaced. */
interface Replacements {
  /** When the server on record was last seen, ms since 1970 UTC. */
  readonly seenAt: number;
  /** By identity: when each was last seen, or refused. */
  readonly replaced: Readonly<Record<string, number>>;
}

const NAME = 'mysql:replaced';
const READ = `SELECT value FROM recency_settings WHERE name = '${NAME}'`;
const WRITE = `REPLACE INTO recency_settings (name, value) VALUES ('${NAME}', ?)`;
const FORGET = `DELETE FROM recency_settings WHERE name = '${NAME}'`;

const CLEAR = 'DELETE FROM recency_mysql_servers';
const ADD = 'INSERT INTO recency_mysql_servers (identity, version, first_seen_at) VALUES (?, ?, ?)';

/** For how long the server on record counts as there after it was seen, ms: three comparisons. */
const PRESENT_MS = 30_000;

/** For how long it is remembered that a server was replaced, ms. */
const REPLACED_MS = 600_000;

/**
 * Compares the server that answers with the one on record.
 * @param nextEpoch the epoch that begins when it is another one
 * @throws DatabaseNotPrimary when it takes no writes, or takes turns with another one; EpochMissing, DatabaseUnavailable
 */
export async function recordServer(
  database: Database,
  nextEpoch: (server: ServerState) => EpochRow,
): Promise<Recorded> {
  const server = await readServer(database).catch((error: unknown) => {
    database.renewConnections();
    throw error;
  });
  mustTakeWrites(server);
  if (!server.isOnRecord) database.renewConnections();
  else if (server.recorded !== undefined && (await database.rows(READ, [])).length === 0) return 'known';
  const outcome = await database.transaction(async (connection) => {
    await lockEpoch(connection);
    const here = await readServer(connection);
    mustTakeWrites(here);
    return await recordIn(connection, server, here, nextEpoch(here));
  });
  if (outcome === 'in_turns') {
    const text = 'Several MySQL servers that take writes answer in turns';
    throw new DatabaseNotPrimary(`${text} (${server.description}): RECENCY_MYSQL_URL must lead to one of them only`);
  }
  return outcome;
}

/** @param before as it answered outside of the transaction @param here as it answers inside */
async function recordIn(
  connection: PoolConnection,
  before: ServerState,
  here: ServerState,
  next: EpochRow,
): Promise<Recorded | 'in_turns'> {
  const now = next.bumpedAt;
  const { seenAt, replaced } = await readReplacements(connection, now);
  if (here.isOnRecord) {
    await writeReplacements(connection, { seenAt: now, replaced });
    if (here.recorded === undefined) {
      await put(connection, here, now);
      return 'first';
    }
    return before.isOnRecord || serverIn(before.identity) === serverIn(here.identity) ? 'known' : 'in_turns';
  }
  if (here.identity in replaced && now - seenAt < PRESENT_MS) {
    await writeReplacements(connection, { seenAt, replaced: { ...replaced, [here.identity]: now } });
    return 'in_turns';
  }
  const { [here.identity]: _back, ...others } = replaced;
  await put(connection, here, now);
  const last = here.recorded === undefined ? {} : { [here.recorded]: now };
  await writeReplacements(connection, { seenAt: now, replaced: { ...others, ...last } });
  return await bump(connection, next);
}

async function put(connection: PoolConnection, { identity, description }: ServerState, now: number): Promise<void> {
  await connection.query(CLEAR);
  await connection.execute(ADD, [identity, description.slice(0, 255), now]);
}

async function readReplacements(connection: PoolConnection, now: number): Promise<Replacements> {
  const [[row]] = await connection.query<RowDataPacket[]>(READ);
  if (row === undefined) return { seenAt: 0, replaced: {} };
  const { seenAt, replaced } = JSON.parse(String(row.value)) as Replacements;
  const recent = Object.entries(replaced).filter(([, at]) => now - at < REPLACED_MS);
  return { seenAt, replaced: Object.fromEntries(recent) };
}

async function writeReplacements(connection: PoolConnection, replacements: Replacements): Promise<void> {
  if (Object.keys(replacements.replaced).length === 0) await connection.query(FORGET);
  else await connection.execute(WRITE, [JSON.stringify(replacements)]);
}
