import type { Pool } from 'mysql2/promise';
import type { WorkPlan } from '../../consumers/work-plan.ts';
import { CONTACTS } from '../../contracts/kind.ts';
import type { BatchLease } from '../../transport/task-source.ts';
import { type FanOutOptions, fanOut } from './fan-out.ts';
import { refreshPairs, refreshUser } from './pairs.ts';

/**
 * Does in the denormalised table what a consumer does in the indexes: the same tasks, from the same transport, merged in the same
 * way. A task is only a hint here, too; what is written is read from the site's tables.
 */
export class DenormalisedUpdater {
  readonly kind = CONTACTS;
  readonly #pool: Pool;
  readonly #options: FanOutOptions;

  constructor(pool: Pool, options: FanOutOptions = {}) {
    this.#pool = pool;
    this.#options = options;
  }

  /** Resolves when everything is committed. Nothing fails by itself, so no pair is ever to be set aside. */
  async work(
    { hints, owners, dropped, forgotten }: Pick<WorkPlan, 'hints' | 'owners' | 'dropped' | 'forgotten'>,
    lease?: BatchLease,
  ): Promise<undefined> {
    const beforeStep = async () => lease?.renew();
    for (const user of [...dropped, ...forgotten]) {
      await beforeStep();
      await refreshUser(this.#pool, user);
    }
    await beforeStep();
    if (hints.length > 0) await refreshPairs(this.#pool, hints);
    if (owners.length > 0) await fanOut(this.#pool, owners, { ...this.#options, beforeStep });
  }
}
