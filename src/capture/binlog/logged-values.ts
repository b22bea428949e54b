/**
 * Values of columns in row events: how long each is, and what those are that a mapping reads. The layout is that of
 * MySQL's `Field::pack`; a length is known for every type here, so that columns that nobody reads are skipped undecoded.
 */
import { namedValues, type TableColumn } from '../base-tables.ts';
import type { Value } from '../change-source.ts';
import type { EventByteReader } from './byte-reader.ts';

/** Types in a table's map (MySQL: enum_field_types). */
export const LOGGED = {
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  null: 6,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  newdate: 14,
  varchar: 15,
  bit: 16,
  timestamp2: 17,
  datetime2: 18,
  time2: 19,
  blobCompressed: 140,
  varcharCompressed: 141,
  vector: 242,
  json: 245,
  newdecimal: 246,
  enum: 247,
  set: 248,
  tinyBlob: 249,
  mediumBlob: 250,
  longBlob: 251,
  blob: 252,
  varString: 253,
  string: 254,
  geometry: 255,
} as const;

/** A column as the log describes it. */
export interface LoggedColumn {
  readonly type: number;
  /** What the type needs: a length, or how many bytes the length takes; of decimals, whole and fractional digits. */
  readonly size: number;
  readonly scale: number;
}

/** Reads one column's part of a table's map. @throws RangeError for a type that is not known */
export function readLoggedColumn(type: number, metadata: EventByteReader): LoggedColumn {
  switch (type) {
    case LOGGED.float:
    case LOGGED.double:
    case LOGGED.blob:
    case LOGGED.blobCompressed:
    case LOGGED.json:
    case LOGGED.geometry:
    case LOGGED.vector:
    case LOGGED.timestamp2:
    case LOGGED.datetime2:
    case LOGGED.time2:
      return { type, size: metadata.uint(1), scale: 0 };
    case LOGGED.varchar:
    case LOGGED.varcharCompressed:
      return { type, size: metadata.uint(2), scale: 0 };
    case LOGGED.newdecimal:
      return { type, size: metadata.uint(1), scale: metadata.uint(1) };
    case LOGGED.bit: {
      const bits = metadata.uint(1);
      return { type, size: metadata.uint(1) * 8 + bits, scale: 0 };
    }
    case LOGGED.string:
    case LOGGED.varString:
    case LOGGED.enum:
    case LOGGED.set:
      return stringColumn(metadata.uint(1), metadata.uint(1));
    case LOGGED.tiny:
    case LOGGED.short:
    case LOGGED.long:
    case LOGGED.null:
    case LOGGED.timestamp:
    case LOGGED.longlong:
    case LOGGED.int24:
    case LOGGED.date:
    case LOGGED.time:
    case LOGGED.datetime:
    case LOGGED.year:
    case LOGGED.newdate:
      return { type, size: 0, scale: 0 };
    default:
      throw new RangeError(`the type ${type} of a column is not known`);
  }
}

/** A CHAR, or an ENUM or SET under its name. From 256 bytes on, two bits of the length are in the type, inverted. */
function stringColumn(type: number, length: number): LoggedColumn {
  if ((type & 0x30) === 0x30) return { type, size: length, scale: 0 };
  return { type: type | 0x30, size: length | (((type & 0x30) ^ 0x30) << 4), scale: 0 };
}

const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  [LOGGED.tiny, 1],
  [LOGGED.short, 2],
  [LOGGED.int24, 3],
  [LOGGED.long, 4],
  [LOGGED.longlong, 8],
  [LOGGED.null, 0],
  [LOGGED.timestamp, 4],
  [LOGGED.date, 3],
  [LOGGED.newdate, 3],
  [LOGGED.time, 3],
  [LOGGED.datetime, 8],
  [LOGGED.year, 1],
]);

const FRACTION_BYTES = (digits: number): number => Math.ceil(digits / 2);

/** Bytes of decimal digits, nine in four bytes. */
const DIGIT_BYTES = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4] as const;
const digitBytes = (digits: number): number => Math.floor(digits / 9) * 4 + (DIGIT_BYTES[digits % 9] ?? 0);

/** The bytes of a value that is not NULL, without its length. */
export function valueBytes({ type, size, scale }: LoggedColumn, row: EventByteReader): Buffer {
  const fixed = FIXED_BYTES.get(type);
  if (fixed !== undefined) return row.bytes(fixed);
  switch (type) {
    case LOGGED.float:
    case LOGGED.double:
    case LOGGED.enum:
    case LOGGED.set:
      return row.bytes(size);
    case LOGGED.timestamp2:
      return row.bytes(4 + FRACTION_BYTES(size));
    case LOGGED.datetime2:
      return row.bytes(5 + FRACTION_BYTES(size));
    case LOGGED.time2:
      return row.bytes(3 + FRACTION_BYTES(size));
    case LOGGED.bit:
      return row.bytes((size + 7) >> 3);
    case LOGGED.newdecimal:
      return row.bytes(digitBytes(size - scale) + digitBytes(scale));
    case LOGGED.varchar:
    case LOGGED.varcharCompressed:
    case LOGGED.varString:
    case LOGGED.string:
      return row.bytes(row.uint(size > 255 ? 2 : 1));
    case LOGGED.blob:
    case LOGGED.blobCompressed:
    case LOGGED.tinyBlob:
    case LOGGED.mediumBlob:
    case LOGGED.longBlob:
    case LOGGED.json:
    case LOGGED.geometry:
    case LOGGED.vector:
      return row.bytes(row.uint(size));
    default:
      throw new RangeError(`the type ${type} of a column is not known`);
  }
}

type Decoder = (bytes: Buffer) => Value;

/** A byte a character: the same bytes, the same text. */
const raw: Decoder = (bytes) => bytes.toString('latin1');

/** What the bytes of a column's values are. @param column what information_schema says of it */
export function decoderOf({ type, size, scale }: LoggedColumn, column: TableColumn): Decoder {
  switch (type) {
    case LOGGED.tiny:
    case LOGGED.short:
    case LOGGED.int24:
    case LOGGED.long:
      return /\bunsigned\b/i.test(column.fullType)
        ? (bytes) => bytes.readUIntLE(0, bytes.length)
        : (bytes) => bytes.readIntLE(0, bytes.length);
    case LOGGED.longlong:
      return /\bunsigned\b/i.test(column.fullType)
        ? (bytes) => String(bytes.readBigUInt64LE())
        : (bytes) => String(bytes.readBigInt64LE());
    case LOGGED.year:
      return ([year = 0]) => (year === 0 ? 0 : 1900 + year);
    case LOGGED.bit:
      return (bytes) => String(BigInt(`0x${bytes.toString('hex')}`));
    case LOGGED.newdecimal:
      return (bytes) => decimalText(bytes, size, scale);
    case LOGGED.enum: {
      const names = namedValues(column);
      return (bytes) => names[bytes.readUIntLE(0, bytes.length) - 1] ?? '';
    }
    case LOGGED.set: {
      const names = namedValues(column);
      const hasBit = (bytes: Buffer, i: number) => ((bytes[i >> 3] ?? 0) >> (i & 7)) & 1;
      return (bytes) => names.filter((_, i) => hasBit(bytes, i)).join(',');
    }
    case LOGGED.varchar:
    case LOGGED.varString:
    case LOGGED.string:
    case LOGGED.blob:
      return textDecoderOf(column);
    default:
      return raw;
  }
}

function textDecoderOf({ type, charset, bytes: most }: TableColumn): Decoder {
  if (type === 'binary') return (bytes) => Buffer.concat([bytes], most); // the log leaves out zeros at the end
  if (/^(?:varbinary|(?:tiny|medium|long)?blob)$/.test(type)) return (bytes) => Buffer.from(bytes);
  if (charset === 'utf8mb4' || charset === 'utf8mb3' || charset === 'utf8' || charset === 'ascii')
    return (bytes) => bytes.toString('utf8');
  if (charset !== 'latin1') return raw;
  const decoder = new TextDecoder('windows-1252'); // which is what MySQL calls latin1
  return (bytes) => decoder.decode(bytes);
}

/** Nine digits in four bytes, the digits that are left before and after them in fewer; negative ones inverted. */
function decimalText(stored: Buffer, precision: number, scale: number): string {
  const bytes = Buffer.from(stored);
  const isPositive = ((bytes[0] ?? 0) & 0x80) !== 0;
  bytes[0] = (bytes[0] ?? 0) ^ 0x80;
  if (!isPositive) for (let i = 0; i < bytes.length; i++) bytes[i] = ~(bytes[i] ?? 0) & 0xff;
  let at = 0;
  const digits = (count: number): string => {
    const length = DIGIT_BYTES[count] ?? 0;
    const text = length === 0 ? '' : String(bytes.readUIntBE(at, length)).padStart(count, '0');
    at += length;
    return text;
  };
  const whole = precision - scale;
  let text = digits(whole % 9);
  for (let i = 0; i < Math.floor(whole / 9); i++) text += digits(9);
  let fraction = '';
  for (let i = 0; i < Math.floor(scale / 9); i++) fraction += digits(9);
  fraction += digits(scale % 9);
  const number = text.replace(/^0+(?=\d)/, '') || '0';
  return `${isPositive ? '' : '-'}${number}${fraction === '' ? '' : `.${fraction}`}`;
}
