import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { fetchJars, findJava, KAFKA_VERSION } from '../../src/tools/devservers/launch/kafka-runtime.ts';
import { findProgram } from '../../src/tools/devservers/launch/machine.ts';
import type { OwnMysql } from './own-mysql.ts';

const DEBEZIUM_VERSION = '3.5.0.Final';

const JARS = {
  folder: resolve('.recency', `debezium-${DEBEZIUM_VERSION}-on-kafka-${KAFKA_VERSION}`),
  artifacts: [
    `org.apache.kafka:connect-runtime:${KAFKA_VERSION}`,
    `org.apache.kafka:connect-json:${KAFKA_VERSION}`,
    `io.debezium:debezium-connector-mariadb:${DEBEZIUM_VERSION}`,
    `io.debezium:debezium-connector-mysql:${DEBEZIUM_VERSION}`,
  ],
};

const CONNECTORS = {
  MariaDB: 'io.debezium.connector.mariadb.MariaDbConnector',
  MySQL: 'io.debezium.connector.mysql.MySqlConnector',
};

export interface DebeziumOptions {
  readonly mysql: OwnMysql;
  readonly brokers: readonly string[];
  /** Of the topics. */
  readonly prefix: string;
  readonly schema: string;
  readonly tables: readonly string[];
  /** Settings of the connector beside the necessary ones. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Kafka Connect with one Debezium connector, in one Java process. */
export class DebeziumProcess implements AsyncDisposable {
  readonly #child;
  readonly #folder: string;
  readonly #ended: Promise<void>;

  private constructor(java: string, jars: string, folder: string) {
    const files = ['worker.properties', 'connector.properties'].map((name) => join(folder, name));
    const log = openSync(join(folder, 'log'), 'a');
    const heap = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
    const main = 'org.apache.kafka.connect.cli.ConnectStandalone';
    this.#child = spawn(java, [...heap, '-cp', join(jars, '*'), main, ...files], { stdio: ['ignore', log, log] });
    closeSync(log);
    this.#folder = folder;
    this.#ended = new Promise((done) => this.#child.once('exit', () => done()));
  }

  static async start(options: DebeziumOptions): Promise<DebeziumProcess> {
    const [java, maven] = [await findJava(), findProgram('mvn')];
    if (java === undefined || maven === undefined) throw new Error('Debezium needs Java 17 and mvn');
    const jars = await fetchJars({ ...JARS, maven }, AbortSignal.timeout(600_000));
    const folder = mkdtempSync(join(tmpdir(), 'recency-debezium-'));
    writeProperties(join(folder, 'worker.properties'), await workerOf(options, folder));
    writeProperties(join(folder, 'connector.properties'), connectorOf(options));
    return new DebeziumProcess(java, jars, folder);
  }

  /** What it has logged: why it has ended, perhaps. */
  get log(): string {
    return readFileSync(join(this.#folder, 'log'), 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function workerOf({ brokers }: DebeziumOptions, folder: string): Promise<Record<string, string>> {
  return {
    'bootstrap.servers': brokers.join(','),
    listeners: `http://127.0.0.1:${await freePort()}`,
    'plugin.discovery': 'service_load',
    'offset.storage.file.filename': join(folder, 'offsets'),
    'offset.flush.interval.ms': '1000',
    ...Object.fromEntries(
      ['key', 'value'].flatMap((part) => [
        [`${part}.converter`, 'org.apache.kafka.connect.json.JsonConverter'],
        [`${part}.converter.schemas.enable`, 'false'],
      ]),
    ),
  };
}

function connectorOf({ mysql, brokers, prefix, schema, tables, settings }: DebeziumOptions): Record<string, string> {
  const { product } = mysql.server.facts;
  const { hostname, port } = new URL(mysql.server.url);
  return {
    name: prefix,
    'connector.class': CONNECTORS[product as keyof typeof CONNECTORS],
    'topic.prefix': prefix,
    'database.hostname': hostname,
    'database.port': port,
    'database.user': 'root',
    'database.password': '',
    'database.server.id': '4711',
    'database.ssl.mode': product === 'MariaDB' ? 'disable' : 'disabled',
    ...(product === 'MySQL' ? { 'driver.allowPublicKeyRetrieval': 'true' } : {}),
    'database.include.list': schema,
    'table.include.list': tables.map((table) => `${schema}.${table}`).join(','),
    'schema.history.internal.kafka.bootstrap.servers': brokers.join(','),
    'schema.history.internal.kafka.topic': `${prefix}.history`,
    'skipped.operations': 'none',
    'poll.interval.ms': '50',
    ...settings,
  };
}

function writeProperties(file: string, properties: Readonly<Record<string, string>>): void {
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(''));
}
