import type { Id } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import { type Pair, type PairRows, readFollowers, readNeighbours, readPairs } from '../mysql/pairs.ts';
import type { ReadBy, TopContacts, TopContactsReader } from '../mysql/top-contacts.ts';
import { readOwnersAmong } from '../mysql/users.ts';

/** Followers of one owner wanted: those after the one named ('0': from the first). */
export interface FollowersWanted {
  readonly owner: Id;
  readonly after: Id | '0';
}

/** What the protocol asks MySQL's primary. Each answer is of one snapshot. */
export interface SystemOfRecord {
  /** The rows of these pairs (none where there is no row), and the epoch of the same snapshot. */
  pairs(pairs: readonly Pair[]): Promise<PairRows>;
  /**
   * The same of pairs that are most of one contact's pairs between the first and the last, by user id. Those that are not
   * related may be left out, and others' rows may come along.
   */
  neighbours(pairs: readonly Pair[]): Promise<PairRows>;
  /**
   * The best contacts of these users, one row more than an index holds, and the epoch of the same snapshot. It may be of
   * the first of the users only, when all are too many for one statement; of none: the first one alone takes too long.
   */
  topContacts(users: readonly Id[], by?: ReadBy): Promise<TopContacts>;
  /** Those of these users of whom there is any row at all, related or not. In no order. */
  owners(users: readonly Id[]): Promise<readonly Id[]>;
  /** The next page of the users who have a row with each owner, related or not, by id. In the order of the owners. */
  followers(wanted: readonly FollowersWanted[], limit: number): Promise<readonly (readonly Id[])[]>;
}

export function systemOfRecord(primary: Database, tops: TopContactsReader, max: number): SystemOfRecord {
  return {
    pairs: (pairs) => readPairs(primary, pairs),
    neighbours: (pairs) => readNeighbours(primary, pairs),
    topContacts: (users, by) => tops.read(users, max + 1, by),
    owners: (users) => readOwnersAmong(primary, users),
    followers: (wanted, limit) =>
      Promise.all(wanted.map(({ owner, after }) => readFollowers(primary, owner, after, limit))),
  };
}
