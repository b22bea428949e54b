import type { Row, Value } from '../row-change.ts';
import { ExactNumber } from './exact-json.ts';

/** The mapped columns of a table, each with its type as information_schema has it: `bigint unsigned`. */
export type ColumnTypes = ReadonlyMap<string, string>;

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
