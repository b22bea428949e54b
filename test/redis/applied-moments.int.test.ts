import { expect, it } from 'vitest';
import { AppliedMoments } from '../../src/redis/applied-moments.ts';
import { freshPrefix } from '../support/servers.ts';
import { freshRedis } from '../support/stores.ts';

it('keeps the latest moment of each lane, as an age that is never too small', async () => {
  const [redis, prefix] = [await freshRedis(), freshPrefix()];
  const moments = new AppliedMoments(redis, prefix);
  expect(await moments.read()).toEqual({});
  await moments.save(() => ({}));
  expect(await moments.read()).toEqual({});

  const from = performance.now();
  await moments.save(() => ({ small: 5_000 }));
  const { small = 0, ...others } = await moments.read();
  expect(others).toEqual({});
  expect(small).toBeGreaterThanOrEqual(5_000);
  expect(small).toBeLessThanOrEqual(5_000 + performance.now() - from + 1);

  await moments.save(() => ({ small: 60_000, bulk: 70_000 }));
  const older = await moments.read();
  expect(older.small, 'an older moment of another process').toBeLessThan(60_000);
  expect(older.bulk).toBeGreaterThanOrEqual(70_000);
  const later = performance.now();
  await moments.save(() => ({ small: 100 }));
  expect((await moments.read()).small).toBeLessThanOrEqual(100 + performance.now() - later + 1);
});

it('does not know a moment in the future, which a clock that was set back has left, and replaces it', async () => {
  const [redis, prefix] = [await freshRedis(), freshPrefix()];
  const moments = new AppliedMoments(redis, prefix);
  await redis.zadd(`${prefix}:applied`, Date.now() + 3_600_000, 'bulk');
  expect(await moments.read()).toEqual({});
  await moments.save(() => ({ bulk: 9_000 }));
  expect((await moments.read()).bulk).toBeGreaterThanOrEqual(9_000);
});
