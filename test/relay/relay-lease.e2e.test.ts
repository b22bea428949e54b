import { expect, it } from 'vitest';
import { CliProcess } from '../support/cli.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';

it('of several relays one has the janitor’s lease, and another one when that one has ended', async () => {
  const settings = await serviceSettings();
  const redis = await freshRedis();
  const holder = () => redis.get(`${settings.KEY_PREFIX}:lease:{janitor}`);
  const start = async () => {
    const relay = new CliProcess(['relay'], settings).killAtEnd();
    await relay.says('relaying the outbox');
    return relay;
  };
  const first = await start();
  const owner = await until(holder);
  await start();
  expect(await holder()).toBe(owner);
  first.signal('SIGTERM');
  expect((await first.ended).code).toBe(0);
  await until(async () => ![null, owner].includes(await holder()));
});
