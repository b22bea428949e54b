import { fc } from '@fast-check/vitest';
import { beforeAll, describe, expect, it } from 'vitest';
import { planTaskOf, segmentTasksOf } from '../../src/contracts/bulk-task.ts';
import { FanOutProgress } from '../../src/index/redis/fan-out-progress.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { freshPrefix } from '../support/servers.ts';
import { freshRedis } from '../support/stores.ts';

const NOW = 1_700_000_000_000;

let redis: RedisClient;

beforeAll(async () => {
  redis = await freshRedis();
});

const fresh = () => new FanOutProgress(redis, freshPrefix());

const bounds = (count: number) => Array.from({ length: count - 1 }, (_, i) => String((i + 1) * 1_000));

describe('a large fan-out', () => {
  it('is in progress from its plan until its last segment, in whatever order they are done, and how often', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }).chain((of) =>
          fc.record({
            of: fc.constant(of),
            order: fc.shuffledSubarray([...Array(of).keys()], { minLength: of }),
            twice: fc.nat(of - 1),
            plannedAfter: fc.nat(of),
          }),
        ),
        async ({ of, order, twice, plannedAfter }) => {
          const progress = fresh();
          const plan = planTaskOf('contacts', '7', 'p');
          const segments = segmentTasksOf(plan, bounds(of));
          for (const [i, place] of order.entries()) {
            if (i === plannedAfter) await progress.planned(plan, of, NOW);
            const segment = segments[place] as (typeof segments)[number];
            for (let times = place === twice ? 2 : 1; times > 0; times--) {
              await progress.done(segment, 100, NOW + (i + 1) * 1_000);
            }
            const found = await progress.list(NOW);
            if (i < plannedAfter || i === of - 1) expect(found).toEqual([]);
            else
              expect(found).toMatchObject([
                { owner: '7', segments: { done: i + 1, of }, followers: { done: (i + 1) * 100 } },
              ]);
          }
          await progress.planned(plan, of, NOW);
          expect(await progress.list(NOW), 'the last word comes last').toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('says when it ends, within 30 % once a tenth of it is done', async () => {
    const progress = fresh();
    const plan = planTaskOf('groups', '7', 'p');
    const of = 50;
    await progress.planned(plan, of, NOW);
    expect(await progress.list(NOW)).toMatchObject([
      {
        kind: 'groups',
        plannedAt: NOW,
        usersPerSecond: undefined,
        endsAt: undefined,
        followers: { done: 0, estimated: 990_000 },
      },
    ]);
    const segments = segmentTasksOf(plan, bounds(of));
    const ends = NOW + 20_000 + of * 400; // the lane was busy with another for 20 s
    for (const [i, segment] of segments.entries()) {
      if (i === of - 1) break;
      await progress.done(segment, 20_000 - (i % 3) * 100, NOW + 20_000 + (i + 1) * 400);
      const [found] = await progress.list(NOW);
      if (i + 1 < of / 10) continue;
      const left = Number(found?.endsAt) - (NOW + 20_000 + (i + 1) * 400);
      const really = ends - (NOW + 20_000 + (i + 1) * 400);
      expect(Math.abs(left - really)).toBeLessThan(0.3 * really + 400);
      expect(found?.followers.estimated).toBeGreaterThan(0.9 * 990_000);
      expect(found?.followers.estimated).toBeLessThan(1.1 * 990_000);
    }
  });

  it('is forgotten when nobody goes on with it', async () => {
    const progress = fresh();
    await progress.planned(planTaskOf('contacts', '7', 'p'), 3, NOW - 25 * 3_600_000);
    await progress.planned(planTaskOf('contacts', '8', 'q'), 3, NOW);
    expect((await progress.list(NOW)).map(({ owner }) => owner)).toEqual(['8']);
  });
});
