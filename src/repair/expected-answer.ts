import type { Id } from '../contracts/id.ts';
import type { Relation } from '../contracts/relation.ts';
import type { RawContact } from '../mysql/contacts.ts';

/**
 * What an answer must be, worked out from all of a user's rows by rules written a second time: neither the SQL of the
 * plain query nor the rules of the narrowed one are used, so a fault in either shows.
 */

/** Beyond this a last upload counts as this much: the greatest whole number that Redis holds exactly. */
const GREATEST = 2n ** 53n - 1n;

/** One line of an answer: contact, last upload, friend, family. Equal lines are equal texts. */
export type Line = string;

export interface ExpectedAnswer {
  readonly lines: readonly Line[];
  /** There are more below the last of them. */
  readonly more: boolean;
}

interface Ordered extends RawContact {
  readonly at: bigint;
}

/** All who can be in an answer at all, in the order of answers. */
export function inOrder(rows: readonly RawContact[]): Ordered[] {
  return (
    rows
      .filter((row) => row.related && row.lastUploadAt !== null && row.lastUploadAt > 0n)
      .map((row) => ({ ...row, at: uploadOf(row) }))
      // Ids are digits, so that texts compare as their bytes do.
      .sort((a, b) => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1))
  );
}

/**
 * @param ordered from `inOrder`
 * @param wanted page 0: the first `limit` contacts; 1: the next `limit`; …
 */
export function expectedAnswer(
  ordered: readonly Ordered[],
  { relation, limit, page }: { readonly relation: Relation; readonly limit: number; readonly page: number },
): ExpectedAnswer {
  const wanted = ordered.filter((contact) => isOf(relation, contact));
  const from = limit * page;
  return { lines: wanted.slice(from, from + limit).map(lineOf), more: wanted.length > from + limit };
}

export function lineOf(contact: { id: string; at: bigint | number; isFriend: boolean; isFamily: boolean }): Line {
  return `${contact.id} ${contact.at} ${contact.isFriend ? 'friend' : '-'} ${contact.isFamily ? 'family' : '-'}`;
}

/** Whom a line is about. */
export function contactOf(line: Line): Id {
  return line.slice(0, line.indexOf(' '));
}

function uploadOf({ lastUploadAt }: RawContact): bigint {
  const at = lastUploadAt ?? 0n;
  return at > GREATEST ? GREATEST : at;
}

function isOf(relation: Relation, { isFriend, isFamily }: RawContact): boolean {
  const by = { any: true, friends: isFriend, family: isFamily, friends_or_family: isFriend || isFamily };
  return by[relation];
}
