import { expect, it } from 'vitest';
import { ENDLESS } from '../../src/index/allowance.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { CliProcess } from '../support/cli.ts';
import { LONG_AGO, rewriteMeta } from '../support/index-meta.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshNonce, freshRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';

it('a consumer drops indexes that are not read, and counts them', async () => {
  const port = String(await freePort());
  const settings = { ...(await serviceSettings()), METRICS_PORT: port };
  const prefix = String(settings.KEY_PREFIX);
  const redis = await freshRedis(settings.REDIS_URL);
  const index = new RedisContactIndex(redis, { max: 3, min: 2, prefix, freshNonce });
  for (const user of ['1', '2']) {
    const [seen] = await index.claim([user]);
    await index.replace('epoch', [{ user, seen: String(seen), top: [{ id: '9', at: 90 }], allowance: ENDLESS }]);
  }
  await rewriteMeta(redis, new KeyNames(prefix).meta('1'), { day: LONG_AGO });

  await using consumer = new CliProcess(['consume'], settings);
  await consumer.says('dropped idle indexes');
  const metrics = async () => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await until(async () => /^recency_idle_indexes_dropped_total\{process="consume"\} 1$/m.test(await metrics()));
  expect(await index.read('1', 0, false)).toEqual({ state: 'cold' });
  expect(await index.read('2', 0, false)).toMatchObject({ state: 'warm' });
  consumer.signal('SIGTERM');
  expect((await consumer.ended).code).toBe(0);
});
