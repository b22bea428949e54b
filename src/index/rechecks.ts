import type { Database } from '../mysql/database.ts';
import { claimRechecks, deleteRechecks, insertRechecks, type RecheckRow, readRechecksOf } from '../mysql/rechecks.ts';
import { suspectsOf } from './deferred-work.ts';
import { keyOf, type PendingWork, type PutOffWork, type Suspect, type SuspectKey } from './drain-barrier.ts';
import type { VersionedPair } from './protocol.ts';

/** With the pauses growing to 30 s, some four minutes: no transaction that is still to commit takes longer. */
export const RECHECKS = 14;

/** Later for each attempt, so that a slow transaction is waited for: 0.25 s, 0.5 s, … at most 30 s. */
function delayOf(attempt: number): number {
  return Math.min(250 * 2 ** (attempt - 1), 30_000);
}

/**
 * Pairs to be looked at again, in MySQL. A task that came before its commit is acknowledged once its re-check is kept,
 * and nobody else knows that a change is still to come. A Redis that is lost would take such knowledge along, and the
 * rebuild of the new epoch may still read MySQL before that commit.
 *
 * They are not dropped with a user's index either: the user may be built again, before the commit. For a user without
 * an index they do nothing.
 */
export class Rechecks implements PutOffWork {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param attempt which look it will be, from 1 @throws DatabaseUnavailable */
  async put(pairs: readonly VersionedPair[], attempt: number): Promise<void> {
    await insertRechecks(this.#database, pairs, attempt, delayOf(attempt));
  }

  /** Those that are due, at most `count`, to be finished within `leaseMs`. @throws DatabaseUnavailable */
  async take(count: number, leaseMs: number): Promise<readonly RecheckRow[]> {
    return await claimRechecks(this.#database, count, leaseMs);
  }

  /** Those that wait or are in hand for these suspects, by their rows. @throws DatabaseUnavailable */
  async pendingFor(suspects: readonly Suspect[]): Promise<PendingWork> {
    const pending = new Map<SuspectKey, Set<string>>(suspects.map((suspect) => [keyOf(suspect), new Set()]));
    const users = new Set(suspects.map(({ user }) => user));
    const known = [...users].filter((user) => user !== undefined);
    for (const { id, ...pair } of await readRechecksOf(this.#database, users.has(undefined) ? undefined : known)) {
      for (const suspect of suspectsOf({ kind: 'recheck', ...pair })) pending.get(keyOf(suspect))?.add(`recheck ${id}`);
    }
    return pending;
  }

  /** These are done, or were put again. @throws DatabaseUnavailable */
  async finish(rows: readonly RecheckRow[]): Promise<void> {
    await deleteRechecks(this.#database, rows);
  }
}
