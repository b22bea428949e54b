import { byKeyDescending, isAbove, type Key } from '../contracts/key.ts';
import { isWanted, type Relation } from '../contracts/relation.ts';
import type { WarmReading } from '../index/contact-index.ts';
import type { ShownContact } from '../mysql/statements/contacts.ts';

/** The page that a request asks for: at most `limit` contacts. */
export interface PageWanted {
  readonly relation: Relation;
  /** The page's cursor: only keys below this one. */
  readonly below: Key | undefined;
  /** Only last uploads at this time or later, ms since 1970 UTC; undefined: any. */
  readonly since?: number | undefined;
  /** Only what is new to the user. */
  readonly unseen?: boolean | undefined;
  readonly limit: number;
  /** So many contacts will do where the candidates certify no more; undefined: `limit`. */
  readonly atLeast?: number | undefined;
}

/** A page of contacts, highest key first. */
export interface ContactPage {
  readonly contacts: readonly ShownContact[];
  /** There may be more below the last of them. */
  readonly more: boolean;
}

/** Candidates beyond the limit, so that one or two that dropped out do not cost a second query. */
export const SPARE_CANDIDATES = 2;

/** The topmost entries of an index. */
export interface Candidates {
  readonly keys: readonly Key[];
  /** The highest key that is not among them: the next entry, or the floor; undefined: they are all the user's contacts. */
  readonly horizon: Key | undefined;
  /** They are all entries of the index. */
  readonly isAll: boolean;
}

/** Yields the candidates to query for a page: first as many as it probably takes; if these cannot certify it, all entries. */
export function* candidatesFor(
  { head, floor }: Pick<WarmReading, 'head' | 'floor'>,
  { limit, below }: Pick<PageWanted, 'limit' | 'below'>,
): Generator<Candidates, void, undefined> {
  const few = below === undefined ? limit + SPARE_CANDIDATES : head.length;
  if (few < head.length) yield { keys: head.slice(0, few), horizon: head[few], isAll: false };
  yield { keys: head, horizon: floor, isAll: true };
}

/**
 * The page, if the candidates certify it.
 * @param live the candidates as MySQL has them now
 * @param seenAll what the user has seen of all contacts
 * @returns undefined: a contact outside the candidates may belong on the page
 */
export function certifiedPage(
  live: readonly ShownContact[],
  horizon: Key | undefined,
  page: PageWanted,
  seenAll?: Key,
): ContactPage | undefined {
  const certain = certainRows(live, page, horizon);
  const isWhole = horizon === undefined || endsAbove(page, horizon, seenAll);
  if (certain.length < (page.atLeast ?? page.limit) && !isWhole) return undefined;
  return { contacts: certain.slice(0, page.limit), more: certain.length > page.limit || !isWhole };
}

/**
 * The rows that are certainly in their right place: wanted, on the page, and above the horizon. Every contact above the
 * horizon was a candidate, so none is missing between these rows.
 * @param live the candidates as MySQL has them now
 * @param horizon the highest key that was not queried; undefined: there is none
 * @returns highest key first
 */
function certainRows(live: readonly ShownContact[], page: PageWanted, horizon: Key | undefined): ShownContact[] {
  return live
    .filter((contact) => isAbove(contact, horizon) && isOnPage(contact, page) && isWanted(page.relation, contact))
    .filter(({ unseen }) => unseen || page.unseen !== true)
    .sort(byKeyDescending);
}

/**
 * The page taken from the user's top contacts, as the plain query would answer it in the same snapshot.
 * @param isAll `top` holds all of the user's contacts
 * @returns undefined: contacts below `top` may belong on the page
 */
export function pageOfTop(top: readonly ShownContact[], isAll: boolean, page: PageWanted): ContactPage | undefined {
  const wanted = certainRows(top, page, undefined);
  const more = wanted.length > page.limit;
  const lowest = top.at(-1);
  const isWhole = isAll || (lowest !== undefined && endsAbove(page, lowest));
  return more || isWhole ? { contacts: wanted.slice(0, page.limit), more } : undefined;
}

function isOnPage(contact: Key, { below, since = 0 }: PageWanted): boolean {
  return contact.at >= since && (below === undefined || isAbove(below, contact));
}

/**
 * Is everything that the pages may hold above this key? Equal times are not enough for `since`: the id decides which of
 * them is higher. Nothing at or below the cursor for all is unseen.
 */
function endsAbove(
  { since = 0, unseen = false }: Pick<PageWanted, 'since' | 'unseen'>,
  key: Key,
  seenAll?: Key,
): boolean {
  return key.at < since || (unseen && seenAll !== undefined && !isAbove(key, seenAll));
}

/** The number of candidates that a rebuild would keep: those still above the floor. */
export function countAboveFloor(live: readonly ShownContact[], floor: Key | undefined): number {
  return live.filter((contact) => isAbove(contact, floor)).length;
}

/** No index with these entries can answer, whatever MySQL says of them: the narrowed query would be wasted. */
export function isBeyondIndex(page: PageWanted, { head, floor }: Pick<WarmReading, 'head' | 'floor'>): boolean {
  // What is unseen may all be above the floor, however few entries there are: the cursor for all comes with their rows.
  if (floor === undefined || page.unseen === true || endsAbove(page, floor)) return false;
  const { limit, atLeast = limit, below } = page;
  return head.length < atLeast || (below !== undefined && !isAbove(below, floor));
}
