/**
 * A message of a Debezium topic → what it says. The layout is that of the MySQL and MariaDB connectors with Kafka Connect's
 * JsonConverter, with or without schemas
 * (https://debezium.io/documentation/reference/stable/connectors/mysql.html#mysql-events).
 */
import { UserError } from '../../contracts/user-error.ts';
import { CaptureGap } from '../change-source.ts';
import type { RowChange } from '../row-change.ts';
import { parseExact } from './exact-json.ts';
import { type ColumnTypes, rowOf } from './values.ts';

/** The connector writes something that no mapping can go by: nothing is lost, but an operator must change its settings. */
export class ConnectorMistake extends UserError {
  override readonly name = 'ConnectorMistake';

  override get kind() {
    return 'wrong_use' as const;
  }
}

export type DebeziumEvent =
  | { readonly is: 'change'; readonly change: RowChange; readonly at: number }
  | { readonly is: 'statement'; readonly schema: string; readonly text: string }
  | { readonly is: 'nothing' };

export interface MessageContext {
  readonly topic: string;
  /** The columns of a mapped table with their types; undefined: the table is not mapped. */
  readonly columnsOf: (schema: string, table: string) => ColumnTypes | undefined;
}

interface Envelope {
  readonly op?: unknown;
  readonly before?: Fields | null;
  readonly after?: Fields | null;
  readonly source?: { readonly db?: unknown; readonly table?: unknown; readonly ts_ms?: unknown };
  readonly ddl?: unknown;
  readonly databaseName?: unknown;
  readonly status?: unknown;
  readonly ts_ms?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const NOTHING: DebeziumEvent = { is: 'nothing' };

/** A row of a snapshot (`r`) is a hint too many at worst. */
const KINDS = { c: 'insert', r: 'insert', u: 'update', d: 'delete' } as const;

/**
 * @param value null: a tombstone
 * @throws ConnectorMistake; CaptureGap when a change cannot be read, or changed rows without saying which
 */
export function readMessage(value: Buffer | null, context: MessageContext): DebeziumEvent {
  if (value === null) return NOTHING; // a tombstone, after the delete itself
  const envelope = envelopeOf(value, context.topic);
  if (envelope === null) return NOTHING;
  const { op, source, ddl } = envelope;
  if (typeof ddl === 'string') {
    return { is: 'statement', schema: String(envelope.databaseName ?? source?.db ?? ''), text: ddl };
  }
  if (op === undefined) {
    if (isHeartbeat(envelope) || typeof envelope.status === 'string') return NOTHING; // or where a transaction begins and ends
    throw new ConnectorMistake(
      `a message of the topic ${context.topic} is no change event of Debezium. Take transforms that unwrap events (ExtractNewRecordState) out of the connector.`,
    );
  }
  if (op === 'm') return NOTHING;
  const [schema, table] = [String(source?.db ?? ''), String(source?.table ?? '')];
  if (op === 't') return { is: 'statement', schema, text: `TRUNCATE TABLE \`${table.replaceAll('`', '``')}\`` };
  const kind = KINDS[op as keyof typeof KINDS];
  if (kind === undefined) throw new ConnectorMistake(`a message of ${context.topic} has the unknown operation ${op}`);
  const columns = context.columnsOf(schema, table);
  if (columns === undefined) return NOTHING;
  return { is: 'change', change: changeOf(kind, { schema, table }, envelope, columns), at: Number(source?.ts_ms) || 0 };
}

function changeOf(
  kind: RowChange['kind'],
  { schema, table }: { readonly schema: string; readonly table: string },
  { before, after }: Envelope,
  columns: ColumnTypes,
): RowChange {
  const image = (fields: Fields | null | undefined) => {
    if (typeof fields === 'object' && fields !== null) return rowOf(fields, columns);
    const text = `a change of ${schema}.${table} came without the row ${fields === before ? 'before' : 'after'} it`;
    throw new CaptureGap('unreadable', `${text}: binlog_row_image is not FULL, or the connector leaves it out`);
  };
  return {
    schema,
    table,
    kind,
    before: kind === 'insert' ? undefined : image(before),
    after: kind === 'delete' ? undefined : image(after),
  };
}

/** `{ schema, payload }`, or the payload alone. Null: a tombstone with a schema. */
function envelopeOf(value: Buffer, topic: string): Envelope | null {
  let parsed: unknown;
  try {
    parsed = parseExact(value.toString('utf8'));
  } catch (error) {
    const message = `a message of the topic ${topic} is not JSON. Set value.converter=org.apache.kafka.connect.json.JsonConverter.`;
    throw new ConnectorMistake(message, { cause: error });
  }
  if (parsed === null) return null;
  if (typeof parsed !== 'object') return {};
  const isWrapped = 'payload' in parsed && 'schema' in parsed && Object.keys(parsed).length === 2;
  return (isWrapped ? (parsed as { payload: unknown }).payload : parsed) as Envelope | null;
}

function isHeartbeat(envelope: Envelope): boolean {
  return Object.keys(envelope).every((key) => key === 'ts_ms') && envelope.ts_ms !== undefined;
}
