/**
 * A message of a Debezium topic → what it says. The layout is that of the MySQL and MariaDB connectors with Kafka Connect's
 * JsonConverter, with or without schemas
 * (https://debezium.io/documentation/reference/stable/connectors/mysql.html#mysql-events).
 */
import { UserError } from '../../contracts/user-error.ts';
import { CaptureGap, type Row, type RowChange, type Value } from '../change-source.ts';

/** A number as the text has it: beyond 2^53 JavaScript would round. */
class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const WHOLE = /^-?\d+$/;

/** JSON whose whole numbers that JavaScript cannot hold are {@link ExactNumber}s. @throws SyntaxError */
function parseExact(text: string): unknown {
  // The third argument is in the language since 2025, and in Node 24, but not in TypeScript's library.
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    return source !== undefined && WHOLE.test(source) ? new ExactNumber(source) : value;
  };
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

/** The mapped columns of a table, each with its type as information_schema has it: `bigint unsigned`. */
type ColumnTypes = ReadonlyMap<string, string>;

/** The mapped columns of a row; one that the row has not is missing. */
export function rowOf(fields: Readonly<Record<string, unknown>>, columns: ColumnTypes): Row {
  const row: Record<string, Value> = {};
  for (const [column, type] of columns) if (Object.hasOwn(fields, column)) row[column] = toValue(fields[column], type);
  return row;
}

const UNSIGNED_BIGINT = /^bigint\b.*\bunsigned\b/i;

function toValue(field: unknown, type: string): Value {
  if (field === null || field === undefined) return null;
  if (UNSIGNED_BIGINT.test(type)) return unsigned(field);
  if (field instanceof ExactNumber) return field.text;
  if (typeof field === 'number' || typeof field === 'string') return field;
  return typeof field === 'boolean' ? Number(field) : JSON.stringify(field);
}

/**
 * `bigint.unsigned.handling.mode` of the connector decides what an unsigned BIGINT is. `long`, the default: a number, and from
 * 2^63 on a negative one. `precise`: a decimal, whose bytes JsonConverter writes as base64, or with `decimal.format=NUMERIC` as
 * a number.
 */
function unsigned(field: unknown): Value {
  if (field instanceof ExactNumber || typeof field === 'number') {
    const text = field instanceof ExactNumber ? field.text : String(field);
    return /^-?\d+$/.test(text) ? BigInt.asUintN(64, BigInt(text)).toString() : text;
  }
  return typeof field === 'string' ? bigEndian(Buffer.from(field, 'base64')).toString() : JSON.stringify(field);
}

/** A signed whole number of any length, as Java's BigInteger writes it. */
function bigEndian(bytes: Buffer): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
}

/** The connector writes something that no mapping can go by: nothing is lost, but an operator must change its settings. */
export class ConnectorMistake extends UserError {
  override readonly name = 'ConnectorMistake';

  override get kind() {
    return 'wrong_use' as const;
  }
}

type DebeziumEvent =
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
