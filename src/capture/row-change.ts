/** What every source of changes delivers, and what the mapping turns into tasks. */

/**
 * A value of a column. Ids and every BIGINT are decimal text, exact to 2^64 − 1; other whole numbers may be numbers where
 * these are exact. Texts are texts, and any other type is the source's text for it: the same value always has the same text.
 */
export type Value = string | number | null;

/** By column name, as the table declares it. A source may leave out columns that the mapping does not name. */
export type Row = Readonly<Record<string, Value>>;

/** One row that a committed transaction has changed. */
export interface RowChange {
  readonly schema: string;
  readonly table: string;
  readonly kind: 'insert' | 'update' | 'delete';
  /** The row as it was; undefined for an insert. */
  readonly before: Row | undefined;
  /** The row as it is now; undefined for a delete. */
  readonly after: Row | undefined;
}
