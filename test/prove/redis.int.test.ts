import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_NAMES } from '../../prove/redis/commands.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { shortOrLong } from '../support/length.ts';
import { type Call, type Content, RedisTwins, TTL_MS } from '../support/redis-twins.ts';
import { freshPrefix } from '../support/servers.ts';
import { freshRedis } from '../support/stores.ts';

/**
 * The model of Redis that the exhaustive check runs on, held against a real server: the same scripts and the same
 * commands, on the same contents, with the same arguments, give the same replies and leave the same contents.
 */

const ids = fc.constantFrom('9', '10', '100', '7', '9007199254740993');
/** Hex: days since 1970, of which the last is long from now. */
const days = fc.constantFrom('0001', '5000', 'fffe', 'fffe', 'day');
const uploads = fc.constantFrom(1, 10, 20, 20, 30, 1_700_000_000_123, Number.MAX_SAFE_INTEGER);
const nonces = fc.constantFrom('n1', 'n1', 'n1', 'n2', '');
const epochs = fc.constantFrom('E1', 'E1', 'E1', 'E2');
const keys = fc.uniqueArray(fc.tuple(ids, uploads), { maxLength: 4, selector: ([id]) => id });
const changes = fc.array(fc.tuple(ids, fc.oneof(uploads, fc.constant(0))), { maxLength: 4 });
const floors = fc.oneof(
  fc.constantFrom('-', 'soon', ''),
  fc.tuple(uploads, ids).map(([at, id]) => `${String(at).padStart(16, '0')}${id}`),
);

const NONE: Content = { kind: 'none' };

/** Mostly whole indexes, and some that are not. */
const indexes = fc
  .record({
    members: keys,
    floor: floors,
    g: nonces,
    e: epochs,
    day: days,
    ttl: fc.boolean(),
    fault: fc.nat(9),
    lost: fc.nat(4),
  })
  .map(({ members, floor, g, e, day, ttl, fault, lost }): Content[] => {
    const size = String(members.length + (fault === 0 ? 1 : 0)).padStart(3, '0');
    const whole = [g, e, size, day, floor];
    const text = (fault === 1 ? whole.toSpliced(lost, 1) : whole).join(' ');
    return [members.length === 0 ? NONE : { kind: 'zset', members, ttl }, { kind: 'string', text, ttl }];
  });
const placeholders = nonces.map((g): Content[] => [NONE, { kind: 'string', text: g, ttl: true }]);
const strays = fc.constantFrom<Content>(
  NONE,
  { kind: 'list' },
  { kind: 'zset', members: [['9', 1]], ttl: false },
  { kind: 'string', text: 'n1', ttl: false },
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

/** The sets of all users, then the rest of each. */
const setsFirst = (contents: readonly Content[]): Content[] => [
  ...contents.filter((_content, i) => i % 2 === 0),
  ...contents.filter((_content, i) => i % 2 === 1),
];

/** That a user was forgotten, or was not. */
const notes = fc.constantFrom<Content>(
  NONE,
  NONE,
  { kind: 'string', text: 's', ttl: true },
  { kind: 'string', text: 'h', ttl: true },
  { kind: 'list' },
);

/** Both keys of a user, and then the note. */
const withNotes = ({ contents, asked }: { contents: readonly Content[]; asked: readonly Content[] }): Content[] =>
  asked.flatMap((note, i) => [...contents.slice(2 * i, 2 * i + 2), note]);

/** A group of one user. */
const alone = <T>([seen, pairs]: readonly [string, T]): readonly [T, readonly string[]] => [pairs, [seen]];

/** Between long ago and today, and so never near one of the days above. */
const IDLE_DAYS = 100;

const INDEX_CALLS: Readonly<Record<string, fc.Arbitrary<Call>>> = {
  claim: fc
    .tuple(requests(notes), fc.constantFrom(0, 1), odd)
    .map(([users, asked, more]) => ({ contents: withNotes(users), args: texts(['fresh', TTL_MS, asked], more) })),
  forget: fc
    .tuple(requests(notes), fc.constantFrom('h', 's', 's', ''), odd)
    .map(([users, note, more]) => ({ contents: withNotes(users), args: texts([note, TTL_MS], more) })),
  read: fc
    .tuple(users, notes, fc.nat(3), fc.constantFrom(0, 1))
    .map(([user, note, count, touch]) => ({ contents: [...user, note], args: texts([count, touch], 1) })),
  apply: fc
    .tuple(requests(fc.tuple(nonces, changes)), fc.boolean(), fc.constantFrom([2, 1], [3, 2], [1, 2]), epochs, odd)
    .map(([{ contents, asked }, same, bounds, epoch, more]) => {
      const groups = same ? [[asked[0]?.[1] ?? [], asked.map(([seen]) => seen)] as const] : asked.map(alone);
      const told = groups.flatMap(([pairs, seen]) => [
        pairs.length,
        ...pairs.flat(),
        seen.map((nonce) => nonce || '-').join(' '),
      ]);
      return { contents: setsFirst(contents), args: texts([bounds, epoch, 'fresh', told], more) };
    }),
  replace: fc
    .tuple(requests(fc.tuple(nonces, fc.option(keys, { nil: undefined }))), fc.constantFrom(2, 3, 4), epochs, odd)
    .map(([{ contents, asked }, max, epoch, more]) => {
      const told = asked.map(([seen, top]) => [seen, top?.length ?? -1, (top ?? []).map(([id, at]) => [at, id])]);
      return { contents, args: texts([max, epoch, 'fresh', told.flat()], more) };
    }),
  'drop-idle': fc
    .tuple(requests(odd), odd)
    .map(([{ contents }, more]) => ({ contents, args: texts([IDLE_DAYS], more) })),
};

const items = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 });

/** Due and held, long ago or long from now, so that the little that the clocks differ by does not matter. */
function waiting(now: number): fc.Arbitrary<Content[]> {
  const times = fc.constantFrom(now - 500_000, now - 400_000, now + 600_000);
  const members = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), times), { selector: ([item]) => item });
  const set = members.map((list): Content => (list.length === 0 ? NONE : { kind: 'zset', members: list, ttl: false }));
  return fc.tuple(set, set).map((both) => [...both]);
}

/** What is due or held, by its text. */
const all = fc
  .subarray(['a', 'b', 'c', 'd'])
  .map(
    (list): Content =>
      list.length === 0 ? NONE : { kind: 'zset', members: list.map((text) => [text, 0]), ttl: false },
  );

const DELAY_CALLS: Readonly<Record<string, (now: number) => fc.Arbitrary<Call>>> = {
  'delay-put': (now) =>
    fc
      .tuple(waiting(now), all, items)
      .map(([[due = NONE], texts, list]) => ({ contents: [due, texts, NONE], args: ['300000', ...list] })),
  'delay-take': (now) =>
    fc
      .tuple(waiting(now), all, fc.integer({ min: 0, max: 3 }), fc.constantFrom('700000', '500000'))
      .map(([sets, texts, count, longest]) => ({
        contents: [...sets, texts],
        args: [String(count), '400000', longest],
      })),
  'delay-finish': (now) =>
    fc
      .tuple(waiting(now), all, fc.constantFrom(now + 600_000, now), items)
      .map(([sets, texts, end, list]) => ({ contents: [...sets, texts], args: [`${end}.000`, ...list] })),
  'delay-drop': (now) =>
    fc.tuple(waiting(now), all, items).map(([sets, texts, list]) => ({ contents: [...sets, texts], args: list })),
};

const any = users.chain((user) => fc.constantFrom(...user, { kind: 'list' } as const, NONE));
const words = fc.constantFrom('g', 'e 002 -', '7');
const rank = fc.integer({ min: -4, max: 4 });
const scores = fc.constantFrom(5, 10, 20, 20.5, 30, 1_700_000_000_123);
const ranked = fc.tuple(rank, rank, fc.constantFrom([], ['WITHSCORES']));
const bounds = fc.oneof(scores, fc.constantFrom('-inf', '+inf'));
const nothing = fc.constant([]);

/** What follows the key of each command. A command that is added to the model needs its line here. */
const REST: Readonly<Record<string, (now: number) => fc.Arbitrary<readonly unknown[]>>> = {
  DEL: () => nothing,
  UNLINK: () => nothing,
  EXISTS: () => nothing,
  TYPE: () => nothing,
  GET: () => nothing,
  MGET: () => nothing,
  MSET: () => fc.tuple(words),
  INCR: () => nothing,
  PEXPIRE: () => fc.constant([TTL_MS]),
  SPUBLISH: () => fc.tuple(words),
  SET: () => fc.tuple(words, fc.constantFrom([], ['PX', TTL_MS], ['NX'], ['KEEPTTL'], ['PX', TTL_MS, 'NX'])),
  ZADD: () => fc.tuple(fc.constantFrom([], ['NX']), fc.array(fc.tuple(scores, ids), { minLength: 1 })),
  ZREM: () => fc.array(ids, { minLength: 1 }),
  ZCARD: () => nothing,
  ZSCORE: () => fc.tuple(ids),
  ZMSCORE: () => fc.array(ids, { minLength: 1 }),
  ZRANGE: () => ranked,
  ZREVRANGE: () => ranked,
  ZREMRANGEBYRANK: () => fc.tuple(rank, rank),
  ZRANGEBYSCORE: () => fc.tuple(bounds, bounds, fc.constantFrom([], ['LIMIT', 0, 2], ['LIMIT', 1, 1])),
  ZPOPMIN: () => fc.constantFrom([], [0], [1], [3]),
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
    { numRuns: shortOrLong(25, 1_000) },
  );
  twins.close();
}

describe('the model of Redis', { timeout: 300_000 }, () => {
  it.each(Object.entries(INDEX_CALLS))('does index/lua/%s.lua as a real server does', async (name, calls) => {
    await check(`src/index/redis/lua/${name}.lua`, () => calls);
  });

  it.each(Object.entries(DELAY_CALLS))('does redis/lua/%s.lua as a real server does', async (name, callsAt) => {
    await check(`src/redis/lua/${name}.lua`, callsAt);
  });

  it.each(Object.entries(REST))('does %s as a real server does', async (name, restAt) => {
    const calls = (now: number) =>
      fc.tuple(any, restAt(now)).map(([content, rest]) => ({ contents: [content], args: texts([name, ...rest], 1) }));
    await check('test/support/lua/one-command.lua', calls);
  });

  it('has no command that is not held against the real one', () => {
    const withKey = COMMAND_NAMES.filter((name) => name !== 'TIME' && name !== 'INFO'); // which are only in scripts
    expect(Object.keys(REST).sort()).toEqual(withKey.sort());
  });
});
