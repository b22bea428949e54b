/** Statements that a site, its administrators and its jobs may run, at random. What they do to the rows is asked of MySQL. */
import { between, type Random } from '../../harness/random.ts';

/** What one connection runs, in order; a failing statement is left out, as a client would. */
export interface HistoryStep {
  readonly name: string;
  readonly statements: readonly string[];
}

const IDS = 8;
const id = (random: Random) => String(between(random, 1, IDS));
/** Contacts differ from users, so that a task says which is which. */
const contact = (random: Random) => String(100 + between(random, 1, IDS));
const one = <T>(random: Random, all: readonly T[]): T => all[between(random, 0, all.length - 1)] as T;
const rows = (random: Random) =>
  Array.from(
    { length: between(random, 1, 4) },
    () => `(${id(random)}, ${contact(random)}, ${between(random, 0, 3)})`,
  ).join(', ');

/** Makes the tables that every history begins with. `t` is mapped; the others write to it, or stand beside it. */
export const BASE: readonly string[] = [
  'DROP VIEW IF EXISTS pairs',
  'DROP TABLE IF EXISTS t, other, u',
  `CREATE TABLE t (a BIGINT UNSIGNED NOT NULL, b BIGINT UNSIGNED NOT NULL, c INT NOT NULL DEFAULT 0, PRIMARY KEY (a, b))
   PARTITION BY HASH (a) PARTITIONS 3`,
  'CREATE TABLE other (a BIGINT UNSIGNED, b BIGINT UNSIGNED, c INT)',
  'CREATE TABLE u LIKE other',
  'CREATE TRIGGER writes AFTER INSERT ON other FOR EACH ROW REPLACE INTO t VALUES (NEW.a, NEW.b, 1)',
  'CREATE VIEW pairs AS SELECT a, b, c FROM t',
  'DROP FUNCTION IF EXISTS adds',
  'CREATE FUNCTION adds(x BIGINT, y BIGINT) RETURNS INT DETERMINISTIC BEGIN REPLACE INTO t VALUES (x, y, 2); RETURN 1; END',
  'DROP PROCEDURE IF EXISTS removes',
  'CREATE PROCEDURE removes(x BIGINT) BEGIN DELETE FROM t WHERE a = x; END',
];

/** What may differ after a history. */
export const BASE_TABLES: readonly string[] = ['t', 'other', 'u', 'pairs'];

/** The rows that every history begins with. */
export const BASE_ROWS: readonly string[] = [
  'DROP TABLE IF EXISTS t_new, t_old, part_out, made',
  ...['t', 'other', 'u'].map((table) => `DELETE FROM ${table}`),
  'INSERT INTO t VALUES (1, 101, 0), (2, 102, 0), (3, 103, 0), (4, 104, 0)',
];

/** A change of rows. */
function dml(random: Random): string {
  const [a, b] = [id(random), contact(random)];
  return one(random, [
    `INSERT IGNORE INTO t VALUES ${rows(random)}`,
    `REPLACE INTO t VALUES ${rows(random)}`,
    `INSERT INTO t VALUES ${rows(random)} ON DUPLICATE KEY UPDATE c = c + 1`,
    `INSERT IGNORE INTO t SELECT a, b + 1, c FROM t WHERE b < 108`,
    `UPDATE t SET c = c + 1 WHERE a <= ${a}`,
    `UPDATE IGNORE t SET a = ${a} WHERE b = ${b}`,
    `UPDATE IGNORE t SET b = ${b} WHERE a = ${a} ORDER BY b LIMIT 1`,
    `UPDATE IGNORE pairs SET b = ${b} WHERE a = ${a}`,
    `UPDATE t JOIN u ON u.a = t.a SET t.c = 9, u.c = 9`,
    `DELETE FROM t WHERE a = ${a}`,
    `DELETE FROM t ORDER BY a, b LIMIT 1`,
    `DELETE t FROM t JOIN (SELECT ${a} AS x) AS other_name ON t.a = other_name.x`,
    `DELETE FROM pairs WHERE b = ${b}`,
    `INSERT INTO other VALUES ${rows(random)}`,
    `INSERT INTO u VALUES ${rows(random)}`,
    `SELECT adds(${a}, ${b})`,
    `DO adds(${a}, ${b})`,
    `CALL removes(${a})`,
    `EXECUTE IMMEDIATE 'DELETE FROM t WHERE a = ${a}'`,
    `WITH x AS (SELECT ${a} AS y) UPDATE t JOIN x ON t.a = x.y SET c = 7`,
    `SET STATEMENT sort_buffer_size = 100000 FOR UPDATE t SET c = 8 WHERE a = ${a}`,
    `/*!50000 DELETE */ FROM t WHERE a = ${a}`,
    `INSERT INTO t SET a = ${a}, b = ${b} ON DUPLICATE KEY UPDATE b = b + 10`,
    'BEGIN NOT ATOMIC DELETE FROM t WHERE c > 5; END',
  ]);
}

/** A change of tables, or the work of an administrator. */
function ddl(random: Random): string {
  const harmless = [
    'CREATE INDEX more ON t (c)',
    'DROP INDEX more ON t',
    "ALTER TABLE t COMMENT 'x'",
    'ALTER TABLE t ADD INDEX more (b), ALGORITHM=INPLACE',
    'ANALYZE TABLE t',
    'OPTIMIZE TABLE t',
    'CREATE TABLE IF NOT EXISTS t (a INT)',
    'CREATE TABLE made AS SELECT * FROM t',
    'DROP TABLE IF EXISTS made',
    'TRUNCATE TABLE u',
    'FLUSH TABLES',
    'FLUSH BINARY LOGS',
    'CREATE TEMPORARY TABLE t SELECT 1 AS a',
    'DROP TEMPORARY TABLE IF EXISTS t',
  ];
  const telling = [
    'TRUNCATE TABLE t',
    'TRUNCATE t',
    'TRUNCATE TABLE /* all */ `t`',
    'SET STATEMENT lock_wait_timeout = 5 FOR TRUNCATE TABLE t',
    '/*!50000 TRUNCATE TABLE */ t',
    'ALTER TABLE t TRUNCATE PARTITION p0',
    'ALTER TABLE t WAIT 5 TRUNCATE PARTITION p1',
    'ALTER TABLE t COALESCE PARTITION 1',
    'ALTER TABLE t REMOVE PARTITIONING',
    'ALTER IGNORE TABLE t ADD UNIQUE once (a)',
    'DELETE FROM t',
    'ALTER TABLE t ENGINE = InnoDB',
    "ALTER TABLE t COMMENT 'x' ENGINE = InnoDB",
    'ALTER TABLE t ADD d INT NOT NULL DEFAULT 1 FIRST',
    'ALTER TABLE t DROP COLUMN d',
    'ALTER TABLE t MODIFY c BIGINT NOT NULL DEFAULT 0',
    'ALTER TABLE t RENAME TO t_old, COMMENT = 1',
    'CREATE OR REPLACE VIEW pairs AS SELECT a, b, c FROM t WHERE c < 100',
  ];
  return random() < 0.6 ? one(random, harmless) : one(random, telling);
}

/** Tables are swapped, and the mapped one has other rows under the same name. */
function swap(random: Random): HistoryStep {
  const rename = one(random, ['', 'SET STATEMENT lock_wait_timeout = 5 FOR ']);
  return {
    name: 'swap',
    statements: [
      'DROP TABLE IF EXISTS t_new, t_old',
      'CREATE TABLE t_new LIKE t',
      `INSERT INTO t_new (a, b) VALUES (${id(random)}, ${contact(random)})`,
      `${rename}RENAME TABLE t TO t_old, t_new TO t`,
    ],
  };
}

function exchange(random: Random): HistoryStep {
  return {
    name: 'exchange',
    statements: [
      'DROP TABLE IF EXISTS part_out',
      'CREATE TABLE part_out LIKE t',
      'ALTER TABLE part_out REMOVE PARTITIONING',
      `INSERT INTO part_out (a, b) VALUES (3, ${contact(random)})`,
      `ALTER TABLE t ${one(random, ['', 'WAIT 5 ', 'NOWAIT '])}EXCHANGE PARTITION p0 WITH TABLE part_out`,
    ],
  };
}

const several = (random: Random) => Array.from({ length: between(random, 1, 4) }, () => dml(random));

function transaction(random: Random): HistoryStep {
  const statements = several(random).flatMap((text, i) =>
    random() < 0.3
      ? [`SAVEPOINT s${i}`, text, ...(random() < 0.5 ? [`ROLLBACK TO s${i}`] : [`RELEASE SAVEPOINT s${i}`])]
      : [text],
  );
  return {
    name: 'transaction',
    statements: ['START TRANSACTION', ...statements, random() < 0.75 ? 'COMMIT' : 'ROLLBACK'],
  };
}

function xa(random: Random, number: number): HistoryStep {
  const xid = `'x${number}'`;
  const ending = one(random, [
    [`XA PREPARE ${xid}`, `XA COMMIT ${xid}`],
    [`XA PREPARE ${xid}`, `XA ROLLBACK ${xid}`],
    [`XA COMMIT ${xid} ONE PHASE`],
    [`XA PREPARE ${xid}`], // committed or rolled back later, if ever
  ]);
  return { name: 'xa', statements: [`XA START ${xid}`, ...several(random), `XA END ${xid}`, ...ending] };
}

/** A session that does not log as the server does. */
function mode(random: Random): HistoryStep {
  const set = one(random, [
    'SET SESSION binlog_format = STATEMENT',
    'SET SESSION binlog_format = MIXED',
    'SET SESSION binlog_row_image = MINIMAL',
    'SET SESSION binlog_row_image = NOBLOB',
    "SET SESSION sql_mode = 'ANSI_QUOTES'",
    "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'",
    'SET SESSION foreign_key_checks = 0',
    'SET SESSION binlog_transaction_compression = ON',
  ]);
  return { name: 'mode', statements: [set, ...several(random)] };
}

/** What is done to the server or to capture is the runner's. */
export type Doing =
  | 'restart capture'
  | 'kill connection'
  | 'stop capture'
  | 'reset log'
  | 'purge logs'
  | 'restart server'
  | 'kill server';

export type HistoryMove = { readonly does: 'step'; readonly step: HistoryStep } | { readonly does: Doing };

const DOINGS: readonly Doing[] = ['restart capture', 'kill connection', 'stop capture'];
const SERVER: readonly Doing[] = ['reset log', 'purge logs', 'restart server', 'kill server'];

/** A history: moves, one after the other. */
export function randomHistory(random: Random, number: number): HistoryMove[] {
  return Array.from({ length: between(random, 4, 12) }, (_, i): HistoryMove => {
    const dice = random();
    if (dice < 0.02) return { does: one(random, SERVER) };
    if (dice < 0.12) return { does: one(random, DOINGS) };
    if (dice < 0.2) return { does: 'step', step: transaction(random) };
    if (dice < 0.28) return { does: 'step', step: xa(random, number * 100 + i) };
    if (dice < 0.34) return { does: 'step', step: mode(random) };
    if (dice < 0.37) return { does: 'step', step: swap(random) };
    if (dice < 0.4) return { does: 'step', step: exchange(random) };
    if (dice < 0.5) return { does: 'step', step: { name: 'ddl', statements: [ddl(random)] } };
    return { does: 'step', step: { name: 'dml', statements: [dml(random)] } };
  });
}
