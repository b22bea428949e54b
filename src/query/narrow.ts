import { byKeyDescending, isAbove, type Key } from '../contracts/key.ts';
import { isWanted, type Relation } from '../contracts/relation.ts';
import type { WarmReading } from '../index/contact-index.ts';
import type { LiveContact } from '../mysql/contacts.ts';

/** What part of the order is asked for. */
export interface Page {
  readonly relation: Relation;
  /** Only keys below this one: the page's cursor. */
  readonly below: Key | undefined;
}

/** A page of at most `limit` contacts. */
export interface PageWanted extends Page {
  readonly limit: number;
}

/** Beyond the limit, so that a candidate or two that fell do not cost a second query. */
const SPARE_CANDIDATES = 2;

/** Some of the contacts in an index, from the top. */
export interface Candidates {
  readonly keys: readonly Key[];
  /** The highest key that is not among them: the next candidate, or the floor; undefined: nobody is left out. */
  readonly horizon: Key | undefined;
  /** All that the index has. */
  readonly isAll: boolean;
}

/** The candidates to look at for a page: as many as it probably takes, and where they do not certify it all there are. */
export function* candidatesFor(
  { head, floor }: Pick<WarmReading, 'head' | 'floor'>,
  { limit, below }: Pick<PageWanted, 'limit' | 'below'>,
): Generator<Candidates, void, undefined> {
  const few = below === undefined ? limit + SPARE_CANDIDATES : head.length;
  if (few < head.length) yield { keys: head.slice(0, few), horizon: head[few], isAll: false };
  yield { keys: head, horizon: floor, isAll: true };
}

/**
 * The page, where the candidates certify it.
 * @param live the candidates as MySQL has them now
 * @returns undefined: somebody whom they do not tell of may belong on the page
 */
export function certifiedPage(
  live: readonly LiveContact[],
  horizon: Key | undefined,
  page: PageWanted,
): { contacts: LiveContact[]; more: boolean } | undefined {
  const certain = certainRows(live, page, horizon);
  const isComplete = horizon === undefined;
  if (certain.length < page.limit && !isComplete) return undefined;
  const more = certain.length > page.limit || (certain.length === page.limit && !isComplete);
  return { contacts: certain.slice(0, page.limit), more };
}

/**
 * The rows that are certainly in their right place: wanted, on the page, and above the horizon. Above the horizon every
 * contact was among the candidates, so nobody is missing between these rows.
 * @param live the candidates as MySQL has them now
 * @param horizon the highest key that was not looked at: the floor, or the first candidate left unread; undefined: none
 * @returns highest key first
 */
function certainRows(live: readonly LiveContact[], page: Page, horizon: Key | undefined): LiveContact[] {
  return live
    .filter((contact) => isAbove(contact, horizon) && isOnPage(contact, page) && isWanted(page.relation, contact))
    .sort(byKeyDescending);
}

/**
 * The page out of the user's top contacts, as the plain query would answer it in the same snapshot.
 * @param isAll nobody is below the last of them
 * @returns undefined: the page may go on below them, so that they do not tell
 */
export function pageOfTop(
  top: readonly LiveContact[],
  isAll: boolean,
  page: PageWanted,
): { contacts: LiveContact[]; more: boolean } | undefined {
  const wanted = certainRows(top, page, undefined);
  const more = wanted.length > page.limit;
  return more || isAll ? { contacts: wanted.slice(0, page.limit), more } : undefined;
}

function isOnPage(contact: Key, page: Page): boolean {
  return page.below === undefined || isAbove(page.below, contact);
}

/** How many of the candidates a rebuild would find again: those that are still above the floor. */
export function countAboveFloor(live: readonly LiveContact[], floor: Key | undefined): number {
  return live.filter((contact) => isAbove(contact, floor)).length;
}
