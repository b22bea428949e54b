/**
 * Whether an index of a user pays, and for how long: rent or buy. An index costs some work at each change that is applied to it,
 * and saves a plain query at each read. Nobody knows the reads to come. So it may take as many changes without a read as cost as
 * much as the plain query that would build it again; the change after those drops it instead. Whatever the reads turn out to be,
 * that costs at most about twice as much as the best choice in hindsight (ski rental; for feeds: Silberstein and others, "Feeding
 * Frenzy", SIGMOD 2010).
 */

/** As configured. */
export interface KeepRules {
  /** A user with at most this many rows in the view gets no index: reading all of them takes no longer than an index does. */
  readonly indexAbove: number;
  /** The factor of every allowance. 0: there are no indexes. */
  readonly keep: number;
}

/** Changes that an index takes without a read. */
export type Allowance = number;

/** The allowance of an index that no change drops. */
export const ENDLESS: Allowance = 0xffff;

/** Every index pays, for good. */
export const KEEP_ALL: KeepRules = { indexAbove: 0, keep: Number.POSITIVE_INFINITY };

// Measured: a plain query with a count takes 240 µs and 2 µs a row, a change 15 µs (`npm run bench -- pays`).
const CHANGES_A_QUERY = 16;
const CHANGES_A_ROW = 1 / 8;

/**
 * The allowance of a new index.
 * @param rows the user's rows in the view, related or not: what the plain query reads
 * @returns undefined: the user gets no index
 */
export function allowanceOf(rows: number, { indexAbove, keep }: KeepRules): Allowance | undefined {
  if (rows <= indexAbove || keep <= 0) return undefined;
  return scaled(CHANGES_A_QUERY + rows * CHANGES_A_ROW, keep);
}

/** @returns every allowance is endless: no index is dropped because nobody reads it */
export function areEndless({ keep }: Pick<KeepRules, 'keep'>): boolean {
  return leastAllowance({ keep }) === ENDLESS;
}

/** So that nobody's rows need be counted. @returns every allowance is endless, and a single row is enough for an index */
export function areAllKept({ indexAbove, keep }: KeepRules): boolean {
  return indexAbove === 0 && areEndless({ keep });
}

/** The allowance of an index that does not say its own: it was written by 0.1.0. */
export function leastAllowance({ keep }: Pick<KeepRules, 'keep'>): Allowance {
  return keep <= 0 ? 0 : scaled(CHANGES_A_QUERY, keep);
}

function scaled(changes: number, keep: number): Allowance {
  return Math.min(ENDLESS, Math.ceil(changes * keep));
}
