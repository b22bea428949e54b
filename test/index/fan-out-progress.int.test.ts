import { fc } from '@fast-check/vitest';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { planTaskOf, segmentTasksOf } from '../../src/contracts/bulk-task.ts';
import { type FanOutInProgress, FanOutProgress } from '../../src/index/redis/fan-out-progress.ts';
import { Database } from '../../src/mysql/database.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { workBothLanes } from '../../src/tools/harness/both-lanes.ts';
import { SlowProxy } from '../../src/tools/harness/slow-proxy.ts';
import { freshPrefix } from '../support/servers.ts';
import { freshRedis, freshStores, storesOn } from '../support/stores.ts';

const NOW = 1_700_000_000_000;

let redis: RedisClient;

beforeAll(async () => {
  redis = await freshRedis();
});

const fresh = () => new FanOutProgress(redis, freshPrefix());

const OWNER = '900001';
const SEGMENT = 100;
const SEGMENTS = 30;
const FOLLOWERS = SEGMENT * SEGMENTS - SEGMENT / 2;

/** Of the owner; nobody has an index. */
async function addFollowers(primary: Database): Promise<void> {
  const ids = JSON.stringify(Array.from({ length: FOLLOWERS }, (_, i) => i + 1));
  const each = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS it";
  await primary.write(`INSERT INTO users (id) SELECT id FROM ${each}`, [ids]);
  await primary.write('INSERT INTO users (id, last_public_at) VALUES (?, 5000)', [OWNER]);
  await primary.write(`INSERT INTO contacts (user_id, contact_id) SELECT id, ? FROM ${each}`, [OWNER, ids]);
}

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

  it('ends when it was predicted to, within 30 %, on a database that sets the pace', { timeout: 60_000 }, async () => {
    const stores = await freshStores();
    await addFollowers(stores.primary);
    await using slow = await SlowProxy.before(stores.url, 15);
    const primary = new Database(slow.url, { connections: 4, queue: 1_000, deadlineMs: 10_000 });
    onTestFinished(() => primary.close());
    const { steps } = storesOn({ ...stores, primary });
    const progress = new FanOutProgress(stores.redis, stores.prefix);
    const written: Promise<void>[] = [];
    let predicted: Promise<FanOutInProgress | undefined> | undefined;
    const startedAt = Date.now();
    let endedAt = 0;
    await workBothLanes([{ type: 'recency.photo.uploaded', owner: OWNER }], steps, {
      ...{ pageSize: SEGMENT, segmentSize: SEGMENT },
      onPlan: (plan, segments) => void written.push(progress.planned(plan, segments, Date.now())),
      onSegment: (segment, followers) => {
        endedAt = Date.now();
        const done = progress.done(segment, followers, endedAt);
        written.push(done);
        if (segment.part === SEGMENTS / 10) predicted = done.then(async () => (await progress.list(Date.now()))[0]);
      },
    });
    await Promise.all(written);
    const { endsAt, followers } = (await predicted) ?? {};
    expect(Math.abs(Number(endsAt) - endedAt)).toBeLessThan(0.3 * (endedAt - startedAt));
    expect(followers?.estimated).toBeGreaterThan(0.9 * FOLLOWERS);
    expect(followers?.estimated).toBeLessThan(1.1 * FOLLOWERS);
    expect(await progress.list(Date.now())).toEqual([]);
  });

  it('is forgotten when nobody goes on with it', async () => {
    const progress = fresh();
    await progress.planned(planTaskOf('contacts', '7', 'p'), 3, NOW - 25 * 3_600_000);
    await progress.planned(planTaskOf('contacts', '8', 'q'), 3, NOW);
    expect((await progress.list(NOW)).map(({ owner }) => owner)).toEqual(['8']);
  });
});
