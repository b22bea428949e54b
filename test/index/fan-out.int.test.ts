import { fc } from '@fast-check/vitest';
import type { Pool } from 'mysql2/promise';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { planWork, TaskWorker } from '../../src/consumers/work-plan.ts';
import { type BulkTask, isBulkTask, planTaskOf } from '../../src/contracts/bulk-task.ts';
import type { Id } from '../../src/contracts/id.ts';
import type { DeliveredTask } from '../../src/contracts/task.ts';
import { run, type Step, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { renewEpoch } from '../../src/mysql/epoch.ts';
import { readWatchedFollowers } from '../../src/mysql/statements/followers.ts';
import { workBothLanes } from '../../src/tools/harness/both-lanes.ts';
import { recomputeLastUploads } from '../../src/tools/reference-site/last-uploads.ts';
import { inTransaction } from '../../src/tools/reference-site/transaction.ts';
import { cases } from '../support/cases.ts';
import { expectExact } from '../support/exact.ts';
import { segmentTasksOf } from '../support/segment-tasks.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshNonce, freshStores, type Stores } from '../support/stores.ts';

const MAX = 3;
const MIN = 1;
const FOLLOWERS = 130;
const PAGE = 20;
const SEGMENT = 50;
const OWNER = '1000';

const followers = Array.from({ length: FOLLOWERS }, (_, i) => String(i + 1));
const OTHERS = ['1001', '1002', '1003', '1004'];
const SITE = everybodyKnows(followers, [OWNER, ...OTHERS]);

let stores: Stores;
let pool: Pool;

/** The same site before each test, in an epoch of its own. */
async function startAnew(): Promise<void> {
  await writeSite(pool, SITE);
  await startEpoch();
}

/** No plan of an epoch before counts as one that waits. */
async function startEpoch(): Promise<void> {
  await renewEpoch(stores.primary, { nonce: freshNonce(), why: 'a test', bumpedAt: Date.now() });
  await run(rebuild(followers), stores.steps);
}

async function changeUpload(at: number): Promise<void> {
  await changeUploads({ [OWNER]: at });
}

async function changeUploads(times: Readonly<Record<Id, number>>): Promise<void> {
  await inTransaction(pool, async (connection) => {
    for (const [owner, at] of Object.entries(times)) {
      await connection.query('UPDATE photos SET uploaded_at = ? WHERE owner_id = ?', [at, owner]);
    }
    await recomputeLastUploads(connection, Object.keys(times));
  });
}

/** The steps taken, each with its arguments. */
async function record(owners: readonly Id[], sizes = { pageSize: PAGE, segmentSize: SEGMENT }): Promise<Step[]> {
  const taken: Step[] = [];
  const steps = new Proxy(stores.steps, {
    get:
      (target, name: keyof Steps) =>
      (...args: never[]) => {
        taken.push({ name, args } as unknown as Step);
        return (target[name] as (...args: never[]) => Promise<unknown>)(...args);
      },
  });
  await workBothLanes(owners.map(uploadOf), steps, sizes);
  return taken;
}

const uploadOf = (owner: Id) => ({ type: 'recency.photo.uploaded', owner }) as const;

const stepsOf = <N extends Step['name']>(steps: readonly Step[], name: N) =>
  steps.filter((one): one is Step<N> => one.name === name);

async function everybodyIsExact(): Promise<void> {
  for (const user of followers) await expectExact(stores, { max: MAX, min: MIN }, user, `follower ${user}`);
}

describe.each(['column', 'photos'] as const)('with last uploads from the %s,', (uploads) => {
  beforeAll(async () => {
    stores = await freshStores({ max: MAX, min: MIN, uploads });
    pool = freshSitePool(stores.url);
  });
  beforeEach(startAnew);

  describe('the fan-out to an audience of a page', () => {
    it('is done at once: it reads the nonces after the page, and the pairs after the nonces', async () => {
      await changeUpload(5_000);
      const names = (await record([OWNER], { pageSize: FOLLOWERS, segmentSize: SEGMENT })).map(({ name }) => name);
      expect(names).toEqual(['followers', 'nonces', 'neighbours', 'apply', 'signal']);
      await everybodyIsExact();
    });

    it('refreshes all owners of one user in one call, so that no two calls race for the user', async () => {
      const owners = [OWNER, ...OTHERS]; // more pairs than one call takes
      await changeUploads(Object.fromEntries(owners.map((owner, i) => [owner, 5_000 - i])));
      const steps = await record(owners, { pageSize: 4_000, segmentSize: SEGMENT });
      const users = stepsOf(steps, 'apply').flatMap(({ args }) => args[1].map(({ user }) => user));
      expect(users.length).toBe(FOLLOWERS);
      expect(new Set(users).size).toBe(FOLLOWERS);
      await everybodyIsExact();
    });

    it('is done for those owners who have one, beside others who have more', async () => {
      const few = everybodyKnows(followers.slice(0, 15), ['2000']);
      await writeSite(pool, {
        users: [...SITE.users, '2000'],
        ties: [...SITE.ties, ...few.ties],
        photos: [...SITE.photos, ...few.photos],
      });
      await changeUploads({ [OWNER]: 5_000, 2000: 5_001 });
      const reports: unknown[] = [];
      const onFanOut = (report: unknown) => void reports.push(report);
      const tasks = [OWNER, '2000'].map(uploadOf);
      await workBothLanes(tasks, stores.steps, { pageSize: PAGE, segmentSize: SEGMENT, onFanOut });
      expect(reports).toEqual([{ followers: 15, large: 1 }]);
      await everybodyIsExact();
    });
  });

  describe('the fan-out to a larger audience', () => {
    it('is cut into segments that cover all ids, and each page of one is read once', async () => {
      await changeUpload(6_000);
      const steps = await record([OWNER]);
      const pages = stepsOf(steps, 'followers').flatMap(({ args }) =>
        args[0].map(({ after, through }) => [after, through]),
      );
      expect(pages).toEqual([
        ['0', undefined],
        ...['0', '20', '40'].map((after) => [after, '50']),
        ...['50', '70', '90'].map((after) => [after, '100']),
        ...['100', '120'].map((after) => [after, undefined]),
      ]);
      expect(stepsOf(steps, 'followerAt').map(({ args }) => args[0].after)).toEqual(['0', '50', '100']);
      await everybodyIsExact();
    });

    it('signals each follower once, a segment at a time', async () => {
      await changeUpload(7_000);
      const signals = stepsOf(await record([OWNER]), 'signal').map(({ args }) => args[0]);
      expect(signals.flat().toSorted((a, b) => Number(a) - Number(b))).toEqual(followers);
      expect(signals.map((users) => users.length)).toEqual([50, 50, 30]);
    });

    it('refreshes and signals the watched followers before it is cut, and again with their segments', async () => {
      const { primary } = stores;
      const watch = `
      INSERT INTO recency_watches
        (user_id, channel, secrets, kinds, relation, muted, interval_ms, ended, told, version, created_at)
      VALUES (?, 'kafka', '[]', 'contacts', 'all', '[]', 0, ?, '{}', 1, 0)`;
      for (const user of ['5', '60', '60', '129']) await primary.write(watch, [user, null]);
      await primary.write(watch, ['7', 'it was enough']);
      await primary.write(watch, ['999999', null]); // no follower
      await changeUpload(7_500);
      const steps = await record([OWNER]);
      await primary.write('DELETE FROM recency_watches', []);
      const byId = (users: readonly Id[]) => users.toSorted((a, b) => Number(a) - Number(b));
      const signals = stepsOf(steps, 'signal').map(({ args }) => byId(args[0]));
      expect(signals[0]).toEqual(['5', '60', '129']);
      expect(byId(signals.slice(1).flat())).toEqual(followers);
      const [applied, cut] = ['apply', 'followerAt'].map((name) => steps.findIndex((one) => one.name === name));
      expect(applied).toBeLessThan(Number(cut));
      const first = steps[applied ?? -1] as Step<'apply'>;
      expect(byId(first.args[1].map(({ user }) => user))).toEqual(['5', '60', '129']);
      await everybodyIsExact();
    });

    it('goes on where finding the watched ones takes too long', async () => {
      const slow = {
        ...stores.primary,
        rows: (_text: string, _parameters: unknown, { withinMs }: { withinMs: number }) =>
          stores.primary.rows(
            'SELECT SUM(a.user_id ^ b.user_id ^ c.user_id) FROM contacts a, contacts b, contacts c',
            [],
            {
              withinMs: Math.min(withinMs, 100),
            },
          ),
      } as unknown as Stores['primary'];
      expect(await readWatchedFollowers(slow, OWNER, 10)).toEqual([]);
    });

    it('works on the next page meanwhile', async () => {
      await changeUpload(8_000);
      const secondPage = Promise.withResolvers<void>();
      const steps: Steps = {
        ...stores.steps,
        apply: async (epoch, requests) => {
          const first = requests[0]?.user;
          if (first === '1') await secondPage.promise;
          if (first === '21') secondPage.resolve();
          return await stores.steps.apply(epoch, requests);
        },
      };
      await workBothLanes([uploadOf(OWNER)], steps, { pageSize: PAGE, segmentSize: SEGMENT });
      await everybodyIsExact();
    });

    it('has one plan for all uploads that are processed while it waits, and another for the next', async () => {
      const published: BulkTask[] = [];
      const steps: Steps = {
        ...stores.steps,
        publish: async (tasks) => {
          published.push(...tasks);
          return tasks.map((task) => task.plan);
        },
        isWaiting: async (place) => published.some(({ plan }) => plan === place),
      };
      const small = new TaskWorker({ steps, pageSize: PAGE });
      const bulk = new TaskWorker({ steps, pageSize: PAGE, segmentSize: SEGMENT, lane: 'bulk' });
      const upload = planWork([{ task: uploadOf(OWNER), position: 'p' }]);
      for (let uploads = 0; uploads < 3; uploads++) await small.work(upload);
      expect(published).toMatchObject([{ type: 'recency.followers.plan', owner: OWNER }]);
      const [plan] = published.splice(0) as [BulkTask];
      await bulk.work(planWork([{ task: plan, position: 'b' }]));
      expect(published).toHaveLength(3);
      expect(published.map((task) => 'part' in task && task.part)).toEqual([1, 2, 3]);
      await small.work(upload);
      expect(published).toHaveLength(4);
      await renewEpoch(stores.primary, { nonce: 'another', why: 'a test', bumpedAt: Date.now() });
      await small.work(upload);
      expect(published, 'a plan of the epoch before may be lost').toHaveLength(5);
    });

    it('has another plan when the one that was noted is gone, in whatever way', async () => {
      const published: BulkTask[] = [];
      const steps: Steps = {
        ...stores.steps,
        publish: async (tasks) => {
          published.push(...tasks);
          return tasks.map((task) => task.plan);
        },
        isWaiting: async (place) => published.at(-1)?.plan === place && !isGone,
      };
      let isGone = false;
      const small = new TaskWorker({ steps, pageSize: PAGE });
      const upload = planWork([{ task: uploadOf(OWNER), position: 'p' }]);
      for (let uploads = 0; uploads < 2; uploads++) await small.work(upload);
      expect(published).toHaveLength(1);
      isGone = true;
      await small.work(upload);
      expect(published).toHaveLength(2);
      isGone = false;
      await small.work(upload);
      expect(published, 'the second one waits').toHaveLength(2);
    });

    it('has another plan when nobody can say that the one that was noted waits', async () => {
      const published: BulkTask[] = [];
      const steps: Steps = { ...stores.steps, publish: async (tasks) => void published.push(...tasks) };
      const small = new TaskWorker({ steps, pageSize: PAGE });
      for (let uploads = 0; uploads < 2; uploads++)
        await small.work(planWork([{ task: uploadOf(OWNER), position: 'p' }]));
      expect(published).toHaveLength(2);
    });

    it('takes its plan before anything else is tried', async () => {
      const taken: string[] = [];
      const steps: Steps = {
        ...stores.steps,
        takePlan: async (owner) => void taken.push(owner),
        watchedFollowers: () => Promise.reject(new RangeError('a row that cannot be read')),
        followerAt: () => Promise.reject(new RangeError('a row that cannot be read')),
      };
      const bulk = new TaskWorker({ steps, pageSize: PAGE, lane: 'bulk' });
      const plan = { task: planTaskOf('contacts', OWNER, 'x'), position: 'b' };
      await expect(bulk.work(planWork([plan]))).rejects.toThrow('cannot be read');
      expect(taken).toEqual([OWNER]);
    });

    it('in the small lane goes to the bulk lane', async () => {
      const published: BulkTask[] = [];
      const steps: Steps = { ...stores.steps, publish: async (tasks) => void published.push(...tasks) };
      const plan = planTaskOf('contacts', OWNER, 'x');
      const tasks = [plan, ...segmentTasksOf(plan, ['50'])];
      await new TaskWorker({ steps, pageSize: PAGE }).work(planWork(tasks.map((task) => ({ task, position: 'p' }))));
      expect(published).toEqual(tasks);
    });

    it('misses no follower, whatever is killed, comes twice or in another order', async () => {
      let at = 10_000;
      const move = fc.record({
        which: fc.nat(),
        killedAt: fc.option(fc.nat(12), { nil: undefined }),
        again: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(move, { minLength: 4, maxLength: 20 }), fc.nat(3), async (moves, uploads) => {
          await startEpoch(); // what an example left undone, while it is being shrunk, is not the next one's
          const lanes: DeliveredTask[] = [];
          for (let i = 0; i <= uploads; i++) {
            await changeUpload(++at % 2 === 0 ? at : at - 9_999);
            lanes.push(uploadOf(OWNER));
          }
          const steps: Steps = { ...stores.steps, publish: async (tasks) => void lanes.push(...tasks) };
          const take = async (task: DeliveredTask, killedAt?: number) => {
            const lane = isBulkTask(task) ? 'bulk' : 'small';
            const worker = new TaskWorker({ steps, pageSize: PAGE, segmentSize: SEGMENT, lane });
            let taken = 0;
            const renew = async () => {
              if (killedAt !== undefined && taken++ >= killedAt) throw new Killed();
            };
            return await worker.work(planWork([{ task, position: 'p' }]), { renew }).then(
              () => true,
              (error: unknown) => {
                if (error instanceof Killed) return false;
                throw error;
              },
            );
          };
          for (const { which, killedAt, again } of moves) {
            const place = which % Math.max(lanes.length, 1);
            const task = lanes[place];
            if (task === undefined) break;
            const isDone = await take(task, killedAt);
            if (isDone && !again) lanes.splice(place, 1);
          }
          for (let task = lanes.shift(); task !== undefined; task = lanes.shift()) await take(task);
          await everybodyIsExact();
        }),
        { numRuns: cases(uploads === 'column' ? 30 : 10) },
      );
    });
  });
});

class Killed extends Error {}
