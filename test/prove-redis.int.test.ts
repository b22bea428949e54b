import fc from 'fast-check';
import { beforeAll, describe, it } from 'vitest';
import type { RedisClient } from '../src/redis/connection.ts';
import { type Call, type Content, RedisTwins, TTL_MS } from './support/redis-twins.ts';
import { freshPrefix } from './support/servers.ts';
import { freshRedis } from './support/stores.ts';

/**
 * The model of Redis that the exhaustive check runs on, held against a real server: the same scripts, on the same
 * contents, with the same arguments, give the same replies and leave the same contents.
 */

const ids = fc.constantFrom('9', '10', '100', '7', '9007199254740993');
const uploads = fc.constantFrom(1, 10, 20, 20, 30, 1_700_000_000_123, Number.MAX_SAFE_INTEGER);
const nonces = fc.constantFrom('n1', 'n1', 'n1', 'n2', '');
const epochs = fc.constantFrom('E1', 'E1', 'E1', 'E2');
const keys = fc.uniqueArray(fc.tuple(ids, uploads), { maxLength: 4, selector: ([id]) => id });
const changes = fc.array(fc.tuple(ids, fc.oneof(uploads, fc.constant(0))), { maxLength: 4 });
const floors = fc.oneof(
  fc.constantFrom<readonly [string, string]>(['-inf', ''], ['soon', '9']),
  fc.tuple(uploads.map(String), ids),
);

const NONE: Content = { kind: 'none' };

/** Mostly whole indexes, and some that are not. */
const indexes = fc
  .record({ members: keys, floor: floors, g: nonces, e: epochs, ttl: fc.boolean(), fault: fc.nat(9), lost: fc.nat(4) })
  .map(({ members, floor: [fs, fm], g, e, ttl, fault, lost }): Content[] => {
    const whole = Object.entries({ g, e, n: String(members.length + (fault === 0 ? 1 : 0)), fs, fm });
    const fields = Object.fromEntries(fault === 1 ? whole.toSpliced(lost, 1) : whole);
    return [members.length === 0 ? NONE : { kind: 'zset', members, ttl }, { kind: 'hash', fields, ttl }];
  });
const placeholders = nonces.map((g): Content[] => [NONE, { kind: 'hash', fields: { g }, ttl: true }]);
const strays = fc.constantFrom<Content>(
  NONE,
  { kind: 'string' },
  { kind: 'zset', members: [['9', 1]], ttl: false },
  { kind: 'hash', fields: { g: 'n1' }, ttl: false },
);
const users = fc.oneof({ weight: 5, arbitrary: indexes }, placeholders, fc.tuple(strays, strays));

/** One or two users, and a request for each. */
function requests<T>(one: fc.Arbitrary<T>): fc.Arbitrary<{ contents: Content[]; asked: T[] }> {
  const list = fc.array(fc.tuple(users, one), { minLength: 1, maxLength: 2 });
  return list.map((pairs) => ({
    contents: pairs.flatMap(([user]) => [...user]),
    asked: pairs.map(([, request]) => request),
  }));
}

/** Now and then with an argument too many. */
function texts(words: readonly unknown[], odd: number): string[] {
  return [...words, ...(odd === 0 ? ['1'] : [])].flat(3).map(String);
}

const odd = fc.nat(20);

const INDEX_CALLS: Readonly<Record<string, fc.Arbitrary<Call>>> = {
  nonces: users.map((user) => ({ contents: [...user], args: [] })),
  claim: fc
    .tuple(requests(odd), odd)
    .map(([{ contents }, more]) => ({ contents, args: texts(['fresh', TTL_MS], more) })),
  read: fc
    .tuple(users, fc.nat(3), fc.constantFrom(0, TTL_MS, 3 * TTL_MS))
    .map(([user, count, ttl]) => ({ contents: [...user], args: texts([count, ttl], 1) })),
  apply: fc
    .tuple(requests(fc.tuple(nonces, changes)), fc.constantFrom([2, 1], [3, 2], [1, 2]), epochs, odd)
    .map(([{ contents, asked }, bounds, epoch, more]) => {
      const told = asked.map(([seen, pairs]) => [seen, pairs.length, pairs]);
      return { contents, args: texts([bounds, epoch, 'fresh', told.flat()], more) };
    }),
  replace: fc
    .tuple(requests(fc.tuple(nonces, keys)), fc.constantFrom(2, 3, 4), epochs, fc.constantFrom(0, TTL_MS), odd)
    .map(([{ contents, asked }, max, epoch, ttl, more]) => {
      const told = asked.map(([seen, top]) => [seen, top.length, top.map(([id, at]) => [at, id])]);
      return { contents, args: texts([max, epoch, 'fresh', ttl, told.flat()], more) };
    }),
};

const items = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 });

/** Due and held, long ago or long from now, so that the little that the clocks differ by does not matter. */
function waiting(now: number): fc.Arbitrary<Content[]> {
  const times = fc.constantFrom(now - 500_000, now - 400_000, now + 600_000);
  const members = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), times), { selector: ([item]) => item });
  const set = members.map((list): Content => (list.length === 0 ? NONE : { kind: 'zset', members: list, ttl: false }));
  return fc.tuple(set, set).map((both) => [...both]);
}

const DELAY_CALLS: Readonly<Record<string, (now: number) => fc.Arbitrary<Call>>> = {
  'delay-put': (now) =>
    fc.tuple(waiting(now), items).map(([[due = NONE], list]) => ({ contents: [due], args: ['300000', ...list] })),
  'delay-take': (now) =>
    fc
      .tuple(waiting(now), fc.integer({ min: 0, max: 3 }))
      .map(([contents, count]) => ({ contents, args: [String(count), '700000'] })),
  'delay-finish': (now) =>
    fc
      .tuple(waiting(now), fc.constantFrom(now + 600_000, now), items)
      .map(([[, held = NONE], end, list]) => ({ contents: [held], args: [`${end}.000`, ...list] })),
};

let redis: RedisClient;
beforeAll(async () => {
  redis = await freshRedis();
});

async function check(file: string, callsAt: (now: number) => fc.Arbitrary<Call>): Promise<void> {
  const twins = new RedisTwins(redis, freshPrefix(), file);
  const calls = callsAt(await twins.now());
  await fc.assert(
    fc.asyncProperty(calls, (call) => twins.expectSame(call)),
    { numRuns: 200 },
  );
  twins.close();
}

describe('the model of Redis', { timeout: 60_000 }, () => {
  it.each(Object.entries(INDEX_CALLS))('does index/lua/%s.lua as a real server does', async (name, calls) => {
    await check(`index/lua/${name}.lua`, () => calls);
  });

  it.each(Object.entries(DELAY_CALLS))('does redis/lua/%s.lua as a real server does', async (name, callsAt) => {
    await check(`redis/lua/${name}.lua`, callsAt);
  });
});
