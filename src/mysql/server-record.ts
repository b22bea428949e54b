/**
 * The MySQL server on record: the primary, whose rows count (see epoch.ts).
 *
 * The token of the epoch names it, by the digest of its identity (see epoch-token.ts). A server with another identity is put on
 * record with a new epoch: after a failover or a restore, commits that the indexes reflect may be lost. One that was replaced
 * is refused while the one that replaced it still answers (see replaced-servers.ts). A planned switch back is another thing: the
 * one on record is made read-only first, which its own rows say.
 *
 * A server that still applies what it has received by replication is not put on record either: until it has, it lacks changes
 * that were committed, so nothing that it says can be certified. (What arrives although that cannot be seen, or later, is
 * published again: others-marks.ts.)
 */
import type { Connection, PoolConnection, RowDataPacket } from 'mysql2/promise';
import type { ColumnValue, Database } from './database.ts';
import { bump, lockEpoch, type NextEpoch, NOT_PRIMARY, type Recorded } from './epoch.ts';
import { serverOn } from './epoch-token.ts';
import { DatabaseNotPrimary } from './faults.ts';
import { rememberMarks } from './others-marks.ts';
import { isAnyReplaced, isPresent, readReplaced, writeReplaced } from './replaced-servers.ts';
import { readReplicationSources } from './replication.ts';
import { parseState, proofOf, SERVER, STATE } from './session.ts';
import { SETTING } from './settings.ts';

/** A server as it describes itself. */
export interface ServerState {
  /** What is put on record. A server that may lose commits in a crash gets a new identity at each start. */
  readonly identity: string;
  readonly takesWrites: boolean;
  /** It is the one on record, or none is. */
  readonly isOnRecord: boolean;
  /** The digest of the identity, as the token of an epoch has it. */
  readonly proof: string;
  /** The same of the one on record; undefined: none. */
  readonly recorded: string | undefined;
  /** Not every commit is flushed (innodb_flush_log_at_trx_commit is not 1). */
  readonly isRelaxed: boolean;
  /** Version and address, for people. */
  readonly description: string;
}

const SERVER_STATE = `
  SELECT ${STATE}, ${SERVER}, @@global.innodb_flush_log_at_trx_commit,
         CONCAT(VERSION(), ' at ', @@global.hostname, ':', @@global.port),
         (SELECT token FROM recency_epoch)`;

/**
 * The server behind a session, and the one on record now.
 * @param on a database, or the connection of a transaction
 * @throws DatabaseNotPrimary when Recency did not set up the session, or the server's durability has changed since;
 * DatabaseUnavailable
 */
export async function readServer(on: Database | Connection): Promise<ServerState> {
  const [row] = 'transaction' in on ? await on.rows(SERVER_STATE, []) : await rowsOn(on, SERVER_STATE);
  const [state, server, flush, description, token] = row ?? [];
  const identity = String(server);
  const isRelaxed = Number(flush) !== 1;
  const parsed = parseState(state);
  if (parsed === undefined || (isRelaxed && !isOneRun(identity))) {
    throw new DatabaseNotPrimary('The session was not set up by Recency, or before the server was told to flush less');
  }
  const recorded = serverOn(String(token));
  const proof = proofOf(identity);
  return {
    identity,
    proof,
    takesWrites: !identity.startsWith('replica:') && parsed.isWritable,
    isOnRecord: recorded === undefined || recorded === proof,
    recorded,
    isRelaxed,
    description: String(description),
  };
}

/** Does the identity stand for a single run of a server? */
function isOneRun(identity: string): boolean {
  return identity.includes('@');
}

/** The identity without the run. */
export function withoutRun(identity: string): string {
  return identity.replace(/@.*/, '');
}

async function rowsOn(connection: Connection, sql: string): Promise<ColumnValue[][]> {
  const [rows] = await connection.query<RowDataPacket[]>({ sql, rowsAsArray: true });
  return rows as unknown as ColumnValue[][];
}

/** @throws DatabaseNotPrimary when the server takes no writes */
export function mustTakeWrites({ takesWrites, description }: ServerState): void {
  if (!takesWrites) throw new DatabaseNotPrimary(`${NOT_PRIMARY.replica} (now ${description})`);
}

/** @throws DatabaseNotPrimary while the server applies what it has received by replication */
async function mustHaveApplied(connection: Connection, { description }: ServerState): Promise<void> {
  const sources = (await readReplicationSources(connection)) ?? [];
  const behind = sources.filter(({ isApplying, isBehind }) => isApplying && isBehind);
  if (behind.length === 0) return;
  const from = behind.map((source) => source.description).join(', ');
  throw new DatabaseNotPrimary(`MySQL (now ${description}) still applies what it has received from ${from}`);
}

const REPLACED = 'mysql:replaced';

/**
 * Compares the server that answers with the one on record.
 * @param epochOn the epoch that begins when it is another server
 * @throws DatabaseNotPrimary when it takes no writes, or takes turns with another one; EpochMissing,
 * DatabaseUnavailable
 */
export async function recordServer(database: Database, epochOn: (server: ServerState) => NextEpoch): Promise<Recorded> {
  const server = await readServer(database).catch((error: unknown) => {
    database.renewConnections();
    throw error;
  });
  if (!server.takesWrites) database.sawReadOnly(server.proof);
  mustTakeWrites(server);
  if (!server.isOnRecord) database.renewConnections();
  else if (server.recorded !== undefined && !(await hasReplaced(database))) return 'known';
  const outcome = await database.transaction(async (connection) => {
    await lockEpoch(connection);
    const here = await readServer(connection);
    mustTakeWrites(here);
    if (here.recorded !== here.proof) await mustHaveApplied(connection, here);
    const readOnlyAt = here.recorded === undefined ? undefined : database.readOnlyAt(here.recorded);
    return await recordIn(connection, { before: server, here, readOnlyAt }, epochOn(here));
  });
  if (outcome === 'in_turns') {
    const text = 'Several MySQL servers that take writes answer in turns';
    throw new DatabaseNotPrimary(`${text} (${server.description}): RECENCY_MYSQL_URL must lead to one of them only`);
  }
  return outcome;
}

async function hasReplaced(database: Database): Promise<boolean> {
  const [[value] = []] = await database.rows(SETTING.read, [REPLACED]);
  return isAnyReplaced(value);
}

interface ComparedServer {
  /** The server that answered outside the transaction. */
  readonly before: ServerState;
  /** The one that answers inside. */
  readonly here: ServerState;
  /** When the one on record was seen to take no writes, ms since 1970 UTC: then it was demoted, and takes no turns. */
  readonly readOnlyAt: number | undefined;
}

async function recordIn(
  connection: PoolConnection,
  { before, here, readOnlyAt = Number.NEGATIVE_INFINITY }: ComparedServer,
  next: NextEpoch,
): Promise<Recorded | 'in_turns'> {
  const now = next.bumpedAt;
  const known = await readReplaced(connection, REPLACED, now);
  const { seenAt, replaced } = known;
  if (here.isOnRecord) {
    await writeReplaced(connection, REPLACED, { seenAt: now, replaced });
    if (here.recorded === undefined) return (await put(connection, here, next)) === 'suspended' ? 'suspended' : 'first';
    return before.isOnRecord || withoutRun(before.identity) === withoutRun(here.identity) ? 'known' : 'in_turns';
  }
  if (here.proof in replaced && isPresent(known, now) && readOnlyAt < seenAt) {
    await writeReplaced(connection, REPLACED, { seenAt, replaced: { ...replaced, [here.proof]: now } });
    return 'in_turns';
  }
  const { [here.proof]: _back, ...others } = replaced;
  const last = here.recorded === undefined ? {} : { [here.recorded]: now };
  await writeReplaced(connection, REPLACED, { seenAt: now, replaced: { ...others, ...last } });
  return await put(connection, here, next);
}

/**
 * Puts the server on record. The first one begins an epoch like any other: this may be a copy of the database that was taken
 * before the first start. Of a copy the indexes know nothing, although it has their token.
 */
async function put(connection: PoolConnection, { proof }: ServerState, next: NextEpoch) {
  await rememberMarks(connection);
  return await bump(connection, next, proof);
}
