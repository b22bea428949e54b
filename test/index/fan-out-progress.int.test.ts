import { fc } from '@fast-check/vitest';
import { beforeAll, describe, expect, it } from 'vitest';
import { planTaskOf, type SegmentTask } from '../../src/contracts/bulk-task.ts';
import { type FanOutInProgress, FanOutProgress } from '../../src/index/redis/fan-out-progress.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { workBothLanes } from '../../src/tools/harness/both-lanes.ts';
import { cases } from '../support/cases.ts';
import type { ContactsDatabase } from '../support/contacts-database.ts';
import { segmentTasksOf } from '../support/segment-tasks.ts';
import { freshPrefix } from '../support/servers.ts';
import { freshRedis, freshStores, storesOn } from '../support/stores.ts';

const NOW = 1_700_000_000_000;

let redis: RedisClient;

beforeAll(async () => {
  redis = await freshRedis();
});

const fresh = () => new FanOutProgress(redis, freshPrefix());

const SIZE = 20_000;
const OWNER = '900001';
const SEGMENT = 100;
const SEGMENTS = 30;
const FOLLOWERS = SEGMENT * SEGMENTS - SEGMENT / 2;

/** Of the owner; nobody has an index. */
async function addFollowers(primary: ContactsDatabase): Promise<void> {
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
              await progress.begun(segment, NOW + i * 1_000);
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
      { numRuns: cases(40) },
    );
  });

  it.each([1, 2, 4])(
    'says when it ends, within 30 %% once a tenth of it is done, by %i workers at once',
    async (workers) => {
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
      const began = NOW + 20_000; // the lane was busy with another one
      const ms = 400;
      const ends = began + Math.ceil(of / workers) * ms;
      for (let at = began; at < ends; at += ms / 2) {
        const turn = Math.floor((at - began) / ms);
        const [before, own] = [turn * workers, segments.slice(turn * workers, (turn + 1) * workers)];
        const isBeginning = (at - began) % ms === 0;
        if (isBeginning) {
          for (const done of segments.slice(Math.max(0, before - workers), before)) await progress.done(done, SIZE, at);
          for (const segment of own) await progress.begun(segment, at);
        }
        const [found] = await progress.list(at);
        if (before < of / 10) continue;
        expect(Math.abs(Number(found?.endsAt) - ends)).toBeLessThanOrEqual(0.3 * (ends - at) + ms);
        expect(found?.followers.estimated).toBeGreaterThan(0.98 * of * SIZE);
        expect(found?.followers.estimated).toBeLessThan(1.02 * of * SIZE);
      }
    },
  );

  it('does not wait for a worker that is gone, nor count the time of a segment that is repeated', async () => {
    const progress = fresh();
    const plan = planTaskOf('contacts', '7', 'p');
    const [first, second, third] = segmentTasksOf(plan, ['10', '20']) as [SegmentTask, SegmentTask, SegmentTask];
    await progress.planned(plan, 3, NOW);
    await progress.begun(first, NOW);
    await progress.done(first, SIZE, NOW + 1_000);
    await progress.begun(second, NOW + 1_000);
    expect(await progress.list(NOW + 3_600_000)).toMatchObject([
      { usersPerSecond: SIZE, endsAt: NOW + 3_600_000 + 1_500 },
    ]);
    await progress.begun(first, NOW + 2_000);
    await progress.begun(third, NOW + 2_000);
    await progress.done(third, SIZE, NOW + 3_000);
    expect(await progress.list(NOW + 3_600_000)).toMatchObject([{ segments: { done: 2 }, usersPerSecond: SIZE }]);
  });

  it('ends when it was predicted to, when every segment takes a second', async () => {
    const stores = await freshStores();
    await addFollowers(stores.primary);
    const { steps } = storesOn(stores);
    const progress = new FanOutProgress(stores.redis, stores.prefix);
    let now = NOW;
    let written: Promise<unknown> = Promise.resolve();
    const inOrder = (write: () => Promise<unknown>): void => {
      written = written.then(write);
    };
    const found: FanOutInProgress[] = [];
    await workBothLanes([{ type: 'recency.photo.uploaded', owner: OWNER }], steps, {
      ...{ pageSize: SEGMENT, segmentSize: SEGMENT },
      onPlan: (plan, segments) => inOrder(() => progress.planned(plan, segments, now)),
      onSegmentBegun: (segment) => inOrder(() => progress.begun(segment, now)),
      onSegment: (segment, followers) =>
        inOrder(async () => {
          now += 1_000;
          await progress.done(segment, followers, now);
          found.push(...(await progress.list(now)));
        }),
    });
    await written;
    expect(found.length).toBe(SEGMENTS - 1);
    for (const { endsAt, followers } of found.slice(SEGMENTS / 10)) {
      expect(Math.abs(Number(endsAt) - now)).toBeLessThanOrEqual(1_000);
      expect(followers.estimated).toBeGreaterThan(0.9 * FOLLOWERS);
      expect(followers.estimated).toBeLessThan(1.1 * FOLLOWERS);
    }
    expect(await progress.list(now)).toEqual([]);
  });

  it('is forgotten when nobody goes on with it', async () => {
    const progress = fresh();
    await progress.planned(planTaskOf('contacts', '7', 'p'), 3, NOW - 25 * 3_600_000);
    await progress.planned(planTaskOf('contacts', '8', 'q'), 3, NOW);
    expect((await progress.list(NOW)).map(({ owner }) => owner)).toEqual(['8']);
  });
});
