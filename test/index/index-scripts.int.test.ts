import fc from 'fast-check';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { byKeyDescending, isAbove, type Key } from '../../src/contracts/key.ts';
import { ENDLESS } from '../../src/index/allowance.ts';
import type { Reading, WarmReading } from '../../src/index/contact-index.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { cases } from '../support/cases.ts';
import { rewriteMeta } from '../support/index-meta.ts';
import { freshPrefix, redisUrl } from '../support/servers.ts';
import { freshNonce, freshRedis } from '../support/stores.ts';

const EPOCH = 'epoch-1';
const MAX = 3;
const MIN = 2;

let redis: RedisClient;
const prefix = freshPrefix();
const names = new KeyNames(prefix);
let index: RedisContactIndex;
let lastUser = 0;

beforeAll(async () => {
  redis = await freshRedis();
  index = indexWith({});
});

function indexWith(options: { max?: number; min?: number }, client = redis): RedisContactIndex {
  return new RedisContactIndex(client, { max: MAX, min: MIN, prefix, freshNonce, ...options });
}

/** A connection as a user who may run every command except this one. */
async function freshUserOfRedis(but: string): Promise<RedisClient> {
  const name = `user-${prefix}`;
  await redis.acl('SETUSER', name, 'on', 'nopass', '~*', '&*', '+@all', but);
  onTestFinished(async () => void (await redis.acl('DELUSER', name)));
  const url = new URL(redisUrl());
  return await freshRedis(`redis://${name}:any@${url.host}`);
}

function freshUser(): string {
  lastUser += 1;
  return String(lastUser);
}

const key = (id: string | number, at: number): Key => ({ id: String(id), at });

/** Builds the index of a new user from rows given highest first. */
async function build(top: readonly Key[], on = index): Promise<string> {
  const user = freshUser();
  const [seen] = await on.claim([user]);
  expect(await on.replace(EPOCH, [{ user, seen: String(seen), top, allowance: ENDLESS }])).toEqual(['replaced']);
  return user;
}

async function warm(user: string): Promise<WarmReading> {
  const reading: Reading = await index.read(user, 0, false);
  if (reading.state !== 'warm') throw new Error(`user ${user} is ${reading.state}`);
  return reading;
}

async function apply(user: string, ...changes: Key[]) {
  const [seen] = await index.nonces([user]);
  const [outcome] = await index.apply(EPOCH, [{ user, seen: String(seen), changes }]);
  return outcome;
}

describe('replace', () => {
  it('keeps the best max rows, and makes row max + 1 the floor', async () => {
    const user = await build([key(4, 40), key(3, 30), key(2, 20), key(1, 10)]);
    expect(await warm(user)).toMatchObject({ size: 3, floor: key(1, 10), head: [key(4, 40), key(3, 30), key(2, 20)] });
  });

  it('has no floor if no row was left out, also if there are no rows', async () => {
    expect(await warm(await build([key(4, 40)]))).toMatchObject({ size: 1, floor: undefined });
    expect(await warm(await build([]))).toMatchObject({ size: 0, floor: undefined, head: [] });
  });

  it('is refused if the nonce changed after the claim', async () => {
    const user = await build([key(1, 10)]);
    const [seen] = await index.claim([user]);
    await apply(user, key(2, 20));
    expect(await index.replace(EPOCH, [{ user, seen: String(seen), top: [], allowance: ENDLESS }])).toEqual(['raced']);
    expect((await warm(user)).size).toBe(2);
  });

  it('is refused if a refresh deleted the placeholder', async () => {
    const user = freshUser();
    const [seen] = await index.claim([user]);
    expect(await index.read(user, 0, false)).toEqual({ state: 'building' });
    expect(await apply(user, key(2, 20))).toBe('dropped');
    expect(await index.read(user, 0, false)).toEqual({ state: 'cold' });
    expect(await index.replace(EPOCH, [{ user, seen: String(seen), top: [], allowance: ENDLESS }])).toEqual(['raced']);
    expect(await index.read(user, 0, false)).toEqual({ state: 'cold' });
  });

  it('takes ids beyond 2^53 and the greatest score exactly', async () => {
    const user = await build([key('18446744073709551615', Number.MAX_SAFE_INTEGER), key('9007199254740993', 5)]);
    expect((await warm(user)).head).toEqual([
      key('18446744073709551615', Number.MAX_SAFE_INTEGER),
      key('9007199254740993', 5),
    ]);
  });
});

describe('apply', () => {
  it('adds above the floor, trims to max and raises the floor to what was trimmed', async () => {
    const user = await build([key(4, 40), key(3, 30), key(2, 20), key(1, 10)]);
    expect(await apply(user, key(5, 50))).toBe('applied');
    expect(await warm(user)).toMatchObject({ size: 3, floor: key(2, 20), head: [key(5, 50), key(4, 40), key(3, 30)] });
  });

  it('lowers a score, and removes what fell to the floor or below', async () => {
    const user = await build([key(4, 40), key(3, 30), key(2, 20), key(1, 10)]);
    expect(await apply(user, key(4, 11))).toBe('applied');
    expect((await warm(user)).head).toEqual([key(3, 30), key(2, 20), key(4, 11)]);
    expect(await apply(user, key(4, 9))).toBe('applied');
    expect((await warm(user)).head).toEqual([key(3, 30), key(2, 20)]);
  });

  it('says that a rebuild is due below min, but not when the index is complete', async () => {
    const partial = await build([key(4, 40), key(3, 30), key(2, 20), key(1, 10)]);
    expect(await apply(partial, key(4, 0))).toBe('applied');
    expect(await apply(partial, key(3, 0))).toBe('rebuild_due');
    const complete = await build([key(4, 40), key(3, 30)]);
    expect(await apply(complete, key(4, 0), key(3, 0))).toBe('applied');
    expect(await warm(complete)).toMatchObject({ size: 0, floor: undefined });
  });

  it('orders equal scores by the bytes of the id', async () => {
    const user = await build([key(9, 10), key(100, 10), key(10, 10)]);
    expect(await apply(user, key(99, 10))).toBe('applied');
    expect(await warm(user)).toMatchObject({ head: [key(99, 10), key(9, 10), key(100, 10)], floor: key(10, 10) });
    expect(await apply(user, key(1, 10))).toBe('applied');
    expect((await warm(user)).head).toEqual([key(99, 10), key(9, 10), key(100, 10)]);
  });

  it('replaces the nonce even if nothing changed', async () => {
    const user = await build([key(4, 40)]);
    const before = (await warm(user)).nonce;
    await apply(user, key(4, 40));
    const between = (await warm(user)).nonce;
    await apply(user, key(77, 0));
    const after = (await warm(user)).nonce;
    expect(new Set([before, between, after]).size).toBe(3);
  });

  it('writes nothing if the nonce changed, and decides separately for each user', async () => {
    const [a, b, c] = [await build([key(1, 10)]), await build([key(1, 10)]), freshUser()];
    const [seenByA, seenByB] = await index.nonces([a, b]);
    await apply(a, key(2, 20));
    const changes = [key(3, 30)];
    expect(
      await index.apply(EPOCH, [
        { user: a, seen: String(seenByA), changes },
        { user: b, seen: String(seenByB), changes },
        { user: c, seen: 'x', changes },
      ]),
    ).toEqual(['raced', 'applied', 'cold']);
    expect((await warm(a)).head).toEqual([key(2, 20), key(1, 10)]);
    expect((await warm(b)).head).toEqual([key(3, 30), key(1, 10)]);
  });

  it('drops an index of another epoch, one with damaged meta, and one whose set is gone', async () => {
    const spoil: ((user: string) => Promise<unknown>)[] = [
      (user) => rewriteMeta(redis, names.meta(user), { epoch: 'another' }),
      (user) => rewriteMeta(redis, names.meta(user), { size: '128' }),
      (user) => rewriteMeta(redis, names.meta(user), { size: 'two' }),
      (user) => rewriteMeta(redis, names.meta(user), { floor: 'soon' }),
      (user) => rewriteMeta(redis, names.meta(user), { floor: undefined }),
      (user) => rewriteMeta(redis, names.meta(user), { day: undefined }),
      (user) => rewriteMeta(redis, names.meta(user), { day: 'today' }),
      (user) => rewriteMeta(redis, names.meta(user), { size: undefined, day: undefined, floor: undefined }),
      (user) =>
        rewriteMeta(redis, names.meta(user), { epoch: undefined, size: undefined, day: undefined, floor: undefined }),
      (user) => redis.del(names.set(user)),
    ];
    for (const spoiled of spoil) {
      const user = await build([key(4, 40), key(3, 30)]);
      await spoiled(user);
      expect(await apply(user, key(5, 50))).toBe('dropped');
      expect(await redis.exists(names.set(user), names.meta(user))).toBe(0);
    }
  });

  it('drops only the indexes whose sets are gone', async () => {
    const users = [await build([key(1, 10)]), await build([key(1, 10)]), await build([])];
    const [whole, gone] = users as [string, string, string];
    await redis.del(names.set(gone));
    const nonces = await index.nonces(users);
    const requests = users.map((user, i) => ({ user, seen: String(nonces[i]), changes: [key(2, 20)] }));
    expect(await index.apply(EPOCH, requests)).toEqual(['applied', 'dropped', 'applied']);
    expect((await warm(whole)).head).toEqual([key(2, 20), key(1, 10)]);
    expect(await redis.exists(names.set(gone), names.meta(gone))).toBe(0);
  });

  it('never makes an index count as complete after another client changed its set', async () => {
    const spoil: ((z: string) => Promise<unknown>)[] = [
      (z) => redis.zadd(z, 1, '999'),
      (z) => redis.zrem(z, '3'),
      (z) => redis.zrem(z, '2', '3'),
    ];
    for (const spoiled of spoil) {
      const user = await build([key(3, 30), key(2, 20), key(1, 10)]);
      await spoiled(names.set(user));
      for (const change of [key(4, 40), key(4, 0), key(5, 50), key(6, 60), key(7, 70), key(8, 80), key(1, 0)]) {
        await apply(user, change);
        expect((await index.read(user, 0, false)).state).not.toBe('warm');
      }
    }
  });

  it('never leaves more than max members, however many arrive at once', async () => {
    const user = await build([]);
    const changes = Array.from({ length: 400 }, (_, i) => key(i + 1, ((i * 7919) % 400) + 1));
    expect(await apply(user, ...changes)).toBe('applied');
    const best = [...changes].sort((x, y) => y.at - x.at);
    expect(await warm(user)).toMatchObject({ head: best.slice(0, MAX), floor: best[MAX] });
    expect(await redis.object('ENCODING', names.set(user))).toBe('listpack');
  });

  it('leaves finished users complete and the current user cold if it is stopped midway', async () => {
    const [done, inWork, later] = [await build([key(1, 10)]), await build([key(1, 10)]), await build([key(1, 10)])];
    const users = [done, inWork, later];
    const nonces = await index.nonces(users);
    const add = key(2, 20);
    const changes = [[add], [add, key(1, 0)], [key(3, 30)]];
    const mayNotRemove = await freshUserOfRedis('-zrem');
    const requests = users.map((user, i) => ({ user, seen: String(nonces[i]), changes: changes[i] ?? [] }));
    await expect(indexWith({}, mayNotRemove).apply(EPOCH, requests)).rejects.toThrow(/zrem|can't run this command/i);
    expect(await warm(done)).toMatchObject({ size: 2, head: [key(2, 20), key(1, 10)] });
    expect((await warm(done)).nonce).not.toBe(nonces[0]);
    expect(await index.nonces([inWork])).toEqual(['']);
    expect(await warm(later)).toMatchObject({ nonce: nonces[2], head: [key(1, 10)] });
  });

  it('checks every argument before the first write', async () => {
    const user = await build([key(4, 40)]);
    const nonce = (await warm(user)).nonce;
    for (const bad of [key('x', 1), key('01', 1), key(1, -1), key(1, Number.NaN), key(1, 2 ** 54)]) {
      const changes = [key(5, 50), bad];
      await expect(index.apply(EPOCH, [{ user, seen: nonce, changes }])).rejects.toThrow('bad contact');
    }
    expect(await warm(user)).toMatchObject({ nonce, head: [key(4, 40)] });
  });
});

describe('a series of changes', () => {
  const MOST = 8;
  const LEAST = 2;
  const changes = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 40 })), {
    maxLength: 12,
  });

  it('leaves everyone above the floor, nobody else, and at most max', async () => {
    const wide = indexWith({ max: MOST, min: LEAST });
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { maxLength: 12 }), async (calls) => {
        const user = await build([], wide);
        const truth = new Map<string, Key>();
        for (const call of calls) {
          const said = [...new Map(call.map(([id, at]) => [String(id), key(id, at)])).values()];
          for (const one of said) truth.set(one.id, one);
          const [seen] = await wide.nonces([user]);
          await wide.apply(EPOCH, [{ user, seen: String(seen), changes: said }]);
          const { head, floor, size } = await warm(user);
          const above = [...truth.values()].filter((one) => one.at > 0 && isAbove(one, floor)).sort(byKeyDescending);
          expect(head).toEqual(above);
          expect(size).toBeLessThanOrEqual(MOST);
        }
      }),
      { numRuns: cases(60) },
    );
  });
});

describe('an existing key of the wrong type', () => {
  it('is left alone, and the user counts as cold', async () => {
    const user = await build([key(4, 40)]);
    await redis.set(names.set(user), 'foreign');
    expect(await index.read(user, 0, false)).toEqual({ state: 'wrong_type' });
    expect(await apply(user, key(5, 50))).toBe('wrong_type');
    expect(await redis.get(names.set(user))).toBe('foreign');
    expect(await index.claim([user])).toEqual(['']);
    await redis.del(names.set(user));
    expect(await index.read(user, 0, false)).toEqual({ state: 'cold' });
  });

  it('is refused as meta before anything is written', async () => {
    const user = freshUser();
    await redis.lpush(names.meta(user), 'foreign');
    expect(await index.nonces([user])).toEqual(['']);
    expect(await index.claim([user])).toEqual(['']);
    expect(await index.replace(EPOCH, [{ user, seen: 'x', top: [key(1, 1)], allowance: ENDLESS }])).toEqual([
      'wrong_type',
    ]);
    expect(await redis.exists(names.set(user))).toBe(0);
  });
});

describe('a key that Recency did not write, of the right type', () => {
  it('does not become an index: a rebuild begins with a fresh nonce', async () => {
    for (const garbage of ['', ' ', ' epoch 001 -']) {
      const user = freshUser();
      await redis.set(names.meta(user), garbage);
      expect(await index.read(user, 0, false)).not.toMatchObject({ state: 'warm' });
      const [seen] = await index.claim([user]);
      expect(await index.replace(EPOCH, [{ user, seen: String(seen), top: [key(1, 10)], allowance: ENDLESS }])).toEqual(
        ['replaced'],
      );
      expect((await warm(user)).head).toEqual([key(1, 10)]);
    }
  });
});

describe('use', () => {
  const DAY_MS = 24 * 3_600_000;
  const IDLE_DAYS = 30;

  /** Days since 1970 by Redis's clock. */
  async function today(): Promise<number> {
    const [seconds] = await redis.time();
    return Math.floor((Number(seconds) * 1_000) / DAY_MS);
  }

  const usedOn = (user: string, day: number) =>
    rewriteMeta(redis, names.meta(user), { day: day.toString(16).padStart(4, '0') });

  async function builtOn(day: number): Promise<string> {
    const user = await build([key(4, 40)]);
    await usedOn(user, day);
    return user;
  }

  it('is dated by the last build or read of an index, not by a write or an inspection', async () => {
    const now = await today();
    expect((await warm(await build([key(4, 40)]))).lastUsed).toBeGreaterThanOrEqual(now);
    const user = await builtOn(now - 10);
    expect(await apply(user, key(5, 50))).toBe('applied');
    expect(await warm(user)).toMatchObject({ lastUsed: now - 10, head: [key(5, 50), key(4, 40)] });
    const { nonce } = await warm(user);
    await index.read(user, 1, true);
    const read = await warm(user);
    expect(read).toMatchObject({ nonce, size: 2, floor: undefined });
    expect(read.lastUsed).toBeGreaterThanOrEqual(now);
  });

  it('is not recorded if nothing can be written, and the index is still read', async () => {
    const long = (await today()) - 10;
    const user = await builtOn(long);
    const reader = indexWith({}, await freshUserOfRedis('-set'));
    expect(await reader.read(user, 0, true)).toMatchObject({ state: 'warm', head: [key(4, 40)] });
    expect((await warm(user)).lastUsed).toBe(long);
  });

  it('never moves back, whatever the clocks do', async () => {
    const later = (await today()) + 10;
    const user = await builtOn(later);
    await index.read(user, 1, true);
    expect((await warm(user)).lastUsed).toBe(later);
  });

  it('that is too long ago gets both keys dropped, and no other user’s', async () => {
    const now = await today();
    const idle = [await builtOn(now - IDLE_DAYS - 2), await builtOn(1)];
    const orphan = await builtOn(now);
    await redis.del(names.meta(orphan));
    const inUse = [await builtOn(now - IDLE_DAYS + 1), await build([])];
    const building = freshUser();
    await index.claim([building]);
    const foreign = freshUser();
    await redis.lpush(names.set(foreign), 'not ours');
    const everybody = [...idle, orphan, ...inUse, building, foreign, freshUser()];
    expect(await index.dropIdle(everybody, IDLE_DAYS)).toBe(3);
    for (const user of [...idle, orphan]) expect(await redis.exists(names.set(user), names.meta(user))).toBe(0);
    for (const user of inUse) expect(await warm(user)).toMatchObject({ state: 'warm' });
    expect(await index.read(building, 0, false)).toEqual({ state: 'building' });
    expect(await redis.type(names.set(foreign))).toBe('list');
    expect(await index.dropIdle(everybody, IDLE_DAYS)).toBe(0);
  });

  it('makes a placeholder expire, but not a built index', async () => {
    const user = freshUser();
    await index.claim([user]);
    expect(await redis.pttl(names.meta(user))).toBeGreaterThan(0);
    const built = await build([key(1, 1)]);
    expect(await Promise.all([redis.pttl(names.meta(built)), redis.pttl(names.set(built))])).toEqual([-1, -1]);
  });
});

// On a server of its own: other tests count the calls that theirs gets, and a script that was flushed is one call more.
it('the scripts work after SCRIPT FLUSH', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const client = await freshRedis(server.url);
  const flushed = indexWith({}, client);
  const user = await build([key(4, 40)], flushed);
  const [seen] = await flushed.nonces([user]);
  await client.script('FLUSH');
  expect(await flushed.apply(EPOCH, [{ user, seen: String(seen), changes: [key(5, 50)] }])).toEqual(['applied']);
});
