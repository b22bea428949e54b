import type { Id } from './id.ts';

/**
 * The key of a contact in an index: the total order that MySQL, Redis and this code agree on. A later upload is higher;
 * for equal uploads the greater id as binary text, because Redis orders equal scores by the bytes of the member.
 */
export interface Key {
  readonly id: Id;
  /** The last upload, ms since 1970 UTC, > 0. */
  readonly at: number;
}

/** For sorting, highest key first. Ids are ASCII digits, so comparing UTF-16 units is comparing bytes. */
export function byKeyDescending(a: Key, b: Key): number {
  return b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/** Is `a` above `b`? Undefined is the floor of a complete index, and every key is above it. */
export function isAbove(a: Key, b: Key | undefined): boolean {
  return b === undefined || byKeyDescending(a, b) < 0;
}
