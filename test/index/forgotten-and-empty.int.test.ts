import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import { planWork, TaskWorker } from '../../src/consumers/work-plan.ts';
import type { Id } from '../../src/contracts/id.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { refresh } from '../../src/index/refresh.ts';
import { ColdBuilds } from '../../src/query/cold-builds.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { LONG_AGO, rewriteMeta } from '../support/index-meta.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';
import { until } from '../support/until.ts';
import { logger } from '../transport/place.ts';

const USER = '1';
const LONELY = '2';

let stores: Stores;
let pool: Pool;
let names: KeyNames;

beforeAll(async () => {
  stores = await freshStores({ max: 6, min: 2 });
  pool = freshSitePool(stores.url);
  names = new KeyNames(stores.prefix);
  const site = everybodyKnows([USER, '3'], ['11', '12', '13']);
  const quiet = { user: LONELY, contact: '14', friend: false, family: false, active: true };
  await writeSite(pool, { ...site, users: [...site.users, LONELY, '14'], ties: [...site.ties, quiet] });
});

const build = (users: readonly Id[], steps: Steps = stores.steps) => run(rebuild(users, true), steps);
const stateOf = async (user: Id) => (await stores.index.read(user, 0, false)).state;
const ttlOf = (user: Id) => stores.redis.pttl(names.meta(user));
const keysOf = (user: Id) => stores.redis.exists(names.meta(user), names.set(user));

async function photo(owner: Id, at: number): Promise<void> {
  await pool.query('UPDATE users SET last_public_at = ? WHERE id = ?', [at, owner]);
}

/** The lists as the API returns them, and the builds that its reads requested. */
function reader() {
  const built: Id[] = [];
  const builds = new ColdBuilds({
    build: async (user) => {
      built.push(user);
      const { small } = await run(rebuild([user]), stores.steps);
      return small.length > 0 ? 'small' : 'built';
    },
    concurrency: 4,
    queue: 10_000,
    onError: (error) => {
      throw error;
    },
  });
  const onCold = (user: Id) => builds.request(user);
  const recent = recentContactsOn(stores, { max: 6, min: 2 }, { onCold, touch: true });
  const read = async (user: Id) => {
    const answer = await recent.find({ user, relation: 'any', limit: 2, below: undefined });
    await until(() => builds.underWay === 0);
    return answer;
  };
  return { built, read };
}

describe('an empty index', () => {
  it('expires, whatever is read from it or written to it, until it has a row', async () => {
    expect((await build([LONELY])).rebuilt).toEqual([LONELY]);
    const expires = async () => expect(await ttlOf(LONELY)).toBeGreaterThan(0);
    await expires();
    await run(refresh([{ user: LONELY, contact: '14' }]), stores.steps);
    expect(await stateOf(LONELY)).toBe('warm');
    await expires();
    await rewriteMeta(stores.redis, names.meta(LONELY), { day: LONG_AGO });
    await stores.redis.pexpire(names.meta(LONELY), 50_000);
    await stores.index.read(LONELY, 0, true);
    expect(await stores.index.read(LONELY, 0, false)).toMatchObject({
      lastUsed: expect.not.toSatisfy((day) => day === 1),
    });
    await expires();

    await photo('14', 5_000);
    await run(refresh([{ user: LONELY, contact: '14' }]), stores.steps);
    expect(await stores.index.read(LONELY, 0, false)).toMatchObject({ size: 1, head: [{ id: '14', at: 5_000 }] });
    expect(await ttlOf(LONELY)).toBe(-1);

    await photo('14', 0);
    await run(refresh([{ user: LONELY, contact: '14' }]), stores.steps);
    expect(await stores.index.read(LONELY, 0, false)).toMatchObject({ state: 'warm', size: 0 });
    await expires();
  });

  it('is not kept for a user whom MySQL does not know, who is not looked up at every read', async () => {
    const unknown = Array.from({ length: 100 }, (_, i) => String(7_000_000 + i));
    const { built, read } = reader();
    for (let time = 1; time <= 3; time++) {
      for (const answer of await Promise.all(unknown.map(read))) {
        expect(answer).toMatchObject({ contacts: [], complete: true, exact: true });
      }
    }
    expect(built.sort()).toEqual(unknown);
    expect(await stores.redis.keys(`${stores.prefix}:{*}:7000*`)).toEqual([]);
  });

  it('is deleted with the last row of its user', async () => {
    await writeTie('5', '11');
    expect((await build(['5'])).rebuilt).toEqual(['5']);
    await pool.query('DELETE FROM contacts WHERE user_id = 5');
    expect(await build(['5'])).toMatchObject({ rebuilt: [], small: ['5'] });
    expect(await keysOf('5')).toBe(0);
  });

  it('never hides a contact that is added while the user is looked up', async () => {
    await pool.query('INSERT IGNORE INTO users (id) VALUES (6)');
    const steps: Steps = {
      ...stores.steps,
      owners: async (users) => {
        const owners = await stores.steps.owners(users);
        await writeTie('6', '11');
        await run(refresh([{ user: '6', contact: '11' }]), stores.steps);
        return owners;
      },
    };
    await run(rebuild(['6']), steps);
    const reading = await stores.index.read('6', 0, false);
    if (reading.state === 'warm') expect(reading.head.map(({ id }) => id)).toEqual(['11']);
  });
});

async function writeTie(user: Id, contact: Id): Promise<void> {
  await pool.query('INSERT IGNORE INTO users (id) VALUES (?)', [user]);
  await pool.query('INSERT IGNORE INTO contacts (user_id, contact_id) VALUES (?, ?)', [user, contact]);
}

describe('a forgotten user', () => {
  const task = { task: { type: 'recency.user.deleted' as const, user: USER }, position: 'p 1' };

  it.each([
    ['steps.forget', () => stores.steps.forget([USER])],
    [
      'the task recency.user.deleted',
      () => new TaskWorker({ steps: stores.steps, pageSize: 10 }).work(planWork([task])),
    ],
  ])('stays so when a build under way had read MySQL before: %s', async (_by, forget) => {
    await stores.redis.del(...[names.meta(USER), names.set(USER)]);
    for (const isWarm of [false, true]) {
      if (isWarm) await build([USER]);
      const [hasRead, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const held: Steps = {
        ...stores.steps,
        replace: async (...args) => {
          hasRead.resolve();
          await goesOn.promise;
          return await stores.steps.replace(...args);
        },
      };
      const building = run(rebuild([USER]), held);
      await hasRead.promise;
      await forget();
      goesOn.resolve();
      expect(await building).toMatchObject({ rebuilt: [], unsettled: [], forgotten: [USER] });
      expect(await keysOf(USER)).toBe(0);
      expect(await build([USER])).toMatchObject({ rebuilt: [USER] });
    }
  });

  it('loses its waiting work, and work already taken has no effect', async () => {
    await build([USER]);
    const queue = new DelayQueue(stores.redis, stores.prefix);
    await stores.delayed.defer({
      pairs: [
        { user: USER, contact: '11' },
        { user: '11', contact: USER },
      ],
      rebuilds: [USER, '3'],
    });
    let taken = 0;
    await until(async () => {
      taken += (await stores.delayed.take(10, 60_000)).items.length;
      return taken === 4;
    });
    await stores.steps.forget([USER]);
    expect(await queue.waiting([''])).toEqual(
      new Set(['{"kind":"refresh","user":"11","contact":"1"}', '{"kind":"rebuild","user":"3"}']),
    );
    await stores.delayed.askForRebuild(USER); // as a build does that was too slow for the API
    const worker = new DelayedWorker({
      watch: TRUSTED,
      ...{ steps: stores.steps, patient: stores.patient, delayed: stores.delayed, rechecks: stores.rechecks, logger },
      answers: async () => true,
      deadLetters: { put: async () => undefined } as never,
    });
    await until(async () => {
      await worker.runOnce();
      return !(await queue.waiting([''])).has(`{"kind":"rebuild","user":"${USER}"}`);
    });
    expect(await stateOf(USER)).toBe('cold');
  });

  it('is rebuilt on the next read, and not before', async () => {
    await build([USER]);
    await stores.steps.forget([USER]);
    expect((await run(rebuild([USER]), stores.steps)).forgotten).toEqual([USER]);
    const { built, read } = reader();
    expect(await read(USER)).toMatchObject({ source: 'database', reason: 'cold' });
    expect(built).toEqual([USER]);
    expect(await read(USER)).toMatchObject({ source: 'index' });
    await stores.steps.forget([USER]);
    expect((await build([USER])).rebuilt).toEqual([USER]); // who asks for this very build
  });

  it('keeps a note for an hour', async () => {
    await build([USER]);
    await stores.steps.forget([USER]);
    const [note = ''] = await stores.redis.keys(`${stores.prefix}:{*}:${USER}:f`);
    const ms = await stores.redis.pttl(note);
    expect(ms).toBeGreaterThan(3_000_000);
    expect(ms).toBeLessThanOrEqual(3_600_000);
  });
});
