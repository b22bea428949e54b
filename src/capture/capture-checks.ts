/** Whether the server's binary log can be captured, and whether a mapping covers what it must. Nothing is written. */
import type { Database } from '../mysql/database.ts';
import type { FoundTable } from './base-tables.ts';

/** What is wrong, and what to do about it. */
export interface CaptureProblem {
  readonly what: string;
  readonly fix: string;
}

const NAMES = [
  ...['log_bin', 'binlog_format', 'binlog_row_image', 'binlog_order_commits'],
  ...['binlog_transaction_compression', 'binlog_row_value_options', 'binlog_error_action'],
];

const VARIABLES = `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${NAMES.map((name) => `'${name}'`).join(', ')})`;

interface Wanted {
  readonly isFine: (value: string) => boolean;
  readonly why: string;
  readonly fix: string;
}

const is = (expected: string) => (value: string) => value.toUpperCase() === expected;

const set = (name: string, value: string): string =>
  `SET GLOBAL ${name} = ${value} and in the server's option file; sessions that are open keep the old value until they reconnect.`;

/** A server that lacks a variable cannot be set wrong. */
const WANTED: Readonly<Record<string, Wanted>> = {
  log_bin: {
    isFine: is('ON'),
    why: 'the server keeps no binary log',
    fix: "Set log_bin and server_id in the server's option file, and restart it.",
  },
  binlog_format: {
    isFine: is('ROW'),
    why: 'changes may be logged as statements, which name no rows',
    fix: set('binlog_format', 'ROW'),
  },
  binlog_row_image: {
    isFine: is('FULL'),
    why: 'rows are logged without the columns that did not change',
    fix: set('binlog_row_image', 'FULL'),
  },
  binlog_order_commits: {
    isFine: is('ON'),
    why: 'transactions may become visible in another order than the log has them',
    fix: set('binlog_order_commits', 'ON'),
  },
  binlog_error_action: {
    isFine: is('ABORT_SERVER'),
    why: 'a server whose log cannot be written, on a full disk, goes on without it',
    fix: "SET GLOBAL binlog_error_action = 'ABORT_SERVER' and in the server's option file.",
  },
  binlog_transaction_compression: {
    isFine: is('OFF'),
    why: 'compressed transactions cannot be read',
    fix: set('binlog_transaction_compression', 'OFF'),
  },
  binlog_row_value_options: {
    isFine: is(''),
    why: 'parts of JSON values cannot be read',
    fix: set('binlog_row_value_options', "''"),
  },
};

/** What reads the binary log: Recency itself, as a replica, or Debezium with an account of its own. */
export type LogReading = 'binlog' | 'debezium';

/** What Debezium can read and Recency cannot. */
const READ_BY_DEBEZIUM = new Set(['binlog_transaction_compression', 'binlog_row_value_options']);

/** @throws DatabaseUnavailable */
export async function findLogProblems(database: Database, reading: LogReading): Promise<CaptureProblem[]> {
  const rows = await database.rows(VARIABLES, []);
  const problems = rows.flatMap(([name, value]): CaptureProblem[] => {
    const wanted = WANTED[String(name).toLowerCase()];
    if (wanted === undefined || wanted.isFine(String(value ?? ''))) return [];
    if (reading === 'debezium' && READ_BY_DEBEZIUM.has(String(name).toLowerCase())) return [];
    return [{ what: `${name} is ${value === '' ? "''" : value}: ${wanted.why}`, fix: wanted.fix }];
  });
  return [...problems, ...(await findMissingPrivileges(database))];
}

const ALL = /^GRANT ALL PRIVILEGES ON \*\.\* /;
const ON_ALL = /^GRANT (.*) ON \*\.\* /;

/** What a role grants is not listed, so with roles only the attempt tells. */
async function findMissingPrivileges(database: Database): Promise<CaptureProblem[]> {
  const grants = (await database.rows('SHOW GRANTS', [])).map(([grant]) => String(grant));
  const hasRoles = grants.some((grant) => /^GRANT (?!.* ON ).* TO /.test(grant));
  if (hasRoles || grants.some((grant) => ALL.test(grant))) return [];
  const privileges = grants.flatMap((grant) => ON_ALL.exec(grant)?.[1]?.split(',') ?? []).map((name) => name.trim());
  const has = (...names: string[]) => privileges.some((privilege) => names.includes(privilege));
  const missing = [
    ...(has('REPLICATION SLAVE') ? [] : ['REPLICATION SLAVE']),
    ...(has('REPLICATION CLIENT', 'BINLOG MONITOR') ? [] : ['REPLICATION CLIENT (on MariaDB BINLOG MONITOR)']),
  ];
  if (missing.length === 0) return [];
  const fix = `As an administrator: GRANT ${missing.join(', ')} ON *.* to this account.`;
  return [{ what: `this account lacks ${missing.join(' and ')}`, fix }];
}

/** A table with the columns of it that are needed. */
interface NeededTable extends FoundTable {
  readonly columns: ReadonlySet<string>;
}

const TYPES =
  'SELECT COLUMN_NAME, COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?';

/** The types of these columns of a table, as information_schema has them: `bigint unsigned`. @throws DatabaseUnavailable */
export async function readColumnTypes(
  database: Database,
  { schema, table, columns }: NeededTable,
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.rows(TYPES, [schema, table]);
  return new Map(
    rows.map(([name, type]) => [String(name), String(type)] as const).filter(([name]) => columns.has(name)),
  );
}

const COLUMNS = 'SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?';

/** Tables and columns that do not exist, or that this account may not see. @throws DatabaseUnavailable */
export async function findMissingColumns(database: Database, needed: Iterable<NeededTable>): Promise<CaptureProblem[]> {
  const problems: CaptureProblem[] = [];
  for (const { schema, table, columns } of needed) {
    const present = new Set((await database.rows(COLUMNS, [schema, table])).map(([name]) => String(name)));
    if (present.size === 0) {
      const fix = `Correct the mapping, or GRANT SELECT ON ${schema}.${table} to this account.`;
      problems.push({ what: `there is no table ${schema}.${table}, or this account may not read it`, fix });
      continue;
    }
    const missing = [...columns].filter((column) => !present.has(column));
    if (missing.length === 0) continue;
    const fix = `Correct the mapping; the table has ${[...present].join(', ')}.`;
    problems.push({ what: `${schema}.${table} has no column ${missing.join(', ')}`, fix });
  }
  return problems;
}

/** Whether the tables that a mapping names are those that the binary log names, with rows of their own. */

const TABLE =
  'SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?';

/**
 * Every change of their rows is in this server's log, under the table's name. Others keep their rows elsewhere, or lose them at a
 * restart; those of MyISAM are also changed through MERGE tables of other names, and go in a crash.
 */
const ENGINES = new Set(['innodb', 'aria', 'rocksdb', 'tokudb']);

/** A table as the mapping reads it. */
export interface ReadTable extends FoundTable {
  /** Those whose updates alone count; undefined: every update does. */
  readonly columns?: readonly string[] | undefined;
}

/** Of tables that exist. @throws DatabaseUnavailable */
export async function findTableProblems(database: Database, tables: Iterable<ReadTable>): Promise<CaptureProblem[]> {
  const problems: CaptureProblem[] = [];
  for (const { schema, table, columns } of tables) {
    const [row] = await database.rows(TABLE, [schema, table]);
    if (row === undefined) continue;
    const [realSchema, realName, type, engine] = row.map(String);
    if (realSchema !== schema || realName !== table) {
      // Where MySQL compares names without their case, the log has them as they were created.
      const what = `the mapping names ${schema}.${table}, which is called ${realSchema}.${realName} in the binary log`;
      problems.push({ what, fix: 'Write it in the mapping as MySQL has it.' });
    }
    if (type === 'SYSTEM VERSIONED' && columns !== undefined) {
      const what = `${schema}.${table} is system-versioned: a DELETE is logged as an UPDATE that changes none of its \`columns\``;
      problems.push({ what, fix: 'Leave `columns` out of its entries, so that every UPDATE counts.' });
    }
    if (type === 'VIEW') {
      const what = `${schema}.${table} is a view, and no row of it is ever in the binary log`;
      problems.push({ what, fix: 'Map the tables behind it.' });
    } else if (!ENGINES.has(String(engine).toLowerCase())) {
      const what = `${schema}.${table} is of the engine ${engine}, whose rows may change without the binary log, or under another name`;
      problems.push({ what, fix: `ALTER TABLE ${table} ENGINE = InnoDB.` });
    }
  }
  return problems;
}
