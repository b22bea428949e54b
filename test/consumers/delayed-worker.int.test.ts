import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { expectExact } from '../support/exact.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshRedis, freshStores, type Stores, storesOn } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 4, min: 2 };
const USERS = Array.from({ length: 20 }, (_, i) => String(1 + i));
const CONTACTS = Array.from({ length: 6 }, (_, i) => String(101 + i));

let stores: Stores;
let queue: DelayQueue;
beforeEach(async () => {
  stores = await freshStores(LIMITS);
  queue = new DelayQueue(stores.redis, stores.prefix);
  await writeSite(freshSitePool(stores.url), everybodyKnows(USERS, CONTACTS));
});

function worker(steps: Partial<Steps>, patient: Partial<Steps> = {}, of: Stores = stores) {
  const said: Record<string, unknown>[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void said.push(JSON.parse(line)) });
  const own = { steps: { ...of.steps, ...steps }, patient: { ...of.patient, ...patient } };
  const answers = async () => true; // what fails, fails by itself
  return { said, worker: new DelayedWorker({ watch: TRUSTED, ...of, ...own, logger, answers }) };
}

/** Runs the worker until the returned function is called. */
function working(delayed: DelayedWorker): () => Promise<void> {
  const ending = new AbortController();
  const running = delayed.run(ending.signal);
  const stop = async () => {
    ending.abort();
    await running;
  };
  onTestFinished(stop);
  return stop;
}

describe('delayed work', () => {
  it('refreshes indexes at maxmemory, where the first build of another is refused', async () => {
    await using server = await startRedis({ args: ['--maxmemory-policy', 'noeviction'] });
    const redis = await freshRedis(server.url);
    const of = storesOn({ ...stores, redis }, LIMITS);
    await run(rebuild(['1']), of.steps);
    await of.primary.write('UPDATE contacts SET active = FALSE WHERE user_id = 1 AND contact_id = 106', []);
    await of.delayed.defer({ pairs: [{ user: '1', contact: '106' }], rebuilds: ['2'] });
    const waiting = new DelayQueue(redis, of.prefix);
    await redis.config('SET', 'maxmemory', '1');
    const { worker: delayed } = worker({}, {}, of);
    await until(() =>
      delayed
        .runOnce()
        .then(() => false)
        .catch(() => true),
    );
    await expectExact(of, LIMITS, '1', 'at maxmemory');
    expect([...(await waiting.waiting(['']))]).toEqual([JSON.stringify({ kind: 'rebuild', user: '2' })]);
  });

  it('puts the next re-check of a pair once if the re-check of another pair fails', async () => {
    await run(rebuild(['1', '2']), stores.steps);
    await stores.rechecks.put([{ user: '1', contact: '101', version: '9' }], 1);
    await stores.rechecks.put([{ user: '2', contact: '101', version: '9' }], 2);
    await stores.primary.write('UPDATE recency_outbox SET due_at = 1', []);
    const pairs: Steps['pairs'] = async (asked) => {
      if (asked.some(({ user }) => user === '2')) throw new Error('a row that cannot be read');
      return await stores.steps.pairs(asked);
    };
    await worker({ pairs }).worker.runOnce();
    const rows = await stores.primary.rows('SELECT user_id, attempt FROM recency_outbox ORDER BY user_id', []);
    expect(rows.map(([user, attempt]) => [Number(user), Number(attempt)])).toEqual([
      [1, 2],
      [2, 3],
    ]);
  });

  it('is left as it is when the process ends, even during the search for the failing part', async () => {
    await run(rebuild(USERS), stores.steps);
    await stores.delayed.defer({ pairs: USERS.map((user) => ({ user, contact: '101' })), rebuilds: [] });
    const ending = new AbortController();
    let calls = 0;
    const pairs: Steps['pairs'] = async () => {
      calls++;
      ending.abort();
      throw new Error('a row that cannot be read');
    };
    await worker({ pairs }).worker.run(ending.signal);
    expect(calls).toBe(1);
    expect(await queue.size()).toBe(USERS.length);
  });
});

describe('a slow rebuild', () => {
  const NOBODY = async () => ({ epoch: '', tops: [] });

  it('is finished although it was requested and taken again while it ran', async () => {
    const release = Promise.withResolvers<void>();
    let asked = 0;
    let begun = 0;
    const { worker: delayed } = worker(
      {
        topContacts: async () => {
          asked++;
          return await NOBODY();
        },
      },
      {
        topContacts: async (users) => {
          begun++;
          await release.promise;
          return await stores.patient.topContacts(users);
        },
      },
    );
    working(delayed);
    await stores.delayed.defer({ pairs: [], rebuilds: ['1'] });
    await until(() => begun === 1);
    await stores.delayed.askForRebuild('1');
    await until(() => asked === 2);
    await until(async () => (await stores.redis.zcard(`${stores.prefix}:{delay}:due`)) === 0);
    release.resolve();
    await until(async () => (await queue.size()) === 0);
    expect(begun).toBe(1);
    await expectExact(stores, LIMITS, '1', 'built');
  });

  it('stays leased, and is reported once, if it lost every race', async () => {
    let races = 0;
    const { worker: delayed, said } = worker(
      { topContacts: NOBODY },
      {
        replace: async (_epoch, requests) => {
          races++;
          return requests.map(() => 'raced' as const);
        },
      },
    );
    working(delayed);
    await stores.delayed.defer({ pairs: [], rebuilds: ['1'] });
    await until(() => said.length > 0);
    const end = await stores.redis.zscore(
      `${stores.prefix}:{delay}:held`,
      JSON.stringify({ kind: 'rebuild', user: '1' }),
    );
    const [seconds] = (await stores.redis.time()).map(Number);
    expect(Number(end)).toBeGreaterThan((seconds ?? 0) * 1000 + 100_000);
    expect(await stores.redis.zcard(`${stores.prefix}:{delay}:due`)).toBe(0);
    expect(said).toMatchObject([{ user: '1', level: 40 }]);
    expect(races).toBe(5);
  });
});

describe('an item that a previous version has put', () => {
  it('counts as requested once it is taken', async () => {
    await stores.redis.zadd(`${stores.prefix}:{delay}:due`, 1, 'old');
    const held = await queue.take(1, 60_000);
    expect([...(await queue.waiting(['']))]).toEqual(['old']);
    await queue.finish(held);
    expect(await stores.redis.exists(`${stores.prefix}:{delay}:all`)).toBe(0);
  });
});
