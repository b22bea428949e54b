import { randomBytes } from 'node:crypto';
import type { ConnectionOptions } from 'mysql2';
import { parsePosition, positionText } from '../capture/binlog/position.ts';
import { readTables } from '../capture/binlog/read-tables.ts';
import { BinlogSource } from '../capture/binlog/source.ts';
import type { ChangeSource } from '../capture/change-source.ts';
import { DebeziumSource } from '../capture/debezium/source.ts';
import { checkTopics, moveToEnds, statementsTopic, topicOf } from '../capture/debezium/topics.ts';
import { type Mapping, mappedColumns, type TableName, tableKey } from '../capture/mapping.ts';
import type { Config } from '../config/config.ts';
import { CAPTURE_TABLE, type LogEnd, readLogEnd } from '../mysql/capture.ts';
import { type LogReading, readColumnTypes } from '../mysql/capture-checks.ts';
import type { Database } from '../mysql/database.ts';
import { tlsOptions } from '../mysql/tls.ts';
import { createKafka } from '../transport/kafka/client.ts';
import { kafkaSettings } from './kafka-transport.ts';
import { mysqlAddress, mysqlTls } from './open-mysql.ts';
import type { ProcessContext } from './run-process.ts';
import { StartError } from './start-error.ts';

/** Where changes are read. */
export interface OpenChanges {
  readonly open: (position: string) => ChangeSource;
  /** The position of the present. */
  readonly present: () => Promise<string>;
  /** @throws UserError: it cannot be read as it is set up */
  readonly check: () => Promise<void>;
}

export interface ChangesOpening {
  readonly database: Database;
  readonly mapping: Mapping;
  /** The views that Recency reads, and those behind them. */
  readonly views: readonly TableName[];
  /** Nothing that lasts may be written. */
  readonly isDryRun?: boolean;
}

/** @throws StartError, ConnectorMistake */
export async function openChanges(
  context: ProcessContext,
  opening: ChangesOpening,
  reading: LogReading,
): Promise<OpenChanges> {
  if (reading === 'binlog') return fromBinlog(context.config, opening);
  const changes = await fromDebezium(context, opening);
  await changes.check();
  return changes;
}

function fromBinlog(config: Config, { database, mapping, views }: ChangesOpening): OpenChanges {
  const { database: own } = mysqlAddress(config.mysqlUrl);
  const tables = readTables(mapping, { own, source: 'binlog', views });
  const open = (from: LogEnd) =>
    new BinlogSource({ connection: connectionOf(config), from, tables, mapped: mappedColumns(mapping).values() });
  return {
    open: (position) => open(parsePosition(position) ?? { gtids: '' }),
    present: async () => positionText(await readLogEnd(database)),
    check: async () => undefined,
  };
}

function connectionOf(config: Config): ConnectionOptions {
  const { hostname, port, username, password, pathname } = new URL(config.mysqlUrl);
  const text = decodeURIComponent;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 3306),
    user: text(username),
    password: text(password),
    database: text(pathname.slice(1)),
    connectTimeout: config.connectTimeoutMs,
    ...tlsOptions(mysqlTls(config)),
  } as ConnectionOptions;
}

/** Of Recency's own row. */
const OWN_COLUMNS = new Set(['source', 'saved_at', 'fences']);

async function fromDebezium(
  { config, logger, resources }: ProcessContext,
  { database, mapping, views, isDryRun = false }: ChangesOpening,
): Promise<OpenChanges> {
  const { captureTopicPrefix: prefix, kafkaGroup, takeoverMs: sessionTimeoutMs } = config;
  if (prefix === undefined) {
    throw new StartError('Set RECENCY_CAPTURE_TOPIC_PREFIX to the topic.prefix of the Debezium connector.');
  }
  const { database: schema } = mysqlAddress(config.mysqlUrl);
  const kafka = kafkaSettings(config, 'capture', logger);
  const group = `${kafkaGroup}.capture${isDryRun ? `-dry-run-${randomBytes(4).toString('hex')}` : ''}`;
  const client = createKafka(kafka);
  const admin = resources.adopt(client.admin(), async (opened) => {
    if (isDryRun) await opened.deleteGroups([group]);
    await opened.disconnect();
  });
  await admin.connect();
  const mapped = [...mappedColumns(mapping).values()];
  const types = new Map<string, ReadonlyMap<string, string>>();
  const readTypes = async () => {
    const own = { schema, table: CAPTURE_TABLE, columns: OWN_COLUMNS };
    for (const table of [...mapped, own]) types.set(tableKey(table), await readColumnTypes(database, table));
  };
  await readTypes();
  const source = {
    ...{ kafka, group, sessionTimeoutMs, prefix, mapped },
    columnsOf: (of: string, table: string) => types.get(tableKey({ schema: of, table })),
    watched: readTables(mapping, { own: schema, source: 'debezium', views }),
    own: { schema, source: 'debezium' },
  };
  return {
    open: () => new DebeziumSource(source),
    present: async () => {
      await readTypes();
      const topics = [...mapped.map((table) => topicOf(prefix, table)), statementsTopic(prefix)];
      await moveToEnds(client, admin, group, topics);
      return `group:${group}`;
    },
    check: () => checkTopics(admin, prefix, mapped),
  };
}
