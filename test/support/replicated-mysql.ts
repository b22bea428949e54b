import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { getContainerRuntimeClient } from 'testcontainers';
import { beforeAll } from 'vitest';
import { readReplicationSources } from '../../src/mysql/replication.ts';
import { type RunningServer, startMysql } from '../../src/tools/devservers/start-server.ts';
import { until } from './until.ts';

const isMariaDb = ({ facts }: RunningServer): boolean => facts.product === 'MariaDB';

/** Later arguments win: the binary log, off in servers of tests, is on again. Each gives ids that the other does not. */
const argumentsOf = (serverId: number) => [
  `--server-id=${serverId}`,
  ...['--auto-increment-increment=2', `--auto-increment-offset=${serverId}`],
  '--log-bin=binlog',
  '--binlog-format=ROW',
  // MariaDB has GTIDs anyhow, and reads options that only MySQL knows as a hint.
  '--loose-gtid-mode=ON',
  '--loose-enforce-gtid-consistency=ON',
];

/** Statements that the two products word differently. */
interface Words {
  readonly reset: readonly string[];
  readonly follow: (host: string, port: number) => string;
  readonly start: string;
  readonly stop: string;
  readonly stopReceiving: string;
  readonly position: string;
  /** What a connection that waits for a position runs. */
  readonly waiting: string;
}

const MARIADB: Words = {
  reset: ['RESET MASTER', "SET GLOBAL gtid_slave_pos = ''"],
  follow: (host, port) =>
    `CHANGE MASTER TO MASTER_HOST = '${host}', MASTER_PORT = ${port}, MASTER_USER = 'root', MASTER_USE_GTID = slave_pos`,
  start: 'START SLAVE',
  stop: 'STOP SLAVE SQL_THREAD',
  stopReceiving: 'STOP SLAVE IO_THREAD',
  position: 'SELECT @@global.gtid_binlog_pos',
  waiting: 'MASTER_GTID_WAIT',
};

const MYSQL: Words = {
  reset: ['RESET BINARY LOGS AND GTIDS'],
  follow: (host, port) =>
    `CHANGE REPLICATION SOURCE TO SOURCE_HOST = '${host}', SOURCE_PORT = ${port}, SOURCE_USER = 'root', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1`,
  start: 'START REPLICA',
  stop: 'STOP REPLICA SQL_THREAD',
  stopReceiving: 'STOP REPLICA IO_THREAD',
  position: 'SELECT @@global.gtid_executed',
  waiting: 'WAIT_FOR_EXECUTED_GTID_SET',
};

/** A primary and a replica of it, for one test file, which decides when the replica applies what it has received. */
export class ReplicatedMysql {
  #primary: RunningServer | undefined;
  #replica: RunningServer | undefined;

  /** Call at the top of the test file. */
  constructor() {
    beforeAll(async () => {
      const args = (id: number) => ({ args: argumentsOf(id) });
      const [primary, replica] = await Promise.all([startMysql(args(1)), startMysql(args(2))]);
      this.#primary = primary;
      this.#replica = replica;
      await this.#connect();
      return async () => void (await Promise.all([primary.remove(), replica.remove()]));
    });
  }

  get product(): 'mysql' | 'mariadb' {
    return isMariaDb(this.#servers.primary) ? 'mariadb' : 'mysql';
  }

  get #servers(): { primary: RunningServer; replica: RunningServer } {
    if (this.#primary === undefined || this.#replica === undefined) throw new Error('they start before the first test');
    return { primary: this.#primary, replica: this.#replica };
  }

  get #words(): Words {
    return this.product === 'mariadb' ? MARIADB : MYSQL;
  }

  get primary(): RunningServer {
    return this.#servers.primary;
  }

  /** Creates an empty database on the primary, and so on the replica. Returns its URL on each. */
  async createDatabase(name: string): Promise<{ primary: string; replica: string }> {
    await rowsOf(this.#servers.primary.url, `CREATE DATABASE ${name}`);
    return { primary: this.#urlOf(this.#servers.primary, name), replica: this.#urlOf(this.#servers.replica, name) };
  }

  /** All that the primary has committed, as its clients name it. */
  async position(): Promise<string> {
    const [row] = await rowsOf(this.#servers.primary.url, this.#words.position);
    return String(row?.[0]).replaceAll('\n', '');
  }

  /** The replica receives what the primary commits, and applies none of it. */
  async hold(): Promise<void> {
    await rowsOf(this.#servers.replica.url, this.#words.stop);
  }

  /** The replica receives nothing more, and applies what it has received. */
  async cutOff(): Promise<void> {
    await rowsOf(this.#servers.replica.url, this.#words.stopReceiving);
  }

  async release(): Promise<void> {
    await rowsOf(this.#servers.replica.url, this.#words.start);
  }

  /** From now on the primary is a replica of its replica as well: a pair of masters. */
  async followEachOther(): Promise<void> {
    await this.#follow(this.#servers.replica, this.#servers.primary);
  }

  /** Releases the replica and waits until it has applied all that the primary has committed. */
  async catchUp(): Promise<void> {
    await this.release();
    const position = await this.position();
    const has =
      this.product === 'mariadb'
        ? `SELECT MASTER_GTID_WAIT('${position}', 0) = 0`
        : `SELECT GTID_SUBSET('${position}', @@global.gtid_executed)`;
    await until(async () => Number((await rowsOf(this.#servers.replica.url, has))[0]?.[0]) === 1);
    await until(() => this.#saysApplied());
  }

  /** MySQL shows a transaction as executed a moment before its status says that nothing is left to apply. */
  async #saysApplied(): Promise<boolean> {
    const connection = await createConnection(this.#servers.replica.url);
    try {
      return (await readReplicationSources(connection))?.every(({ isBehind }) => !isBehind) ?? false;
    } finally {
      await connection.end();
    }
  }

  /** How many connections of the replica wait for a position. */
  async waiting(): Promise<number> {
    const found = `SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '%${this.#words.waiting}%'`;
    const [row] = await rowsOf(this.#servers.replica.url, `${found} AND id <> CONNECTION_ID()`);
    return Number(row?.[0]);
  }

  /** Both begin with an empty log: what each of them did while it was set up is not replicated. */
  async #connect(): Promise<void> {
    const { primary, replica } = this.#servers;
    for (const { url } of [primary, replica]) for (const statement of this.#words.reset) await rowsOf(url, statement);
    await this.#follow(primary, replica);
  }

  async #follow(source: RunningServer, replica: RunningServer): Promise<void> {
    const { host, port } = await reachable(source);
    await rowsOf(replica.url, this.#words.follow(host, port));
    await rowsOf(replica.url, this.#words.start);
  }

  #urlOf({ url }: RunningServer, name: string): string {
    return Object.assign(new URL(url), { pathname: `/${name}` }).href;
  }
}

/** The address of the server for another one: inside a container, this machine's ports are not there. */
export async function reachable({ facts }: RunningServer): Promise<{ host: string; port: number }> {
  if (facts.container === undefined) return { host: facts.host, port: facts.port };
  const { container } = await getContainerRuntimeClient();
  const { NetworkSettings } = await container.getById(facts.container).inspect();
  const [network] = Object.values(NetworkSettings.Networks);
  return { host: network?.IPAddress ?? '', port: 3306 };
}

async function rowsOf(url: string, statement: string): Promise<unknown[][]> {
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query<RowDataPacket[][]>({ sql: statement, rowsAsArray: true });
    return rows;
  } finally {
    await connection.end();
  }
}
