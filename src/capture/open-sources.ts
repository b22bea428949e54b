import { randomBytes } from 'node:crypto';
import type { ConnectionOptions } from 'mysql2';
import { kafkaSettings } from '../app/kafka-transport.ts';
import { mysqlAddress, mysqlTls } from '../app/open-mysql.ts';
import type { ProcessContext } from '../app/run-process.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../config/start-error.ts';
import { CAPTURE_TABLE, type LogEnd, readLogEnd, readWrites } from '../mysql/capture.ts';
import type { Database } from '../mysql/database.ts';
import { tlsOptions } from '../mysql/tls.ts';
import { DEFAULT_STALL_MS, SourceStalled } from '../timing/stall-detector.ts';
import { createKafka } from '../transport/kafka/client.ts';
import { OneCluster } from '../transport/kafka/one-cluster.ts';
import type { FoundView } from './base-tables.ts';
import { parsePosition, positionText } from './binlog/log-place.ts';
import { readTables } from './binlog/log-reader.ts';
import { BinlogSource } from './binlog/source.ts';
import { type LogReading, readColumnTypes } from './capture-checks.ts';
import { CaptureGap, type ChangeSource } from './change-source.ts';
import { DebeziumSource } from './debezium/source.ts';
import { checkTopics, moveToEnds, statementsTopic, topicOf } from './debezium/topics.ts';
import type { LogAnchor } from './log-proof.ts';
import { LogProof } from './log-proof.ts';
import { type Mapping, mappedColumns, tableKey } from './mapping.ts';

/** Where changes are read. */
interface OpenChanges {
  readonly open: (position: string) => ChangeSource;
  /** Of a source that saves its position by itself. */
  readonly anchor?: LogAnchor;
  /** The position of the present. */
  readonly present: () => Promise<string>;
  /** @throws UserError: it cannot be read as it is set up */
  readonly check: () => Promise<void>;
}

interface ChangesOpening {
  readonly database: Database;
  readonly mapping: Mapping;
  /** The views that Recency reads, and the views and functions behind them, as they are now. */
  readonly views: () => readonly FoundView[];
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
  const open = (from: LogEnd) => {
    const tables = readTables(mapping, { own, source: 'binlog', views: views() });
    return new BinlogSource({
      connection: connectionOf(config),
      from,
      tables,
      mapped: mappedColumns(mapping).values(),
    });
  };
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

/** Of the log only Recency's own row is read. */
const NO_TABLES = { columnsOf: () => undefined, schemas: [], names: [], routines: [] };

/** Of Recency's own row. */
const OWN_COLUMNS = new Set(['source', 'saved_at', 'fences', 'nonce']);

async function fromDebezium(
  { config, logger, resources }: ProcessContext,
  { database, mapping, views, isDryRun = false }: ChangesOpening,
): Promise<OpenChanges> {
  const { captureTopicPrefix: prefix, kafkaGroup, takeoverMs: sessionTimeoutMs } = config;
  if (prefix === undefined) {
    throw new StartError('Set RECENCY_CAPTURE_TOPIC_PREFIX to the topic.prefix of the Debezium connector.');
  }
  const { database: schema } = mysqlAddress(config.mysqlUrl);
  const kafka = { ...kafkaSettings(config, 'capture', logger), cluster: new OneCluster() };
  const group = `${kafkaGroup}.capture${isDryRun ? `-dry-run-${randomBytes(4).toString('hex')}` : ''}`;
  const client = createKafka(kafka);
  const admin = resources.adopt(client.admin(), async (opened) => {
    // There is none if reading has not begun. One that is left, because Kafka is away, ends by itself.
    const removed = isDryRun ? opened.deleteGroups([group]) : undefined;
    await removed?.catch((error: unknown) => logger.debug({ err: error, group }, 'the group was not deleted'));
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
    own: { schema, source: 'debezium' },
  };
  const end = async () => positionText(await readLogEnd(database));
  return {
    open: () => {
      const watched = readTables(mapping, { own: schema, source: 'debezium', views: views() });
      return new DebeziumSource({ ...source, watched });
    },
    anchor: logAnchor({
      ...{ end, stallMs: DEFAULT_STALL_MS, now: () => performance.now() },
      open: (position) => {
        const from = parsePosition(position);
        const tables = { own: schema, source: 'debezium', ...NO_TABLES };
        return from && new BinlogSource({ connection: connectionOf(config), from, tables, mapped: [] });
      },
    }),
    present: async () => {
      await readTypes();
      const echoes = topicOf(prefix, { schema, table: CAPTURE_TABLE });
      const isThere = (await admin.listTopics()).includes(echoes);
      const topics = [...mapped.map((table) => topicOf(prefix, table)), statementsTopic(prefix)];
      const readLastWrite = () => readWrites(database, 'debezium');
      await moveToEnds(client, admin, group, isThere ? [...topics, echoes] : topics, readLastWrite);
      return end();
    },
    check: () => checkTopics(admin, prefix, mapped),
  };
}

interface LogAnchorOptions {
  /** The end of MySQL's log. */
  readonly end: () => Promise<string>;
  /** Reads MySQL's log from there on, of it only capture's own row; undefined: this is no place in it. */
  readonly open: (position: string) => ChangeSource | undefined;
  readonly now: () => number;
  /** How long the write may take to come, ms. It was committed, and so was one after it. */
  readonly stallMs: number;
}

/**
 * Debezium goes on where it was if the server has the GTIDs, or the file, that it has seen. After RESET, or on a server that was
 * restored, other transactions have them again, and those up to there are passed over in silence. So capture looks into
 * MySQL's log itself, at its own row: once, before Debezium's topics are read. What happens to the log later shows in the
 * numbers of capture's writes, which are in that log too (source.ts).
 */
export function logAnchor({ end, open, now, stallMs }: LogAnchorOptions): LogAnchor {
  return {
    end,
    prove: async ({ position, proof }, signal) => {
      const source = open(position);
      if (source === undefined) throw new CaptureGap('position', 'an earlier version saved no place in the binary log');
      const begun = now();
      try {
        while (!signal.aborted) {
          const { echoes } = await source.next(1_000, signal);
          for (const echo of echoes.slice(0, 1)) return new LogProof(proof).see(echo);
          if (now() > begun + stallMs) throw new SourceStalled("Recency's own write does not come in the binary log");
        }
      } finally {
        await source.close();
      }
    },
  };
}
