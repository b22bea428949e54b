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

function isOnPage(contact: Key, page: Page): boolean {
  return page.below === undefined || isAbove(page.below, contact);
}

/** How many of the candidates a rebuild would find again: those that are still above the floor. */
export function countAboveFloor(live: readonly LiveContact[], floor: Key | undefined): number {
  return live.filter((contact) => isAbove(contact, floor)).length;
}
