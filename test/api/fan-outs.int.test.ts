import { beforeAll, describe, expect, it } from 'vitest';
import { planTaskOf } from '../../src/contracts/bulk-task.ts';
import { FanOutProgress } from '../../src/index/redis/fan-out-progress.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { ask, startTestApi } from '../support/api.ts';
import { segmentTasksOf } from '../support/segment-tasks.ts';
import { freshStores, type Stores } from '../support/stores.ts';

let stores: Stores;

beforeAll(async () => {
  stores = await freshStores();
});

describe('GET /v1/fan-outs', () => {
  it('has those in progress, and no others', async () => {
    const api = await startTestApi(stores);
    expect((await ask(api, '/v1/fan-outs')).body).toEqual({ fan_outs: [] });
    const progress = new FanOutProgress(stores.redis, stores.prefix);
    const plan = planTaskOf('contacts', '42', 'p');
    const segments = segmentTasksOf(plan, ['10']);
    const from = Date.now() - 2_000;
    await progress.planned(plan, 2, from);
    await progress.done(segments[0] as never, 20_000, from + 1_000);
    expect(await ask(api, '/v1/fan-outs')).toMatchObject({
      status: 200,
      body: { fan_outs: [{ owner: '42', segments: { done: 1, of: 2 }, users_per_second: 20_000 }] },
    });
    await progress.done(segments[1] as never, 5, from + 2_000);
    expect((await ask(api, '/v1/fan-outs')).body).toEqual({ fan_outs: [] });
  });

  it('is refused with what is wrong: a query that it does not have, or no Redis', async () => {
    const fanOuts = () => Promise.reject(new RedisUnavailable('away'));
    const api = await startTestApi(stores, { fanOuts });
    expect((await ask(api, '/v1/fan-outs?owner=1')).status).toBe(400);
    expect(await ask(api, '/v1/fan-outs')).toMatchObject({ status: 503, body: { code: 'redis_unavailable' } });
  });
});
