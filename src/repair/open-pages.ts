import { GREATEST_ID, type Id } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import { readLastOwner, readNextOwner } from '../mysql/users.ts';
import type { UserRange } from './owner-estimate.ts';
import { OwnerEstimate } from './owner-estimate.ts';
import type { Pace } from './pace.ts';
import { sampleUsers } from './sample.ts';
import { EverybodyPages, type IndexedUsers } from './stray-pages.ts';
import { NamedPages, OwnerPages, type UserPages } from './user-pages.ts';

export interface PagesWanted {
  readonly from?: Id | undefined;
  readonly to?: Id | undefined;
  readonly sample?: number | undefined;
  readonly rate?: number | undefined;
}

/** What earlier parts of the same run have done. */
export interface DoneBefore {
  readonly cursor: Id | '0';
  readonly users: number;
}

export interface PageStores {
  readonly primary: Database;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Users in a page at the most. */
  readonly pageSize: number;
  readonly pace: Pace;
  /** Given: those who have an index and own no relationship come as well, at the end, unless a sample is wanted. */
  readonly indexedUsers?: IndexedUsers | undefined;
}

/** @throws DatabaseUnavailable */
export async function openPages(
  { primary, random, pageSize, pace, indexedUsers }: PageStores,
  { from, to = GREATEST_ID, sample, rate }: PagesWanted,
  { cursor, users }: DoneBefore = { cursor: '0', users: 0 },
): Promise<UserPages> {
  // No more at once than may be done in a second.
  const atOnce = Math.max(1, Math.min(pageSize, Math.ceil(rate ?? pageSize)));
  if (sample !== undefined) {
    const chosen = await sampleUsers(primary, Math.max(0, sample - users), random);
    return new NamedPages(chosen, atOnce);
  }
  const after = from === undefined ? '0' : before(from);
  const estimate = new OwnerEstimate(primary, { before: after, to });
  const owners = new OwnerPages(primary, await rangeOfOwners(primary, after, to), atOnce, estimate, cursor);
  if (indexedUsers === undefined) return owners;
  return new EverybodyPages(owners, { primary, indexedUsers, pace }, { after, to }, atOnce);
}

/** No wider than the owners in it: nobody is looked for behind the last. */
async function rangeOfOwners(primary: Database, after: Id | '0', to: Id): Promise<UserRange> {
  const [first, last] = await Promise.all([readNextOwner(primary, { after, to }), readLastOwner(primary, to)]);
  return first === undefined || last === undefined ? { before: after, to: after } : { before: before(first), to: last };
}

function before(id: Id): Id | '0' {
  return String(BigInt(id) - 1n);
}
