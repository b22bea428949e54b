import { setImmediate as turn } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { LanePace } from '../../src/consumers/lane-pace.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { freshPrefix } from '../support/servers.ts';
import { freshRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';

let redis: RedisClient;

beforeAll(async () => {
  redis = await freshRedis();
});

const NOW = 1_700_000_000_000;

/** The pace of two processes: one has the small lane, the other the bulk lane, whose clock is moved by renewing a lease. */
function twoProcesses() {
  const prefix = freshPrefix();
  let ms = 0;
  const now = () => ms;
  const small = new LanePace({ client: redis, prefix, clock: () => NOW, now });
  const bulk = new LanePace({ client: redis, prefix, now });
  const lease = {
    renewed: 0,
    renew: async () => {
      lease.renewed++;
      ms += 1_000;
    },
  };
  // Kept: it is renewed only by small tasks that go on being late.
  const noted = () => until(async () => (await redis.persist(`${prefix}:lanes:late`)) === 1);
  return { small, bulk, lease, noted, forget: () => redis.del(`${prefix}:lanes:late`) };
}

describe('the bulk lane', () => {
  it('waits for nothing while small tasks are in time', async () => {
    const { small, bulk, lease } = twoProcesses();
    small.delivered([{ timestamp: NOW - 900 }, { timestamp: -1 }]);
    await bulk.yieldToSmall(lease);
    expect(lease.renewed).toBe(0);
  });

  it('keeps its lease while it waits for late ones, and goes on when they are not', async () => {
    const { small, bulk, lease, noted, forget } = twoProcesses();
    small.delivered([{ timestamp: NOW }, { timestamp: NOW - 1_100 }]);
    await noted();
    const { renew } = lease;
    lease.renew = async () => {
      await renew();
      if (lease.renewed === 2) await forget();
    };
    await bulk.yieldToSmall(lease);
    expect(lease.renewed).toBe(2);
  });

  it('takes a step now and then however late they are', async () => {
    const { small, bulk, lease, noted } = twoProcesses();
    small.delivered([{ timestamp: NOW - 3_600_000 }]);
    await noted();
    await bulk.yieldToSmall(lease);
    expect(lease.renewed).toBe(5);
  });

  it('ends when its lease is lost', async () => {
    const { small, bulk, noted } = twoProcesses();
    small.delivered([{ timestamp: NOW - 3_600_000 }]);
    await noted();
    const lost = { renew: () => Promise.reject(new Error('lost')) };
    await expect(bulk.yieldToSmall(lost)).rejects.toThrow('lost');
  });

  it('takes no step while small tasks are in work beside it, in several batches', async () => {
    const pace = new LanePace({ client: redis, prefix: freshPrefix() });
    const lease = { renew: async () => undefined };
    await pace.yieldToSmall(lease); // what Redis says is known now, so that a step would take no time
    const ended = [pace.delivered([{ timestamp: -1 }]), pace.delivered([{ timestamp: -1 }])];
    const order: string[] = [];
    const step = pace.yieldToSmall(lease).then(() => order.push('step'));
    order.push('one is done');
    ended[0]?.();
    await turn();
    order.push('all are done');
    ended[1]?.();
    await step;
    expect(order).toEqual(['one is done', 'all are done', 'step']);
    await pace.yieldToSmall(lease); // nothing is in work any more
  });

  it('takes a step now and then however many are in work', async () => {
    const pace = new LanePace({ client: redis, prefix: freshPrefix() });
    pace.delivered([{ timestamp: -1 }]);
    await pace.yieldToSmall({ renew: async () => undefined });
    await pace.yieldToSmall({ renew: async () => undefined });
  });
});
