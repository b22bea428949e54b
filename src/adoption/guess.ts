/** What `recency init` says about a site, for the person who reads and edits the proposal. */
export interface Guess {
  /** The table, or the column as `table.column`. */
  readonly about: string;
  readonly guess: string;
  /** What it was concluded from. */
  readonly why: string;
  /** The rows that were seen: values with how many rows have each. */
  readonly found?: string;
  /** What that person must look at, because rows or names do not decide it. */
  readonly check?: string | undefined;
  /**
   * `open`: only that person can decide it. Where the answer would restrict what is shown, TODO stands in its place in the files,
   * which do not run before. `unused`: it looks as if it mattered, and nothing in the views reads it. Otherwise the files rely on it.
   */
  readonly is?: 'open' | 'unused';
}

/** Stands for what a person must decide. No column is called so: a statement with it fails. */
export const TODO = 'TODO';

/** Of what a foreign key does to rows, after a comma. */
export const UNSEEN = 'which fires no trigger and, before MySQL 9.6 and on MariaDB, leaves no row events';

/** Something to be checked by somebody who knows the site. */
interface OpenQuestion {
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
  readonly when?: Readonly<Record<string, readonly (string | null)[]>>;
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
  /** SQL: true when this rule has nothing against it; undefined: it only remarks on something. */
  readonly condition?: string;
  readonly guess: Guess;
  readonly mapped?: MappedTable;
  readonly alterations?: readonly Alteration[];
  /** The column that it reads of a table that is mapped already: of a rule with a join, of the people. */
  readonly reads?: string;
  /** It is that this column be NULL. */
  readonly isNull?: true;
}

/** The columns of a mapped table that these rules read. */
export function readsOf(rules: readonly Rule[]): string[] {
  return [...new Set(rules.flatMap(({ reads }) => (reads === undefined ? [] : [reads])))];
}

/** The conditions of these rules. */
export function conditionsOf(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ condition }) => condition ?? []);
}

/** A view, as the parts of its text. */
export interface ProposedView {
  readonly name: string;
  /** By the column of the view, in order: SQL, or the rules that must all hold. */
  readonly columns: readonly (readonly [name: string, sql: string | readonly Rule[]])[];
  readonly from: string;
  readonly joins: readonly string[];
  /** All must hold. */
  readonly where: readonly Rule[];
  /** What else was guessed about it. */
  readonly guesses: readonly Guess[];
}
