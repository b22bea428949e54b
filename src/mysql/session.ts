/**
 * How every MySQL session is set up before its first statement.
 *
 * A server's options and `init_connect` decide how a session begins, and some values make answers wrong: without
 * autocommit a connection reads its first snapshot for ever, READ UNCOMMITTED reads what is rolled back later,
 * `sql_select_limit` cuts off results. So every variable that matters is set (see session-variables.ts).
 *
 * The session also notes which server it is on, evaluated by that server (see epoch.ts). A proxy that gives a statement
 * to a session that was not set up, or to another server, is noticed in the rows of that very statement.
 */
import { createHash } from 'node:crypto';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { ALL_SET, SET_FIRST, SET_FIRST_ON, SET_NEXT, type SetVariable } from './session-variables.ts';

/**
 * MariaDB may keep a subquery's results by its parameters. Those of Recency differ in every row (an uploader and an audience), and
 * making a table for each takes a twentieth of a narrowed read.
 */
const WITHOUT_SUBQUERY_CACHE = "optimizer_switch = 'subquery_cache=off'";

/** Each server takes the other's syntax for a comment. */
function first(statementMs: number): string {
  const mariadb = [
    `max_statement_time = ${statementMs / 1_000}`,
    ...assignments(SET_FIRST_ON.MariaDB),
    WITHOUT_SUBQUERY_CACHE,
  ];
  return `SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, ${assignments(SET_FIRST).join(', ')}
    /*!80000 , max_execution_time = ${Math.ceil(statementMs)} */ /*M! , ${mariadb.join(', ')} */`;
}

const TRANSACTIONS = 'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE';

/** What the rest of the set-up depends on. */
const FACTS = ['server_uuid', 'server_uid', 'wsrep_on', 'group_replication_single_primary_mode'];

/** Those of the variables that this server has. */
const PRESENT = `SHOW SESSION VARIABLES WHERE Variable_name IN (${listOf([...FACTS, ...SET_NEXT.map(({ name }) => name)])})`;

// MySQL has a UUID in its data directory. MariaDB has none and is identified by where it runs: a server that moves
// counts as another one, which costs a rebuild of the indexes but is never wrong.
const BY_UUID = "CONCAT('uuid:', @@global.server_uuid)";
const BY_PLACE = (uid: string) => `
  CONCAT('place:', REPLACE(REPLACE(REPLACE(TO_BASE64(UNHEX(SHA2(
    CONCAT_WS('\\n', @@global.hostname, @@global.port, @@global.datadir, @@global.server_id, ${uid}), 256)))
  , '+', '-'), '/', '_'), '=', ''))`;

// When the server started, in seconds since 1970. Both clocks are the statement's own, so the difference is the same to
// the second for as long as the server runs, also when its clock jumps. (A start within the second of the one before
// looks like it; nothing that an index knows was committed in between.)
const STARTED_AT = `
  (SELECT CAST(UNIX_TIMESTAMP() - VARIABLE_VALUE AS SIGNED)
   FROM /*!80000 performance_schema.global_status */ /*M! information_schema.global_status */
   WHERE VARIABLE_NAME = 'UPTIME')`;

/**
 * The user variable with the identity of the server that a session is on. Where a crash loses commits
 * (innodb_flush_log_at_trx_commit is not 1) each start counts as another server.
 */
export const SERVER = '@recency_server';

/** The user variable with the digest of the identity, which every statement whose rows matter returns. */
export const PROOF = '@recency_proof';

const PROOF_LENGTH = 12;

/** SQL: the state that {@link parseState} reads; NULL in a session that Recency has not set up. */
export const STATE = `CONCAT(${PROOF}, @@global.read_only)`;

const STATES = new RegExp(`^([0-9a-f]{${PROOF_LENGTH}})(.+)$`);

/** MariaDB says ON and OFF, and newer versions have more words for on. */
const WRITABLE = /^(?:0|OFF)$/;

/** Undefined: Recency has not set up the session. */
export function parseState(state: unknown): { readonly proof: string; readonly isWritable: boolean } | undefined {
  const [, proof, readOnly = ''] = STATES.exec(String(state)) ?? [];
  return proof === undefined ? undefined : { proof, isWritable: WRITABLE.test(readOnly) };
}

/** The value of `PROOF` on a server with this identity. */
export function proofOf(identity: string): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, PROOF_LENGTH);
}

/**
 * Sets up a new session. If this fails, the session must not be used.
 * @param statementMs after which the server ends a statement without a limit of its own, ms; 0: never. MySQL ends only
 * SELECTs.
 * @throws errors of the server or the driver
 */
export async function setUpSession(connection: Connection, { statementMs }: { statementMs: number }): Promise<void> {
  await connection.query(first(statementMs));
  await connection.query(TRANSACTIONS);
  const [rows] = await connection.query<RowDataPacket[]>(PRESENT);
  const present = new Map(rows.map((row) => [nameOf(row.Variable_name), String(row.Value)]));
  const next = assignments(SET_NEXT.filter(({ name }) => present.has(name)));
  await connection.query(`SET ${[...next, ...identity(present)].join(', ')}`);
}

function assignments(variables: readonly SetVariable[]): string[] {
  return variables.flatMap(({ name, value }) => (value === undefined ? [] : [`${name} = ${value}`]));
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

/** Some names have capitals on some servers: `wsrep_OSU_method`. */
function nameOf(shown: unknown): string {
  return String(shown).toLowerCase();
}

const IN_EFFECT = `SHOW SESSION VARIABLES WHERE Variable_name IN (${listOf(ALL_SET.map(({ name }) => name))})`;

/** 0: there is no limit. */
const LIMITS = new Set(['max_execution_time', 'max_statement_time']);

/** The part of `Database` that is needed here. */
interface AsksRows {
  rows(statement: string, parameters: readonly []): Promise<readonly (readonly unknown[])[]>;
}

/** Session variables that differ from their set-up, as `name = value`. @throws DatabaseUnavailable */
export async function findSessionProblems(database: AsksRows): Promise<string[]> {
  const rows = await database.rows(IN_EFFECT, []);
  const wanted = new Map(ALL_SET.map(({ name, shown }) => [name, shown]));
  return rows
    .map(([name, value]) => ({ name: nameOf(name), value: String(value) }))
    .filter(({ name, value }) => (LIMITS.has(name) ? Number(value) === 0 : value !== (wanted.get(name) ?? value)))
    .map(({ name, value }) => `${name} = ${value}`);
}

/** Assignments: which server this is, and, in a cluster of several writers, what a read waits for. */
function identity(facts: ReadonlyMap<string, string>): string[] {
  const uid = facts.has('server_uid') ? '@@global.server_uid' : "''";
  const place = facts.has('server_uuid') ? BY_UUID : BY_PLACE(uid);
  const run = `IF(@@global.innodb_flush_log_at_trx_commit = 1, '', CONCAT('@', ${STARTED_AT}))`;
  // A server with innodb_read_only can never be on record. It stays read-only until it is restarted.
  const server = `CONCAT(IF(@@global.innodb_read_only, 'replica:', ''), ${place}, ${run})`;
  return [
    `${SERVER} = ${server}`,
    `${PROOF} = LEFT(SHA2(${server}, 256), ${PROOF_LENGTH})`,
    // In a cluster of several writers a read first waits for what the others have committed.
    ...(facts.get('wsrep_on') === 'ON' ? ['wsrep_sync_wait = 1'] : []),
    ...(facts.get('group_replication_single_primary_mode') === 'OFF'
      ? ["group_replication_consistency = 'BEFORE'"]
      : []),
  ];
}
