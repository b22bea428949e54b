import { Redis } from 'ioredis';
import { beforeAll, describe, expect, it } from 'vitest';
import { planTaskOf } from '../../src/contracts/bulk-task.ts';
import { FanOutProgress } from '../../src/index/redis/fan-out-progress.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { runInProcess } from '../support/in-process.ts';
import { segmentTasksOf } from '../support/segment-tasks.ts';
import { closeAtEnd } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';

let progress: FanOutProgress;
let recency: (...args: string[]) => ReturnType<typeof runInProcess>;

beforeAll(async () => {
  const settings = await serviceSettings();
  const redis = new Redis(String(settings.REDIS_URL));
  closeAtEnd(() => redis.disconnect());
  progress = new FanOutProgress(redis as unknown as RedisClient, String(settings.KEY_PREFIX));
  recency = (...args) => runInProcess(['fan-outs', ...args], settings);
});

describe('recency fan-outs', () => {
  it('says when there are none', async () => {
    expect(await recency()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No large fan-out is in progress.'),
    });
    expect((await recency('--json')).json()).toEqual([{ fan_outs: [] }]);
  });

  it('shows how far each is, and when it will be done', async () => {
    const plan = planTaskOf('contacts', '42', 'p');
    const [first, second] = segmentTasksOf(plan, ['10', '20', '30']);
    const from = Date.now() - 10_000;
    await progress.planned(plan, 4, from);
    await progress.planned(planTaskOf('groups', '7', 'q'), 9, from + 1);
    for (const [i, segment] of [first, second].entries()) {
      if (segment === undefined) continue;
      await progress.begun(segment, from + i * 2_000);
      await progress.done(segment, 20_000, from + (i + 1) * 2_000);
    }
    const asked = Date.now();
    const iso = (at: number) => new Date(at).toISOString();
    const [shown] = (await recency('--json')).json();
    expect(shown).toEqual({
      fan_outs: [
        {
          ...{ kind: 'contacts', owner: '42', planned_at: iso(from) },
          segments: { done: 2, of: 4 },
          followers: { done: 40_000, estimated: 70_000 },
          users_per_second: 10_000,
          ends_at: expect.any(String),
        },
        {
          ...{ kind: 'groups', owner: '7', planned_at: iso(from + 1) },
          segments: { done: 0, of: 9 },
          followers: { done: 0, estimated: 170_000 },
          users_per_second: null,
          ends_at: null,
        },
      ],
    });
    const endsAt = Date.parse(shown.fan_outs[0].ends_at);
    expect(endsAt).toBeGreaterThanOrEqual(asked + 3_000);
    expect(endsAt).toBeLessThanOrEqual(Date.now() + 3_000);
    const { stdout } = await recency();
    expect(stdout).toMatch(/42 .*2 of 4 .*40,000 of about 70,000 .*10,000/);
    expect(stdout).toMatch(/groups +7 .*not known yet/);
  });
});
