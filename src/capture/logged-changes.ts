/** Whether every change that a server makes to its rows is in its binary log. */
import { createHash } from 'node:crypto';
import { compareVersions, mysqlProductOf } from '../contracts/server-versions.ts';
import type { Database } from '../mysql/database.ts';
import type { CaptureProblem } from './capture-checks.ts';

const NAMES = ['log_replica_updates', 'log_slave_updates', 'wsrep_on', 'sync_binlog', 'gtid_slave_pos', 'log_bin'];
const VARIABLES = `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${NAMES.map((name) => `'${name}'`).join(', ')})`;

interface LoggedChanges {
  /** Rows may change unseen. */
  readonly problems: readonly CaptureProblem[];
  readonly warnings: readonly CaptureProblem[];
}

/** @throws DatabaseUnavailable */
export async function findUnloggedChanges(database: Database): Promise<LoggedChanges> {
  const rows = await database.rows(VARIABLES, []);
  const variables = new Map(rows.map(([name, value]) => [String(name).toLowerCase(), String(value ?? '')]));
  if (variables.get('log_bin') !== 'ON') return { problems: [], warnings: [] }; // which is a problem of its own
  const [[version = ''] = []] = await database.rows('SELECT VERSION()', []);
  return {
    problems: [
      ...(await filterProblems(database, String(version))),
      ...(await replicaProblems(database, String(version), variables)),
    ],
    warnings: syncWarnings(variables.get('sync_binlog')),
  };
}

/** Filters go by the schema that a session uses, not by that of the table, so no filter is safe. */
async function filterProblems(database: Database, version: string): Promise<CaptureProblem[]> {
  const statement =
    mysqlProductOf(version) === 'MySQL' && compareVersions(version, '8.2') >= 0
      ? 'SHOW BINARY LOG STATUS'
      : 'SHOW MASTER STATUS';
  const [row = []] = (await unlessDenied(database.rows(statement, []))) ?? [];
  return [
    ['binlog-do-db', row[2]],
    ['binlog-ignore-db', row[3]],
  ].flatMap(([option, schemas]) =>
    String(schemas ?? '') === ''
      ? []
      : [
          {
            what: `the server was started with ${option}=${schemas}: changes of other sessions are missing in its binary log`,
            fix: `Take ${option} out of the server's option file, and restart it.`,
          },
        ],
  );
}

async function replicaProblems(
  database: Database,
  version: string,
  variables: ReadonlyMap<string, string>,
): Promise<CaptureProblem[]> {
  const name = variables.has('log_replica_updates') ? 'log_replica_updates' : 'log_slave_updates';
  if (variables.get(name) !== 'OFF') return [];
  const fix = `Set ${name}=ON in the server's option file, and restart it.`;
  if (mysqlProductOf(version) !== 'MariaDB')
    return [{ what: `${name} is OFF: rows that arrive by replication would be missing in its log`, fix }];
  if (variables.get('wsrep_on') === 'ON') {
    return [
      { what: `${name} is OFF on a member of a Galera cluster: what the others write is missing in its log`, fix },
    ];
  }
  const sources = await unlessDenied(database.rows('SHOW ALL SLAVES STATUS', []));
  if (sources?.length === 0) return [];
  if (sources === undefined && variables.get('gtid_slave_pos') === '') return [];
  const what = `${name} is OFF, and rows ${sources === undefined ? 'have arrived' : 'arrive'} by replication: they are missing in its log`;
  const see = 'If it is no replica any more, GRANT SLAVE MONITOR ON *.* to this account, so that this can be seen.';
  return [{ what, fix: sources === undefined ? `${fix} ${see}` : fix }];
}

const ARRIVED = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('log_slave_updates', 'gtid_slave_pos')";

/**
 * Stands for the rows that have arrived by replication and are not in MariaDB's log, where it does not log them (its default):
 * MariaDB keeps count of what has arrived, also where it replicates no more.
 * @returns empty: none have, or they are logged @throws DatabaseUnavailable
 */
export async function readUnloggedArrivals(database: Database): Promise<string> {
  const variables = new Map((await database.rows(ARRIVED, [])).map(([name, value]) => [String(name), String(value)]));
  const arrived = variables.get('gtid_slave_pos') ?? '';
  if (variables.get('log_slave_updates') !== 'OFF' || arrived === '') return '';
  return ` ${createHash('sha256').update(arrived).digest('base64url').slice(0, 16)}`;
}

function syncWarnings(value: string | undefined): CaptureProblem[] {
  if (value === undefined || value === '1') return [];
  return [
    {
      what: `sync_binlog is ${value}: when the machine loses power, the last changes may be missing in the log although their rows are there`,
      fix: "SET GLOBAL sync_binlog = 1 and in the server's option file. After a loss of power, run `recency epoch bump`.",
    },
  ];
}

const DENIED = new Set([1044, 1045, 1142, 1227]);

/** @returns undefined: this account may not ask */
async function unlessDenied<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && DENIED.has(Number((error as NodeJS.ErrnoException).errno))) return undefined;
    throw error;
  }
}
