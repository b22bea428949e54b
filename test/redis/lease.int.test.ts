import { beforeAll, describe, expect, it } from 'vitest';
import { nextFencingToken } from '../../src/mysql/leases.ts';
import { createRun, findRun, saveRun } from '../../src/mysql/runs.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { type Lease, type Leases, LeaseTaken, leaseScripts } from '../../src/redis/lease.ts';
import { leasesOn } from '../support/leases.ts';
import { freshRedis, freshStores, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

let stores: Stores;
beforeAll(async () => {
  stores = await freshStores();
});

/** Of one process: each test gives its leases names of their own. */
function leases(options: { ttlMs?: number; redis?: RedisClient; holder?: string } = {}): Leases {
  const { redis = stores.redis, ttlMs = 5_000, holder } = options;
  return leasesOn({ ...stores, redis }, { ttlMs, ...(holder === undefined ? {} : { freshHolder: () => holder }) });
}

const keyOf = (name: string) => `${stores.prefix}:lease:{${name}}`;

/** Work that ends when it is told to. */
function work() {
  const told = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<Lease>();
  const run = async (lease: Lease) => {
    begun.resolve(lease);
    await told.promise;
  };
  return { run, begun: begun.promise, end: told.resolve };
}

/** A holder that was stopped: its lease has ended, it has not been told, and it goes on all the same. */
async function stop(name: string): Promise<void> {
  await stores.redis.del(keyOf(name));
}

describe('a lease', () => {
  it('is held by one of five standbys at a time, each with a greater token', async () => {
    let holders = 0;
    let most = 0;
    const tokens: bigint[] = [];
    const turn = async ({ token }: Lease) => {
      most = Math.max(most, ++holders);
      tokens.push(BigInt(token));
      await new Promise((resolve) => setImmediate(resolve));
      holders--;
    };
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        const own = leases();
        for (let i = 0; i < 4; i++) await own.hold('turns', turn);
      }),
    );
    expect(most).toBe(1);
    expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(tokens).size).toBe(20);
  });

  it('goes to a standby when its holder is killed', async () => {
    const killed = await freshRedis();
    const { run, begun } = work();
    leases({ ttlMs: 2_000, redis: killed })
      .hold('killed', run)
      .catch(() => undefined);
    const first = await begun;
    const waiting = Promise.withResolvers<void>();
    const standby = leases().hold('killed', async (lease) => lease, { onWaiting: waiting.resolve });
    await waiting.promise;
    killed.disconnect();
    expect(BigInt((await standby).token)).toBeGreaterThan(BigInt(first.token));
    await until(() => first.lost.aborted);
  });

  it('that ended is taken over by one of five standbys who all see it end, and none deletes its new lock', async () => {
    // The scheme that this replaces: a backup that saw the old lock expire deletes whatever lock is there by then.
    const killed = await freshRedis();
    const { run, begun } = work();
    leases({ ttlMs: 400, redis: killed })
      .hold('seen', run)
      .catch(() => undefined);
    await begun;
    killed.disconnect();
    let holders = 0;
    let most = 0;
    const taken: string[] = [];
    const standbys = Array.from({ length: 5 }, (_, i) => {
      const holder = `standby-${i}`;
      return leases({ holder }).hold('seen', async ({ lost }) => {
        most = Math.max(most, ++holders);
        for (let look = 0; look < 20; look++) expect(await stores.redis.get(keyOf('seen'))).toBe(holder);
        expect(lost.aborted).toBe(false);
        taken.push(holder);
        holders--;
      });
    });
    await Promise.all(standbys);
    expect(most).toBe(1);
    expect(new Set(taken).size).toBe(5);
  });

  it('is renewed for as long as the work takes', async () => {
    const { run, begun, end } = work();
    const holding = leases({ ttlMs: 3_000 }).hold('renewed', run);
    const lease = await begun;
    let renewals = 0;
    let before = 0;
    await until(async () => {
      const left = await stores.redis.pttl(keyOf('renewed'));
      if (left > before + 100) renewals++;
      before = left;
      return renewals > 3;
    });
    expect(lease.lost.aborted).toBe(false);
    end();
    await holding;
    expect(await stores.redis.exists(keyOf('renewed'))).toBe(0);
  });

  it('is over for its holder after nine tenths of its lifetime, while Redis still has it', async () => {
    const ttlMs = 6_000_000; // a tenth of it is longer than any wait here
    const times = [0, 0]; // asked, answered, and so much later
    const late = leasesOn(stores, { ttlMs, now: () => times.shift() ?? 0.9 * ttlMs });
    await late.hold('tenth', async ({ lost }) => {
      await until(() => lost.aborted);
      expect(await stores.redis.pttl(keyOf('tenth'))).toBeGreaterThan(0);
    });
  });

  it('is none when nine tenths of its lifetime are over as its reply comes', async () => {
    const times = [0, 54_000]; // asked, and answered so much later
    const late = leasesOn(stores, { ttlMs: 60_000, now: () => times.shift() ?? 60_000 });
    const { token } = await late.hold('late', async (lease) => lease);
    expect(token).toBe('2'); // of the second attempt
  });

  it('refuses at once a caller that does not want to wait', async () => {
    const { run, begun, end } = work();
    const holding = leases().hold('taken', run);
    await begun;
    await expect(leases().hold('taken', run, { wait: false })).rejects.toThrow(LeaseTaken);
    end();
    await holding;
  });

  it('is waited for until the signal', async () => {
    const { run, begun, end } = work();
    const holding = leases().hold('waited', run);
    await begun;
    const enough = new AbortController();
    const onWaiting = () => enough.abort(new Error('enough'));
    await expect(leases().hold('waited', run, { signal: enough.signal, onWaiting })).rejects.toThrow('enough');
    end();
    await holding;
  });

  it('is granted to a caller that asks again because the first reply was lost', async () => {
    const { acquire } = leaseScripts(stores.redis);
    const own = { key: keyOf('resent'), holder: 'one', ttlMs: 5_000 };
    expect(await acquire(own)).toBe(true);
    expect(await acquire(own)).toBe(true);
    expect(await acquire({ ...own, holder: 'two' })).toBe(false);
  });

  it('is given back when the work fails, and the failure is told', async () => {
    const failing = leases().hold('failing', async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await stores.redis.exists(keyOf('failing'))).toBe(0);
  });

  it('is not kept by a caller that gets no token', async () => {
    const none = leasesOn(stores, { nextToken: async () => Promise.reject(new Error('MySQL is away')) });
    await expect(none.hold('tokenless', async () => undefined)).rejects.toThrow('MySQL is away');
    expect(await stores.redis.exists(keyOf('tokenless'))).toBe(0);
  });

  it('is none when it ended before its token came', async () => {
    let late = true;
    const slow = leasesOn(stores, {
      freshHolder: () => 'slow',
      nextToken: async (name) => {
        if (late) await stop(name);
        late = false;
        return await nextFencingToken(stores.primary, name, Date.now());
      },
    });
    expect((await slow.hold('slow', async (lease) => lease)).token).toBe('2');
  });
});

describe('a holder that was stopped and wakes up', () => {
  it('does not delete the lock of its successor', async () => {
    const stopped = work();
    const next = work();
    const first = leases().hold('wakes', stopped.run);
    await stopped.begun;
    await stop('wakes');
    const second = leases().hold('wakes', next.run);
    await next.begun;
    const holder = await stores.redis.get(keyOf('wakes'));
    stopped.end();
    await first;
    expect(await stores.redis.get(keyOf('wakes'))).toBe(holder);
    next.end();
    await second;
  });

  it('is told at its next renewal, which does not hold the successor up', async () => {
    const stopped = work();
    const first = leases({ ttlMs: 3_000 }).hold('told', stopped.run);
    const lease = await stopped.begun;
    await stores.redis.set(keyOf('told'), 'another', 'PX', 60_000);
    await until(() => lease.lost.aborted);
    expect(String(lease.lost.reason)).toMatch(/lease 'told' is lost: it expired, or another process holds it/);
    expect(await stores.redis.get(keyOf('told'))).toBe('another');
    expect(await stores.redis.pttl(keyOf('told'))).toBeGreaterThan(5_000);
    stopped.end();
    await first;
  });

  it('is refused the writes that only a holder may do', async () => {
    const { primary } = stores;
    const run = { kind: 'repair', parameters: { users: 'all' }, counts: { before: 1 } } as const;
    const stale = { lease: 'job', token: await nextFencingToken(primary, 'job', 1) };
    const id = await createRun(primary, stale, run, 1);
    await saveRun(primary, stale, { id, state: 'running', cursor: '10', counts: { n: 10 } }, 2);
    await saveRun(primary, stale, { id, state: 'running', cursor: '10', counts: { n: 10 } }, 2); // the same: no refusal

    const holder = { lease: 'job', token: await nextFencingToken(primary, 'job', 3) };
    const late = saveRun(primary, stale, { id, state: 'done', cursor: '20', counts: { n: 20 } }, 4);
    await expect(late).rejects.toThrow("the lease 'job' was given to another process since");
    await expect(createRun(primary, stale, run, 4)).rejects.toThrow("the lease 'job'");
    expect(await findRun(primary, id)).toMatchObject({ state: 'running', cursor: '10', counts: { n: 10 } });

    await saveRun(primary, holder, { id, state: 'done', cursor: '18446744073709551615', counts: { n: 30 } }, 5);
    const done = {
      id,
      ...run,
      state: 'done',
      cursor: '18446744073709551615',
      counts: { n: 30 },
      startedAt: 1,
      updatedAt: 5,
      finishedAt: 5,
    };
    expect(await findRun(primary, id)).toEqual(done);
  });

  it('is refused by the run itself when another lease went on with it', async () => {
    const { primary } = stores;
    const [one, other] = [
      { lease: 'one', token: '1' },
      { lease: 'other', token: '18446744073709551615' },
    ];
    const id = await createRun(primary, one, { kind: 'backfill', parameters: {}, counts: {} }, 1);
    const run = { id, state: 'running', cursor: '1', counts: {} } as const;
    await saveRun(primary, other, run, 2);
    await expect(saveRun(primary, { ...one, token: '18446744073709551614' }, run, 3)).rejects.toThrow("'one'");
    await saveRun(primary, other, run, 4);
  });
});
