import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import type { ContactIndex, Reading } from '../index/contact-index.ts';
import type { Database } from '../mysql/database.ts';
import { readPairs } from '../mysql/pairs.ts';

export interface IndexInspection {
  readonly user: Id;
  readonly state: Reading['state'];
  /** false: the index is from another epoch, and counts as cold; undefined: there is no intact index. */
  readonly epochCurrent: boolean | undefined;
  readonly size: number;
  /** No contact was ever left out. */
  readonly complete: boolean;
  /** The highest key ever left out. */
  readonly floor: Key | undefined;
  /** As Redis has them, highest key first; MySQL may say something else by now. */
  readonly members: readonly Key[];
  /** The day of its last use, days since 1970 UTC; undefined: there is no intact index. */
  readonly lastUsed: number | undefined;
}

export interface InspectedStores {
  readonly index: Pick<ContactIndex, 'read'>;
  readonly database: Database;
}

/**
 * Reads one index as it is. Looking does not count as use.
 * @throws RedisUnavailable, DatabaseUnavailable
 */
export async function inspectIndex({ index, database }: InspectedStores, user: Id): Promise<IndexInspection> {
  const [reading, { epoch }] = await Promise.all([
    index.read(user, 0, false),
    readPairs(database, []), // no pairs: only the epoch
  ]);
  if (reading.state !== 'warm') {
    return {
      user,
      state: reading.state,
      epochCurrent: undefined,
      size: 0,
      complete: false,
      floor: undefined,
      members: [],
      lastUsed: undefined,
    };
  }
  const { size, floor, head, lastUsed } = reading;
  const epochCurrent = reading.epoch === epoch;
  return { user, state: 'warm', epochCurrent, size, complete: floor === undefined, floor, members: head, lastUsed };
}
