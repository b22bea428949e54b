import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import type { ContactIndex, Reading } from '../index/contact-index.ts';
import type { Database } from '../mysql/database.ts';
import { readPairs } from '../mysql/pairs.ts';

export interface IndexInspection {
  readonly user: Id;
  readonly state: Reading['state'];
  /** Another epoch than the one in force counts as cold; undefined: there is no whole index. */
  readonly epochCurrent: boolean | undefined;
  readonly size: number;
  /** Nobody was ever left out. */
  readonly complete: boolean;
  /** The highest key ever left out. */
  readonly floor: Key | undefined;
  /** Highest key first, as Redis has them: what MySQL says of them now may be something else. */
  readonly members: readonly Key[];
  /** The day of its last use, days since 1970 UTC; undefined: there is no whole index. */
  readonly lastUsed: number | undefined;
}

export interface InspectedStores {
  readonly index: Pick<ContactIndex, 'read'>;
  readonly database: Database;
}

/**
 * One index as it is, without using it: it counts as no use to look at it.
 * @throws RedisUnavailable, DatabaseUnavailable
 */
export async function inspectIndex({ index, database }: InspectedStores, user: Id): Promise<IndexInspection> {
  const [reading, { epoch }] = await Promise.all([
    index.read(user, 0, false),
    readPairs(database, []), // of no pair: the epoch alone
  ]);
  if (reading.state !== 'warm') {
    const nothing = { size: 0, complete: false, floor: undefined, members: [], lastUsed: undefined };
    return { user, state: reading.state, epochCurrent: undefined, ...nothing };
  }
  const { size, floor, head, lastUsed } = reading;
  const epochCurrent = reading.epoch === epoch;
  return { user, state: 'warm', epochCurrent, size, complete: floor === undefined, floor, members: head, lastUsed };
}
