import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import { ENDLESS } from '../index/allowance.ts';
import type { ContactIndex, Reading, WarmReading } from '../index/contact-index.ts';
import type { Steps } from '../index/protocol.ts';
import type { Database } from '../mysql/database.ts';
import { readProvenEpoch } from '../mysql/epoch.ts';

export interface IndexInspection {
  readonly user: Id;
  /** `small`: there is none, and none is kept, because the user has few contacts or none. */
  readonly state: Reading['state'] | 'small';
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
  /** As in {@link WarmReading}; undefined also: there is no intact index. */
  readonly allowance: WarmReading['allowance'];
}

interface InspectedStores {
  readonly index: Pick<ContactIndex, 'read'>;
  readonly database: Database;
  readonly steps: Pick<Steps, 'allowances'>;
  /** False: nobody is small, because nobody has an index (KEEP is 0). */
  readonly hasIndexes?: boolean;
}

/**
 * Reads one index as it is. Looking does not count as use.
 * @throws RedisUnavailable, DatabaseUnavailable
 */
export async function inspectIndex(stores: InspectedStores, user: Id): Promise<IndexInspection> {
  const { index, database, steps, hasIndexes = true } = stores;
  const [reading, epoch] = await Promise.all([index.read(user, 0, false), readProvenEpoch(database)]);
  if (reading.state !== 'warm') {
    const [allowance] =
      reading.state === 'cold' && hasIndexes ? await steps.allowances([user], { heavy: 'answer' }) : [ENDLESS];
    return {
      user,
      state: allowance === undefined ? 'small' : reading.state,
      epochCurrent: undefined,
      size: 0,
      complete: false,
      floor: undefined,
      members: [],
      lastUsed: undefined,
      allowance: undefined,
    };
  }
  const { size, floor, head: members, lastUsed, allowance } = reading;
  const epochCurrent = reading.epoch === epoch;
  return {
    user,
    state: 'warm',
    epochCurrent,
    size,
    complete: floor === undefined,
    floor,
    members,
    lastUsed,
    allowance,
  };
}
