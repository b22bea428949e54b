/** Rows of statements, read by the names of their columns. */

/** A value of a row. A BIGINT is a number when that is exact, otherwise decimal text. */
export type ColumnValue = string | number | null;

/** The values of a row in the order in which the statement selects them. */
export type ResultRow = readonly ColumnValue[];

/** What a statement selects, in order: the name by which a column is read, and the SQL for it. */
export type Columns<Name extends string = string> = Readonly<Record<Name, string>>;

/** The same, with others that only some views have. */
export type OpenColumns<Name extends string> = Columns & Columns<Name>;

/** SQL: the list of a SELECT. */
export function selectList(columns: Columns): string {
  return Object.values(columns).join(', ');
}

/** Where a row has each column. */
export type Places<Name extends string> = Readonly<Record<Name, number>>;

/** The same of {@link OpenColumns}: undefined where the view has no such column. */
export type OpenPlaces<Name extends string> = Places<string> & Places<Name>;

/** Worked out once for each statement: a look-up by name costs a row nothing more. */
export function placesOf<C extends Columns>(columns: C): { readonly [name in keyof C]: number } {
  const places = Object.keys(columns).map((name, place) => [name, place]);
  return Object.fromEntries(places) as { readonly [name in keyof C]: number };
}
