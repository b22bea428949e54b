import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { ENDLESS } from '../../src/index/allowance.ts';
import type { RaiseBarrier } from '../../src/index/drain-barrier.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { refresh } from '../../src/index/refresh.ts';
import { findRun } from '../../src/mysql/runs.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import { readUsersAmong } from '../../src/mysql/statements/users.ts';
import { runToEnd } from '../../src/repair/job.ts';
import type { RepairResult } from '../../src/repair/repair.ts';
import type { RunRequest } from '../../src/repair/run-parameters.ts';
import { removeContact } from '../../src/tools/reference-site/relationships.ts';
import { expectExact } from '../support/exact.ts';
import { createRepair } from '../support/jobs-of-contacts.ts';
import { runThroughKills } from '../support/mortal-job.ts';
import { PLANTS, plantEach, spoil, unreadableFloor } from '../support/plant-drift.ts';
import { freshFence, freshSite, LIMITS, type RepairSite } from '../support/repair-site.ts';
import { until } from '../support/until.ts';

const USERS = 210;

/** Users with each class of drift. */
const OF_EACH = 20;

const site = await freshSite({ users: USERS, settleMs: 300 });
const { everybody } = site;
beforeEach(async () => {
  await site.rebuildAll();
  await site.pool.query('UPDATE recency_outbox SET published_at = 1');
});

async function start(
  request: RunRequest = {},
  changes: Partial<RepairSite['repair']> = {},
): Promise<ReturnType<typeof createRepair>> {
  const pageSize = 50;
  const job = createRepair({ ...site.repair, pageSize, fence: await freshFence(site.stores), ...changes }, request);
  await job.start();
  return job;
}

async function repair(request: RunRequest = {}, changes: Partial<RepairSite['repair']> = {}): Promise<RepairResult> {
  const job = await start(request, changes);
  await runToEnd({
    start: async () => undefined,
    runOnce: (signal) => job.runOnce(signal),
    progress: () => job.progress(),
  });
  return job.result;
}

const someone = (i: number) => everybody[i] as Id;

describe('repair', () => {
  it('names the wrong users and their mismatches', async () => {
    await spoil(site.stores, someone(4), PLANTS.score);
    const { wrong_users } = await repair();
    expect(wrong_users).toMatchObject([{ user: someone(4), mismatches: [{ class: 'score' }] }]);
  });

  it('repairs a floor that is not a number', async () => {
    await spoil(site.stores, someone(4), unreadableFloor);
    expect(await repair()).toMatchObject({ wrong: 1, repaired: 1, still_wrong: 0, classes: { floor: 1 } });
  });

  it('leaves alone cold users and a foreign key, which it reports as still wrong', async () => {
    await site.stores.index.drop([someone(1)]);
    await spoil(site.stores, someone(2), PLANTS.wrong_type);
    const result = await repair();
    expect(result).toMatchObject({ cold: 1, wrong: 1, repaired: 0, still_wrong: 1, classes: { wrong_type: 1 } });
    expect((await site.stores.index.read(someone(1), 0, false)).state).toBe('cold');
    await spoil(site.stores, someone(2), async ({ redis, z }) => {
      expect(await redis.get(z)).toBe('not ours');
      await redis.del(z);
    });
  });

  it('repairs nothing in a dry run', async () => {
    await spoil(site.stores, someone(4), PLANTS.ghost);
    const before = await site.stores.index.nonces(everybody);
    expect(await repair({ dryRun: true })).toMatchObject({ wrong: 1, repaired: 0, still_wrong: 0, dry_run: true });
    expect(await site.stores.index.nonces(everybody)).toEqual(before);
    expect(await repair()).toMatchObject({ wrong: 1, repaired: 1 });
  });

  it('continues at its cursor', async () => {
    await spoil(site.stores, someone(0), PLANTS.ghost);
    await spoil(site.stores, someone(60), PLANTS.score);
    const first = await start();
    await first.runOnce();
    expect(first.result).toMatchObject({ users: 50, wrong: 1, repaired: 1 });
    const result = await repair({ resume: first.id });
    expect(result).toMatchObject({ run: first.id, users: everybody.length, wrong: 2, repaired: 2, still_wrong: 0 });
  });

  it('resumes a sample with as many users as were left', async () => {
    const first = await start({ sample: 60 });
    await first.runOnce();
    expect(first.progress()).toMatchObject({ done: 50, total: 60 });
    expect(await repair({ resume: first.id })).toMatchObject({ users: 60, wrong: 0 });
  });
});

describe('an orphaned index', () => {
  const ORPHANED = ['5', '18446744073709551614'];

  /** As when a site has deleted their rows without a task. */
  async function plantOrphaned(): Promise<void> {
    const { primary, index, steps } = site.stores;
    const { epoch } = await steps.topContacts(['1']);
    const top = [{ id: '77', at: 5 }];
    const [seen = '', other = ''] = await index.claim(ORPHANED);
    await index.replace(epoch, [
      { user: ORPHANED[0] as Id, seen, top, allowance: ENDLESS },
      { user: ORPHANED[1] as Id, seen: other, top, allowance: ENDLESS },
    ]);
    expect(await readUsersAmong(primary, ORPHANED)).toEqual([]);
    onTestFinished(() => index.drop(ORPHANED));
  }

  it('is found among the keys of Redis, counted and repaired', async () => {
    await plantOrphaned();
    const { redis, prefix } = site.stores;
    await redis.set(`${prefix}:{1}:x:z`, 'of somebody else');
    onTestFinished(() => void redis.del(`${prefix}:{1}:x:z`));
    const users = everybody.length + ORPHANED.length;
    const classes = { ghost: ORPHANED.length };
    expect(await repair({ dryRun: true })).toMatchObject({ users, wrong: 2, visible: 0, classes });
    const result = await repair();
    expect(result).toMatchObject({ users, wrong: 2, repaired: 2, still_wrong: 0, classes });
    expect((await findRun(site.stores.primary, result.run))?.cursor).toBe(everybody.at(-1));
    for (const user of ORPHANED) expect(await site.stores.index.read(user, 0, false)).toEqual({ state: 'cold' });
    expect(await repair()).toMatchObject({ users: everybody.length, wrong: 0 });
  });

  it('is searched again when a run ended among the orphaned indexes', async () => {
    await plantOrphaned();
    const [last] = everybody.slice(-1);
    const first = await start({ from: String(BigInt(last as Id) - 1n) });
    await first.runOnce();
    expect(first.result).toMatchObject({ users: 2, wrong: 0 });
    expect(await repair({ resume: first.id })).toMatchObject({ users: 3, wrong: 1, repaired: 1 });
  });
});

describe('a repair that is killed', () => {
  it('20 times continues at its cursor: it repeats at most one page each time, and repairs everything', async () => {
    const planted = await plantEach(site.stores, everybody, OF_EACH);
    const { job, replaced } = await runThroughKills(site, {
      ...{ kills: 20, lifeOf: (kill) => 3 + (kill % 4) },
      create: async (stores, request) => {
        const fence = await freshFence(site.stores);
        return createRepair({ ...site.repair, pageSize: 10, fence, ...stores }, request);
      },
    });
    expect(job.result).toMatchObject({ users: everybody.length, still_wrong: 0 });
    expect(new Set(replaced)).toEqual(new Set(planted.keys()));
    expect(replaced.length).toBeLessThanOrEqual(planted.size + 10 * 20);
    for (const user of everybody) await expectExact(site.stores, LIMITS, user, 'after 20 kills');
  });
});

describe('repair of a live system', () => {
  /** Removes the user's best contact; its task stays in the outbox. */
  async function change(user: Id): Promise<Id> {
    const { tops } = await readTopContacts(site.stores.primary, [user], 1);
    const contact = tops[0]?.[0]?.id as Id;
    await removeContact(site.pool, user, contact);
    return contact;
  }

  const publish = () => site.pool.query('UPDATE recency_outbox SET published_at = 2 WHERE published_at IS NULL');

  it('does not count a pending change as drift, and rebuilds the user all the same', async () => {
    await change(someone(5));
    const others = everybody.filter((user) => user !== someone(5));
    const before = await site.stores.index.nonces(others);
    expect(await repair({ dryRun: true })).toMatchObject({ wrong: 0, unsettled: 1, repaired: 0 });
    expect(await repair()).toMatchObject({ wrong: 0, unsettled: 1, repaired: 1, still_wrong: 0, still_unsettled: 0 });
    await expectExact(site.stores, LIMITS, someone(5), 'after repair');
    expect(await site.stores.index.nonces(others)).toEqual(before);
  });

  it('waits until the change is applied', async () => {
    const user = someone(6);
    const contact = await change(user);
    let looked = 0;
    let arriving: Promise<void> | undefined;
    /** After the first look and the barrier: delayed, published (a task is in the next place before it leaves one), and applied. */
    const arrive = async () => {
      const { delayed, steps } = site.stores;
      await delayed.defer({ pairs: [{ user, contact }], rebuilds: [] });
      await publish();
      const held = await until(async () => {
        const due = await delayed.take(10, 60_000);
        return due.items.length > 0 && due;
      });
      await run(refresh([{ user, contact }]), steps);
      await delayed.finish(held);
    };
    const raiseBarrier: RaiseBarrier = async (suspects) => {
      const barrier = await site.raiseBarrier(suspects);
      if (looked++ === 0) arriving = arrive();
      return barrier;
    };
    const result = await repair({}, { check: site.checkWith(raiseBarrier, 60_000) });
    await arriving;
    expect(result).toMatchObject({ wrong: 0, unsettled: 0 });
    expect(looked).toBe(1);
  });

  it('confirms a difference that remains after all pending work: its task was lost', async () => {
    await change(someone(7));
    await publish();
    expect(await repair()).toMatchObject({
      wrong: 1,
      unsettled: 0,
      repaired: 1,
      still_wrong: 0,
      classes: { ghost: 1 },
    });
    await expectExact(site.stores, LIMITS, someone(7), 'after repair');
  });

  it('never overwrites a newer write', async () => {
    const user = someone(8);
    await spoil(site.stores, user, PLANTS.score);
    let between = 0;
    const steps: Steps = {
      ...site.repair.steps,
      topContacts: async (users) => {
        const read = await site.repair.steps.topContacts(users);
        if (between++ > 0) return read;
        const contact = await change(user); // after the read, before the write
        await run(refresh([{ user, contact }]), site.stores.steps);
        await publish();
        return read;
      },
    };
    expect(await repair({}, { steps })).toMatchObject({ wrong: 1, repaired: 1, still_wrong: 0 });
    expect(between).toBe(2);
    await expectExact(site.stores, LIMITS, user, 'after repair');
  });

  it('ends at the signal while it waits', async () => {
    await change(someone(9));
    const enough = new AbortController();
    const job = await start();
    const running = job.runOnce(enough.signal);
    enough.abort(new Error('enough'));
    await expect(running).rejects.toThrow(/abort|enough/i);
  });
});
