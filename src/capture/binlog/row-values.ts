import type { Row, Value } from '../row-change.ts';

/** What the reader of the log makes of a column's value. */
type Decoded = string | number | bigint | boolean | null | undefined | Date | Buffer | object;

/** Whole numbers are exact: the reader gives a text where a number is not. */
export function toValue(decoded: Decoded): Value {
  if (decoded === null || decoded === undefined) return null;
  if (typeof decoded === 'string' || typeof decoded === 'number') return decoded;
  if (Buffer.isBuffer(decoded)) return decoded.toString('latin1'); // a byte a character: the same bytes, the same text
  if (typeof decoded === 'object') return decoded instanceof Date ? decoded.toISOString() : JSON.stringify(decoded);
  return typeof decoded === 'boolean' ? Number(decoded) : String(decoded);
}

/** The mapped columns of a row; one that the row has not is missing. */
export function rowOf(decoded: Readonly<Record<string, Decoded>>, columns: Iterable<string>): Row {
  const row: Record<string, Value> = {};
  for (const column of columns) if (Object.hasOwn(decoded, column)) row[column] = toValue(decoded[column]);
  return row;
}
