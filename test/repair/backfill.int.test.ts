import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import type { Steps } from '../../src/index/protocol.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { DatabaseUnavailable } from '../../src/mysql/database.ts';
import { nextFencingToken } from '../../src/mysql/leases.ts';
import { findRun } from '../../src/mysql/runs.ts';
import type { JobProgress } from '../../src/repair/job.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { expectExact } from '../support/exact.ts';
import { createBackfill, createRepair } from '../support/jobs-of-contacts.ts';
import { leasesOn } from '../support/leases.ts';
import { runThroughKills } from '../support/mortal-job.ts';
import { freshFence, freshSite, LIMITS, type RepairSite, userId } from '../support/repair-site.ts';
import { until } from '../support/until.ts';

const USERS = 60;
const PAGE = 5;

let site: RepairSite;
/** The 60 users, and the one stranger who has granted something to some of them. */
let everybody: readonly Id[];
beforeAll(async () => {
  site = await freshSite({ users: USERS, contactsOf: (i) => i % 20, uploads: 'photos' });
  everybody = [...site.users.filter((_user, i) => i % 20 > 0), userId(USERS + 1)];
});

async function fresh(changes: Partial<RepairSite['repair']> = {}): Promise<RepairSite['repair']> {
  return { ...site.repair, fence: await freshFence(site.stores), pageSize: PAGE, ...changes };
}

async function forgetAll(): Promise<void> {
  await site.stores.index.drop(everybody);
}

async function warmUsers(): Promise<Id[]> {
  const nonces = await site.stores.index.nonces(everybody);
  return everybody.filter((_user, i) => nonces[i] !== '');
}

/** Steps that record whose index each call replaced. */
function watched(steps: Steps): { steps: Steps; replaced: Id[][] } {
  const replaced: Id[][] = [];
  const watch: Steps = {
    ...steps,
    replace: async (epoch, requests) => {
      replaced.push(requests.map((request) => request.user));
      return await steps.replace(epoch, requests);
    },
  };
  return { steps: watch, replaced };
}

describe('backfill', () => {
  it('counts those whose index would not pay, who lose the one that they have', async () => {
    const allowances: Steps['allowances'] = async (users) => users.map(() => undefined);
    const job = createBackfill(await fresh({ steps: { ...site.repair.steps, allowances } }), {});
    await runToEnd(job);
    expect(job.result).toMatchObject({ users: everybody.length, rebuilt: 0, small: everybody.length });
    expect(await warmUsers()).toEqual([]);
  });

  it('builds the index of every user with relationships, and saves a report', async () => {
    await forgetAll();
    const progress: JobProgress[] = [];
    const job = createBackfill(await fresh(), {});
    await runToEnd(job, { onProgress: (now) => progress.push(now) });
    for (const user of everybody) await expectExact(site.stores, LIMITS, user, 'backfilled');

    const { run, rows_read, seconds } = job.result;
    expect(job.result).toMatchObject({
      users: everybody.length,
      rebuilt: everybody.length,
      small: 0,
      unsettled: 0,
      obstructed: 0,
      dry_run: false,
    });
    expect(rows_read).toBeGreaterThan(everybody.length);
    expect(seconds).toBeGreaterThan(0);
    const row = await findRun(site.stores.primary, run);
    expect(row).toMatchObject({ kind: 'backfill', state: 'done', cursor: everybody.at(-1), counts: job.report });

    expect(progress.length).toBeGreaterThan(everybody.length / PAGE - 1);
    expect(progress.at(-1)).toMatchObject({ run, done: everybody.length, total: everybody.length });
    const middle = progress[5] as JobProgress;
    expect(middle.total).toBeGreaterThan(everybody.length * 0.7);
    expect(middle.total).toBeLessThan(everybody.length * 1.3);
  });

  it('keeps to a range, including both ends', async () => {
    await forgetAll();
    const [from, to] = [everybody[10] as Id, everybody[16] as Id];
    const job = createBackfill(await fresh(), { from, to });
    await runToEnd(job);
    expect(await warmUsers()).toEqual(everybody.slice(10, 17));
    expect(job.result.users).toBe(7);
  });

  it('only counts in a dry run', async () => {
    await forgetAll();
    const job = createBackfill(await fresh(), { dryRun: true });
    await runToEnd(job);
    expect(job.result).toMatchObject({ users: everybody.length, rebuilt: 0, dry_run: true });
    expect(await warmUsers()).toEqual([]);
  });

  it('does nothing if nobody has relationships', async () => {
    const job = createBackfill(await fresh(), { from: '1', to: '2' });
    await runToEnd(job);
    expect(job.result).toMatchObject({ users: 0, rebuilt: 0 });
  });

  it('reports a key that blocks an index', async () => {
    await forgetAll();
    const user = everybody[3] as Id;
    const job = createBackfill(await fresh(), { from: user, to: user });
    const { redis, prefix } = site.stores;
    const key = new KeyNames(prefix).set(user);
    await redis.set(key, 'not ours');
    await runToEnd(job);
    await redis.del(key);
    expect(job.result).toMatchObject({ users: 1, rebuilt: 0, obstructed: 1 });
  });

  it('delays users who lost every race', async () => {
    await forgetAll();
    const user = everybody[4] as Id;
    const raced: Steps['replace'] = async (_epoch, requests) => requests.map(() => 'raced');
    const job = createBackfill(await fresh({ steps: { ...site.repair.steps, replace: raced } }), {
      from: user,
      to: user,
    });
    await runToEnd(job);
    expect(job.result).toMatchObject({ rebuilt: 0, unsettled: 1 });
    const held = await until(async () => {
      const due = await site.stores.delayed.take(10, 60_000);
      return due.items.length > 0 && due;
    });
    expect(held.items).toEqual([{ kind: 'rebuild', user }]);
    await site.stores.delayed.finish(held);
  });
});

describe('a backfill that ends early', () => {
  it('continues at its cursor: killed 20 times, it repeats at most one page each time', async () => {
    await forgetAll();
    const { job, replaced } = await runThroughKills(site, {
      ...{ kills: 20, lifeOf: (kill) => 4 + (kill % 5) },
      create: async (stores, request) => createBackfill(await fresh({ ...stores, pageSize: 2 }), request),
    });
    expect(job.result.users).toBe(everybody.length);
    expect(new Set(replaced)).toEqual(new Set(everybody));
    expect(replaced.length).toBeLessThanOrEqual(everybody.length + 2 * 20);
    for (const user of everybody) await expectExact(site.stores, LIMITS, user, 'after 20 kills');
  });

  it('stops between two pages at the signal, and can be resumed', async () => {
    await forgetAll();
    const enough = new AbortController();
    const first = createBackfill(await fresh(), {});
    const stopped = runToEnd(first, { signal: enough.signal, onProgress: () => enough.abort(new Error('enough')) });
    await expect(stopped).rejects.toThrow('enough');
    expect(await warmUsers()).toEqual(everybody.slice(0, PAGE));

    const second = createBackfill(await fresh(), { resume: first.id });
    const progress: JobProgress[] = [];
    await runToEnd(second, { onProgress: (now) => progress.push(now) });
    expect(progress[0]?.done).toBe(2 * PAGE);
    expect(second.result).toMatchObject({ run: first.id, users: everybody.length, rebuilt: everybody.length });
    expect(await warmUsers()).toEqual(everybody);
  });

  it('has its writes refused once another process has the lease', async () => {
    const fence = await freshFence(site.stores);
    const job = createBackfill(await fresh({ fence }), {});
    await job.start();
    await job.runOnce();
    await nextFencingToken(site.stores.primary, fence.lease, Date.now());
    await expect(job.runOnce()).rejects.toThrow(`the lease '${fence.lease}' was given to another process`);
    expect((await findRun(site.stores.primary, job.id))?.cursor).toBe(everybody[PAGE - 1]);
  });

  it('retries a page when a store was briefly unavailable', async () => {
    let failures = 2;
    const topContacts: Steps['topContacts'] = async (users) => {
      if (failures-- > 0) throw new DatabaseUnavailable('away');
      return await site.repair.steps.topContacts(users);
    };
    const job = createBackfill(await fresh({ steps: { ...site.repair.steps, topContacts } }), {});
    await runToEnd(job);
    expect(job.result.rebuilt).toBe(everybody.length);
  });

  it.each([
    [{ from: '9', to: '8' }, 'the range is empty: from is greater than to'],
    [{ from: '1', sample: 3 }, 'either a range of users or a sample of them'],
    [{ rate: 0 }, 'rate: users a second, greater than 0'],
    [{ from: '01' }, 'from: not an id'],
  ])('%j is refused', async (request, message) => {
    const attempt = async () => {
      const job = createBackfill(await fresh(), request);
      await job.start();
    };
    await expect(attempt()).rejects.toThrow(message);
    await expect(attempt()).rejects.toMatchObject({ name: 'InvalidJob' });
  });

  it('does not resume a run that is done, of another kind, or that does not exist', async () => {
    const unknown = createBackfill(await fresh(), { resume: '999999' }).start();
    await expect(unknown).rejects.toThrow('There is no run 999999.');
    const job = createBackfill(await fresh(), { sample: 1 });
    await job.start();
    await expect(createRepair(site.repair, { resume: job.id }).start()).rejects.toThrow(
      `run ${job.id} is a backfill: resume it by \`recency backfill\``,
    );
    await job.runOnce();
    await job.runOnce();
    await expect(createBackfill(await fresh(), { resume: job.id }).start()).rejects.toThrow(`run ${job.id} is done`);
  });
});

describe('the rate of a backfill', () => {
  it('is at most the given number of users a second', async () => {
    const from = performance.now();
    const { steps, replaced } = watched(site.repair.steps);
    await runToEnd(createBackfill(await fresh({ steps }), { rate: 40, to: everybody[29] as Id }));
    // The first page is free; 25 more users take 25/40 of a second.
    expect(performance.now() - from).toBeGreaterThan(600);
    expect(replaced.every((page) => page.length <= PAGE)).toBe(true);
  });

  it('has pages of at most one second, and a signal ends its wait', async () => {
    const { steps, replaced } = watched(site.repair.steps);
    const enough = new AbortController();
    const job = createBackfill(await fresh({ steps }), { rate: 0.5 });
    const stopped = runToEnd(job, { signal: enough.signal, onProgress: () => setTimeout(() => enough.abort(), 5) });
    await expect(stopped).rejects.toThrow(/abort/i);
    expect(replaced).toEqual([[everybody[0]]]);
  });
});

describe('several processes that start a backfill', () => {
  it('run it one after the other', async () => {
    let running = 0;
    let most = 0;
    const steps: Steps = {
      ...site.repair.steps,
      claim: async (users) => {
        most = Math.max(most, ++running);
        await sleep(1);
        running--;
        return await site.repair.steps.claim(users);
      },
    };
    const base = await fresh({ steps, now: () => 0 }); // batches of a stopped clock never shrink, so each page is one batch
    const jobs = await Promise.all(
      Array.from({ length: 3 }, () =>
        leasesOn(site.stores, { ttlMs: 60_000 }).hold('backfill', async ({ name, token }) => {
          const job = createBackfill({ ...base, fence: { lease: name, token } }, {});
          await runToEnd(job);
          return job;
        }),
      ),
    );
    expect(jobs.map((job) => job.result.rebuilt)).toEqual([1, 1, 1].map(() => everybody.length));
    expect(most).toBe(1);
  });
});
