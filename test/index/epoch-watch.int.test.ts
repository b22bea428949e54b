import { expect, it, onTestFinished } from 'vitest';
import { EpochWatch } from '../../src/index/epoch-watch.ts';
import { ownershipOf, startWatch } from '../support/epoch-watch.ts';
import { freshStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { logger } from '../transport/place.ts';

/** Comparisons at intervals come too late for these tests. */
const NEVER = { intervalMs: 3_600_000, lookMs: 3_600_000 };

it('withdraws trust where a master that is not known has answered, and compares again', async () => {
  const watch = await startWatch(await freshStores(), NEVER);
  const { epoch } = watch.known() ?? {};
  expect(epoch).toBeDefined();
  watch.distrust();
  expect(watch.known()).toBeUndefined();
  await until(() => watch.isTrusted());
  expect(watch.known()?.epoch).toBe(epoch);
});

it('lets a comparison that has begun decide, where nothing is trusted yet', async () => {
  const stores = await freshStores();
  const watch: EpochWatch = new EpochWatch({
    ...{ client: stores.redis, database: stores.primary, logger, ownership: ownershipOf(stores), ...NEVER },
    admit: async () => watch.distrust(),
  });
  onTestFinished(() => watch.stop());
  await watch.start();
  expect(watch.isTrusted()).toBe(true);
});
