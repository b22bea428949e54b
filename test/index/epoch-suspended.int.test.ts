import type { Pool } from 'mysql2/promise';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { adopt } from '../../src/app/adopt-settings.ts';
import { loadConfig } from '../../src/config/config.ts';
import { LossRecovery, type LossRecoveryOptions } from '../../src/consumers/loss-recovery.ts';
import type { Id } from '../../src/contracts/id.ts';
import { ENDLESS } from '../../src/index/allowance.ts';
import { bumpEpoch, checkMysqlServer } from '../../src/index/epoch.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import { isSuspended } from '../../src/mysql/epoch-token.ts';
import { readEpochState } from '../../src/mysql/losses.ts';
import { sentenceOf } from '../../src/query/verdict.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { startNewEpoch } from '../../src/tools/reference-site/last-uploads.ts';
import type { GroupPositions, Loss } from '../../src/transport/task-source.ts';
import { createBackfill } from '../support/jobs-of-contacts.ts';
import { putOnRecord } from '../support/on-record.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { logger } from '../transport/place.ts';

const USER = '1';
const CONTACTS = ['11', '12', '13'];

let stores: Stores;
let pool: Pool;

beforeAll(async () => {
  stores = await freshStores();
  pool = freshSitePool(stores.url);
});

beforeEach(async () => {
  await writeSite(pool, everybodyKnows([USER], CONTACTS));
  await bumpEpoch(stores.primary, 'a test begins');
  await stores.index.drop([USER]);
});

/** A group of two partitions whose positions the test decides. */
class Group implements GroupPositions {
  readonly ends = new Map([
    ['a', 10],
    ['b', 10],
  ]);
  readonly positions = new Map([
    ['a', 0],
    ['b', 0],
  ]);

  placesOf({ partitions = [0, 1] }: Loss): string[] {
    return partitions.map((partition) => (partition === 0 ? 'a' : 'b'));
  }

  owns(place: string): boolean {
    return this.ends.has(place);
  }

  async endOf(place: string): Promise<string> {
    return String(this.ends.get(place));
  }

  async isPast(place: string, end: string): Promise<boolean> {
    return Number(this.positions.get(place)) >= Number(end);
  }
}

const loss = (partition: number): Loss => ({ reason: 'gap', detail: `in ${partition}`, partitions: [partition] });

function recovery(group: Group, options: Partial<LossRecoveryOptions> = {}): LossRecovery {
  return new LossRecovery({ database: stores.primary, positions: group, logger, ...options });
}

const state = () => readEpochState(stores.primary);
const token = async () => (await state()).epoch.token;

async function answer(onCold: (user: Id) => void = () => undefined) {
  const recent = recentContactsOn(stores, { max: 4, min: 2 }, { onCold });
  const { source, reason, exact, contacts } = await recent.find({
    ...{ user: USER, relation: 'any', limit: 2, below: undefined },
  });
  return { source, reason, exact, ids: contacts.map(({ id }) => id) };
}

const PLAIN = { source: 'database', reason: 'cold', exact: true, ids: ['13', '12'] };

describe('while a loss is known', () => {
  it('no answer comes from an index that was there, and none is built or written', async () => {
    expect((await run(rebuild([USER]), stores.steps)).rebuilt).toEqual([USER]);
    expect((await answer()).source).toBe('index');
    await recovery(new Group()).found(loss(0));
    expect(await answer()).toEqual(PLAIN);
    expect(await run(rebuild([USER]), stores.steps)).toMatchObject({ rebuilt: [], unsettled: [], suspended: [USER] });
    expect(await answer()).toEqual(PLAIN);
    await run(refresh([{ user: USER, contact: '12' }]), stores.steps);
    expect((await stores.index.read(USER, 0, false)).state).not.toBe('warm');
    expect(await answer()).toEqual(PLAIN);
  });

  it('a backfill is refused, a dry one is not', async () => {
    await recovery(new Group()).found(loss(0));
    const { primary, steps } = stores;
    const fence = { lease: 'backfill', token: '1' };
    const common = { primary, steps, fence, clock: Date.now, rowsRead: () => 0, now: () => 0, random: () => 0 };
    const backfill = (dryRun: boolean) => runToEnd(createBackfill(common, { dryRun }));
    await expect(backfill(false)).rejects.toThrow(/suspended \(tasks were lost: gap: in 0\)/);
    await backfill(true);
    const killed = createBackfill(common, { dryRun: true });
    await killed.start();
    await runToEnd(createBackfill(common, { resume: killed.id }));
  });

  it('adopted settings end it only if the tasks are in another place', async () => {
    const { primary } = stores;
    const config = loadConfig({});
    await adopt(primary, config);
    await recovery(new Group()).found(loss(0));
    const before = await state();
    expect(await adopt(primary, config)).toMatchObject({ suspended: true });
    expect(await state()).toMatchObject({ suspended: true, losses: before.losses });
    expect(await adopt(primary, { ...config, topic: 'another' })).toMatchObject({ suspended: false });
    expect(await state()).toMatchObject({ suspended: false, losses: [] });
  });

  it('an explanation does not say that the next read builds the index', async () => {
    await recovery(new Group()).found(loss(0));
    const { token } = (await state()).epoch;
    expect(sentenceOf('cold', token)).toMatch(
      /^The user has no index.*No index is built while the epoch is suspended\.$/,
    );
  });

  it('an index whose build begins before it and ends after it is cold', async () => {
    const [seen = ''] = await stores.steps.claim([USER]);
    const { epoch, tops } = await stores.steps.topContacts([USER]);
    await recovery(new Group()).found(loss(0));
    await stores.steps.replace(epoch, [{ user: USER, seen, top: tops[0] ?? [], allowance: ENDLESS }]);
    expect(await answer()).toEqual(PLAIN);
  });

  it('another server, and a bulk change, end nothing', async () => {
    await checkMysqlServer(stores.primary);
    await recovery(new Group()).found(loss(0));
    const before = await state();
    await putOnRecord(stores.primary);
    expect(await checkMysqlServer(stores.primary)).toBe('suspended');
    expect(await checkMysqlServer(stores.primary)).toBe('known');
    await stores.primary.transaction((connection) => startNewEpoch(connection, 'a bulk change'));
    const { suspended, epoch, losses } = await state();
    expect({ suspended, why: epoch.why, losses }).toEqual({
      ...{ suspended: true, losses: before.losses },
      why: before.epoch.why,
    });
    expect(epoch.token).not.toBe(before.epoch.token);
  });

  it('a new epoch by hand ends it', async () => {
    await recovery(new Group()).found(loss(0));
    const by = await bumpEpoch(stores.primary, 'a person knows better');
    expect(await state()).toMatchObject({ suspended: false, epoch: { token: by }, losses: [] });
    expect(isSuspended(by)).toBe(false);
    expect((await run(rebuild([USER]), stores.steps)).rebuilt).toEqual([USER]);
    expect((await answer()).source).toBe('index');
  });
});

describe('the suspension ends', () => {
  it('with one new epoch, when every partition with a loss has reached the end it had at the loss', async () => {
    const group = new Group();
    const told: string[] = [];
    const one = recovery(group, { onNewEpoch: () => told.push('one'), onLoss: ({ detail }) => told.push(detail) });
    const other = recovery(group, { onNewEpoch: () => told.push('other') });
    const third = recovery(group, { onNewEpoch: () => told.push('third') });
    await one.found(loss(0));
    await other.found(loss(1));
    expect(await one.runOnce()).toBe(true); // looks up the ends
    expect((await state()).losses).toMatchObject([
      { place: 'a', end: '10', what: 'tasks were lost: gap: in 0' },
      { place: 'b', end: '10' },
    ]);
    group.ends.set('a', 20); // what comes later need not be waited for
    group.positions.set('a', 10);
    expect(await one.runOnce()).toBe(true);
    expect((await state()).losses).toMatchObject([{ place: 'b' }]);
    group.positions.set('b', 9);
    expect(await other.runOnce()).toBe(true);
    group.positions.set('b', 10);
    expect(await Promise.all([one.runOnce(), other.runOnce(), third.runOnce()])).toContain(false);
    const { suspended, epoch, losses } = await state();
    expect({ suspended, losses, why: epoch.why }).toEqual({
      suspended: false,
      losses: [],
      why: 'tasks were lost: gap: in 0',
    });
    expect(isSuspended(epoch.token)).toBe(false);
    expect(await one.runOnce()).toBe(false);
    expect(await token()).toBe(epoch.token);
    expect(told).toEqual(['in 0', expect.stringMatching(/^(one|other|third)$/)]);
  });

  it('later, if another loss is found before that: the end at the last loss counts', async () => {
    const group = new Group();
    const consumer = recovery(group);
    await consumer.found(loss(0));
    await consumer.runOnce();
    const first = await token();
    group.positions.set('a', 10);
    group.ends.set('a', 30);
    await consumer.found(loss(0));
    expect(await token()).not.toBe(first);
    expect(isSuspended(await token())).toBe(true);
    expect(await consumer.runOnce()).toBe(true);
    group.positions.set('a', 29);
    expect(await consumer.runOnce()).toBe(true);
    group.positions.set('a', 30);
    expect(await consumer.runOnce()).toBe(false);
  });

  it('not by an end that was read before the last loss was found', async () => {
    const group = new Group();
    const consumer = recovery(group);
    await consumer.found(loss(0));
    await consumer.runOnce();
    group.positions.set('a', 10);
    const slow = recovery(
      Object.assign(new Group(), {
        isPast: async () => {
          await consumer.found(loss(0)); // while this one looks
          return true;
        },
      }),
    );
    expect(await slow.runOnce()).toBe(true);
    expect(await state()).toMatchObject({ suspended: true, losses: [{ place: 'a', end: null }] });
  });

  it('also if the finder is gone, but not for losses of another group', async () => {
    const group = new Group();
    await recovery(group).found(loss(0));
    const another = recovery(Object.assign(new Group(), { owns: () => false }));
    expect(await another.runOnce()).toBe(true);
    group.positions.set('a', 10);
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const told: string[] = [];
    const next = recovery(group, { onNewEpoch: () => told.push('a new epoch'), intervalMs: 5, idleMs: 5 });
    const running = next.run(ending.signal);
    await until(async () => !(await state()).suspended);
    await until(() => told.length === 1);
    ending.abort();
    await running;
  });
});
