import { byKeyDescending, isAbove, type Key } from '../contracts/key.ts';
import { isWanted, type Relation } from '../contracts/relation.ts';
import type { LiveContact } from '../mysql/live-contacts.ts';

/** What part of the order is asked for. */
export interface Page {
  readonly relation: Relation;
  /** Only keys below this one: the page's cursor. */
  readonly below: Key | undefined;
}

/**
 * The rows that are certainly in their right place: wanted, on the page, and above the horizon. Above the horizon every
 * contact was among the candidates, so nobody is missing between these rows.
 * @param live the candidates as MySQL has them now
 * @param horizon the highest key that was not looked at: the floor, or the first candidate left unread; undefined: none
 * @returns highest key first
 */
export function certainRows(live: readonly LiveContact[], page: Page, horizon: Key | undefined): LiveContact[] {
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
  page: Page & { readonly limit: number },
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
