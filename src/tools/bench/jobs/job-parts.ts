import type { JobParts } from '../../../app/jobs.ts';
import { openPrimary } from '../../../app/open-mysql.ts';
import { indexStores } from '../../../app/stores.ts';
import type { Database } from '../../../mysql/database.ts';
import { PageCheck } from '../../../repair/page-check.ts';
import type { Ground } from '../ground.ts';

/** Nothing changes meanwhile, so nothing is waited for. */
const SETTLE_MS = 10_000;

/** What jobs work with, on a primary of the given class. */
export function jobPartsOn<D extends Database>(
  { stores, place, resources }: Ground,
  DatabaseClass: new (...options: ConstructorParameters<typeof Database>) => D,
): JobParts & { readonly primary: D } {
  const { config } = place;
  const primary = resources.adopt(openPrimary(config, { Database: DatabaseClass }) as D, (opened) => opened.close());
  const parts = indexStores(config, primary, stores.redis);
  const check = new PageCheck({
    ...{ index: parts.index, primary, raiseBarrier: stores.raiseBarrier, settleMs: SETTLE_MS },
    limits: { max: config.max, min: config.min },
    now: () => performance.now(),
    clock: Date.now,
    random: Math.random,
  });
  return { ...stores.jobs, stores: { ...stores, primary, ...parts }, check, primary };
}
