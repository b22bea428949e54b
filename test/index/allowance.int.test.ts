import { beforeAll, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { type Allowance, allowanceOf, ENDLESS, KEEP_ALL, leastAllowance } from '../../src/index/allowance.ts';
import type { WarmReading } from '../../src/index/contact-index.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { rewriteMeta } from '../support/index-meta.ts';
import { freshPrefix } from '../support/servers.ts';
import { freshNonce, freshRedis } from '../support/stores.ts';

const EPOCH = 'epoch-1';
const USER = '7';
const HEAD = [
  { id: '2', at: 20 },
  { id: '1', at: 10 },
];

let redis: RedisClient;
let index: RedisContactIndex;
const prefix = freshPrefix();
const m = new KeyNames(prefix).meta(USER);

beforeAll(async () => {
  redis = await freshRedis();
  index = indexWith(1);
});

function indexWith(keep: number): RedisContactIndex {
  return new RedisContactIndex(redis, { max: 3, min: 2, prefix, freshNonce, rules: { indexAbove: 0, keep } });
}

async function rebuild(allowance: Allowance, epoch = EPOCH): Promise<void> {
  const [seen = ''] = await index.claim([USER]);
  expect(await index.replace(epoch, [{ user: USER, seen, top: HEAD, allowance }])).toEqual(['replaced']);
}

async function build(allowance: Allowance): Promise<void> {
  await index.drop([USER]);
  await rebuild(allowance);
}

/** One call with so many changes. */
async function change(count = 1, on = index) {
  const changes = Array.from({ length: count }, (_, i) => ({ id: String(i + 1), at: 30 + i }));
  const [seen = ''] = await index.nonces([USER]);
  const [outcome] = await on.apply(EPOCH, [{ user: USER, seen, changes }]);
  return outcome;
}

async function allowance(): Promise<WarmReading['allowance']> {
  const reading = await index.read(USER, 0, false);
  if (reading.state !== 'warm') throw new Error(`the index is ${reading.state}`);
  return reading.allowance;
}

const use = () => index.read(USER, 0, true);
const keysLeft = (user: Id) => redis.exists(...new KeyNames(prefix).all(user));

describe('an allowance', () => {
  it('is as many changes as cost as much as the plain query that builds the index', () => {
    const once = { indexAbove: 0, keep: 1 };
    expect([1, 64, 1_000, 20_000].map((rows) => allowanceOf(rows, once))).toEqual([17, 24, 141, 2_516]);
    expect(allowanceOf(1_000, { indexAbove: 0, keep: 0.5 })).toBe(71);
    expect(allowanceOf(1_000, { indexAbove: 0, keep: 1e6 })).toBe(ENDLESS);
    expect(allowanceOf(Number.POSITIVE_INFINITY, once)).toBe(ENDLESS);
  });

  it('does not exist where an index does not pay: for few rows, or by the settings', () => {
    expect(allowanceOf(64, { indexAbove: 64, keep: 1 })).toBeUndefined();
    expect(allowanceOf(65, { indexAbove: 64, keep: 1 })).toBeDefined();
    expect(allowanceOf(65, { indexAbove: 0, keep: 0 })).toBeUndefined();
    expect(allowanceOf(0, KEEP_ALL)).toBeUndefined();
    expect(allowanceOf(1, KEEP_ALL)).toBe(ENDLESS);
    expect([leastAllowance({ keep: 0 }), leastAllowance({ keep: 2 })]).toEqual([0, 32]);
  });
});

describe('an index with an allowance', () => {
  it('takes so many changes without a read; the next one drops it instead', async () => {
    await build(3);
    expect([await change(), await change(2)]).toEqual(['applied', 'applied']);
    expect(await allowance()).toEqual({ left: 0, whole: 3 });
    expect(await change()).toBe('unread');
    expect(await keysLeft(USER)).toBe(0);
    expect(await change()).toBe('cold');
  });

  it('is dropped whole by a call that has more changes than are left', async () => {
    await build(3);
    expect(await change(4)).toBe('unread');
    expect(await keysLeft(USER)).toBe(0);
  });

  it('spends nothing on a change that lost its race', async () => {
    await build(3);
    expect(await index.apply(EPOCH, [{ user: USER, seen: 'x', changes: HEAD }])).toEqual(['raced']);
    expect(await allowance()).toEqual({ left: 3, whole: 3 });
  });

  it('gets all of it back by a read that finds less than half, which changes nothing else', async () => {
    await build(4);
    await change(2);
    const before = await redis.get(m);
    await use();
    expect(await redis.get(m)).toBe(before);
    await change();
    await use();
    expect(await allowance()).toEqual({ left: 4, whole: 4 });
    expect(await index.read(USER, 0, false)).toMatchObject({
      size: 2,
      head: [
        { id: '2', at: 31 },
        { id: '1', at: 30 },
      ],
    });
  });

  it('lets a refresh that a renewal overtakes start again', async () => {
    await build(4);
    await change(3);
    const [seen = ''] = await index.nonces([USER]);
    await use();
    expect(await index.apply(EPOCH, [{ user: USER, seen, changes: HEAD }])).toEqual(['raced']);
  });

  it('gets nothing by being inspected, or by a rebuild in the same epoch', async () => {
    await build(4);
    await change(3);
    await index.read(USER, 0, false);
    await rebuild(4);
    expect(await allowance()).toEqual({ left: 1, whole: 4 });
    await rebuild(9, 'epoch-2');
    expect(await allowance()).toEqual({ left: 9, whole: 9 });
  });

  it('is never dropped by changes if the allowance is endless', async () => {
    await build(ENDLESS);
    for (let i = 0; i < 20; i++) expect(await change(3)).toBe('applied');
    expect(await allowance()).toEqual({ left: ENDLESS, whole: ENDLESS });
  });

  it('without one, as 0.1.0 writes it, is read, and takes the least number of changes from here on', async () => {
    await build(4);
    await rewriteMeta(redis, m, { nonce: 'of-0.1.0' });
    expect(await allowance()).toBeUndefined();
    await use();
    expect(await allowance()).toBeUndefined();
    expect(await change()).toBe('applied');
    expect(await allowance()).toEqual({ left: 15, whole: 16 });
    await rewriteMeta(redis, m, { nonce: 'of-0.1.0' });
    expect(await change(1, indexWith(0))).toBe('unread');
  });
});
