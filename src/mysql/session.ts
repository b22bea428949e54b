/**
 * How every MySQL session is set up before its first statement.
 *
 * A server's options and `init_connect` decide how a session begins, and some values make answers wrong: without
 * autocommit a connection reads its first snapshot for ever, READ UNCOMMITTED reads what is rolled back later,
 * `sql_select_limit` cuts off results. So none of these is left to the server.
 *
 * The session also notes which server it is on, evaluated by that server (see epoch.ts). A proxy that gives a statement
 * to a session that was not set up, or to another server, is noticed in the rows of that very statement.
 */
import { createHash } from 'node:crypto';
import type { Connection, RowDataPacket } from 'mysql2/promise';

/** Strict, and nothing that changes how a statement is parsed. */
export const SQL_MODE = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

const UNLIMITED_ROWS = '18446744073709551615';

/**
 * MySQL and MariaDB name the time limit differently, and each takes the other's syntax for a comment.
 *
 * MariaDB may keep a subquery's results by its parameters. Those of Recency differ in every row (an uploader and an audience), and
 * making a table for each takes a twentieth of a narrowed read.
 */
function stateOf(statementMs: number): string {
  return `SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, autocommit = 1, time_zone = '+00:00', sql_mode = '${SQL_MODE}',
    sql_select_limit = ${UNLIMITED_ROWS}
    /*!80000 , max_execution_time = ${Math.ceil(statementMs)} */ /*M! , max_statement_time = ${statementMs / 1_000}, optimizer_switch = 'subquery_cache=off' */`;
}

const TRANSACTIONS = 'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE';

/** Variables that only some servers have. They decide the rest of the set-up. */
const FACTS = `
  SHOW VARIABLES
  WHERE Variable_name IN ('server_uuid', 'server_uid', 'wsrep_on', 'group_replication_single_primary_mode')`;

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
  await connection.query(stateOf(statementMs));
  await connection.query(TRANSACTIONS);
  const [rows] = await connection.query<RowDataPacket[]>(FACTS);
  await connection.query(identityOf(new Map(rows.map((row) => [String(row.Variable_name), String(row.Value)]))));
}

const IN_EFFECT = `
  SHOW SESSION VARIABLES WHERE Variable_name IN ('autocommit', 'time_zone', 'sql_mode', 'sql_select_limit',
    'tx_isolation', 'transaction_isolation', 'tx_read_only', 'transaction_read_only', 'max_execution_time', 'max_statement_time')`;

/** Names of both MySQL and MariaDB. */
const EXPECTED: Readonly<Record<string, (value: string) => boolean>> = {
  autocommit: (value) => value === 'ON',
  time_zone: (value) => value === '+00:00',
  sql_mode: (value) => value === SQL_MODE,
  sql_select_limit: (value) => value === UNLIMITED_ROWS,
  tx_isolation: (value) => value === 'REPEATABLE-READ',
  transaction_isolation: (value) => value === 'REPEATABLE-READ',
  tx_read_only: (value) => value === 'OFF',
  transaction_read_only: (value) => value === 'OFF',
  max_execution_time: (value) => Number(value) > 0,
  max_statement_time: (value) => Number(value) > 0,
};

/** The part of `Database` that is needed here. */
interface AsksRows {
  rows(statement: string, parameters: readonly []): Promise<readonly (readonly unknown[])[]>;
}

/** Session variables that differ from their set-up, as `name = value`. @throws DatabaseUnavailable */
export async function findSessionProblems(database: AsksRows): Promise<string[]> {
  const rows = await database.rows(IN_EFFECT, []);
  return rows
    .map(([name, value]) => [String(name), String(value)] as const)
    .filter(([name, value]) => EXPECTED[name]?.(value) === false)
    .map(([name, value]) => `${name} = ${value}`);
}

function identityOf(facts: ReadonlyMap<string, string>): string {
  const uid = facts.has('server_uid') ? '@@global.server_uid' : "''";
  const server = facts.has('server_uuid') ? BY_UUID : BY_PLACE(uid);
  const run = `IF(@@global.innodb_flush_log_at_trx_commit = 1, '', CONCAT('@', ${STARTED_AT}))`;
  // A server with innodb_read_only can never be on record. It stays read-only until it is restarted.
  const identity = `CONCAT(IF(@@global.innodb_read_only, 'replica:', ''), ${server}, ${run})`;
  const causal = [
    // In a cluster of several writers a read first waits for what the others have committed.
    ...(facts.get('wsrep_on') === 'ON' ? [', wsrep_sync_wait = 1'] : []),
    ...(facts.get('group_replication_single_primary_mode') === 'OFF'
      ? [", group_replication_consistency = 'BEFORE'"]
      : []),
  ];
  return `SET ${SERVER} = ${identity}, ${PROOF} = LEFT(SHA2(${identity}, 256), ${PROOF_LENGTH})${causal.join('')}`;
}
