/** One thing that was guessed about a site, for the person who reads the proposal. */
export interface Guess {
  /** The table, or the column as `table.column`. */
  readonly about: string;
  readonly guess: string;
  /** What it was concluded from. */
  readonly why: string;
  /** What that person must look at, because rows or names do not decide it. */
  readonly check?: string | undefined;
}

/** Something to be checked by somebody who knows the site. */
export interface OpenQuestion {
  readonly check: string;
  /** The guesses that depend on the answer, at least one. */
  readonly of: readonly Guess[];
}

/** Each question once, in the order in which it is asked first. */
export function checksOf(guesses: readonly Guess[]): OpenQuestion[] {
  const asked = Map.groupBy(guesses, ({ check }) => check);
  return [...asked].flatMap(([check, of]) => (check === undefined ? [] : [{ check, of }]));
}

/** The tables and columns that a question concerns, each once. */
export function aboutOf({ of }: OpenQuestion): string {
  return [...new Set(of.map(({ about }) => about))].join(', ');
}

/** A table for the capture mapping: which of its columns name whom a change of a row concerns. */
export interface MappedTable {
  readonly table: string;
  readonly hint: 'contact' | 'photo' | 'user';
  readonly user?: string;
  readonly contact?: string;
  readonly owner?: string;
  readonly when?: Readonly<Record<string, readonly string[]>>;
  /** The columns that the views read; empty: every column counts. */
  readonly columns: readonly string[];
  readonly why: string;
}

/** A column or key that the views need, and that the site's table lacks. */
export interface Alteration {
  readonly table: string;
  /** As in ALTER TABLE … ADD. */
  readonly add: string;
  readonly why: string;
}

/** One of the site's rules about whom a user has as a contact, or which rows are photos. */
export interface Rule {
  /** LEFT JOIN … ON …, when another table decides. It finds one row at most. */
  readonly join?: string;
  /** SQL: true when this rule has nothing against it. */
  readonly condition: string;
  readonly guess: Guess;
  readonly mapped?: MappedTable;
  readonly alterations?: readonly Alteration[];
  /** The column that it reads of a table that is mapped already: of a rule with a join, of the people. */
  readonly reads?: string;
}

/** The columns of a mapped table that these rules read. */
export function readsOf(rules: readonly Rule[]): string[] {
  return [...new Set(rules.flatMap(({ reads }) => (reads === undefined ? [] : [reads])))];
}

/** A view, as the parts of its text. */
export interface ProposedView {
  readonly name: string;
  /** By the column of the view, in order: SQL. */
  readonly columns: readonly (readonly [name: string, sql: string])[];
  readonly from: string;
  readonly joins: readonly string[];
  /** All must hold. */
  readonly where: readonly string[];
}
