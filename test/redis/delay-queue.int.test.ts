import { describe, expect, it } from 'vitest';
import type { RedisClient } from '../../src/redis/connection.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { chunks } from '../../src/timing/batches.ts';
import { freshRedis, freshStores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const takeOne = (from: DelayQueue) =>
  until(async () => {
    const held = await from.take(1, 60_000);
    return held.items.length > 0 && held;
  });

const refresh = (user: string, contact: string) => JSON.stringify({ kind: 'refresh', user, contact });

it('takes no delay and no lease beyond three minutes: a crash must not make others wait for longer', async () => {
  const { redis, prefix } = await freshStores();
  const own = new DelayQueue(redis, prefix);
  await expect(own.put(['a'], 180_001)).rejects.toThrow(RangeError);
  await own.put(['a'], 0);
  await expect(own.take(1, 180_001)).rejects.toThrow(RangeError);
  const held = await takeOne(own);
  await expect(own.extend(held, 180_001)).rejects.toThrow(RangeError);
  expect(held.items).toEqual(['a']);
});

describe('the items that wait', () => {
  it('are found page by page, all of them and each once', async () => {
    const { redis, prefix } = await freshStores();
    const own = new DelayQueue(redis, prefix);
    const items = Array.from({ length: 1_000 }, (_, i) => refresh(`${i % 3}`, `${i}`));
    await own.put(items, 60_000);
    expect((await own.waiting([''])).size).toBe(1_000);
    const of = (user: string) => items.filter((item) => (JSON.parse(item) as { user: string }).user === user);
    const begins = (user: string) => `{"kind":"refresh","user":"${user}",`;
    const found = await own.waiting([begins('1'), begins('none'), refresh('0', '999'), begins('2')]);
    expect([...found].sort()).toEqual([...of('1'), ...of('2'), refresh('0', '999')].sort());
  });

  it('are asked for in calls that each look at a bounded number of them', async () => {
    const { redis, prefix } = await freshStores();
    const replies: unknown[][] = [];
    const get = (client: RedisClient, name: string | symbol) => {
      const value: unknown = Reflect.get(client, name);
      if (name !== 'recency_delay_waiting') return typeof value === 'function' ? value.bind(client) : value;
      return async (...args: unknown[]) => {
        const reply: unknown[] = await (value as (...args: unknown[]) => Promise<unknown[]>).apply(client, args);
        replies.push(reply);
        return reply;
      };
    };
    const own = new DelayQueue(new Proxy(redis, { get }), prefix);
    const items = Array.from({ length: 5_000 }, (_, i) => refresh('1', `${i}`));
    for (const some of chunks(items, 500)) await own.put(some, 60_000);
    expect((await own.waiting([''])).size).toBe(5_000);
    expect(replies.length).toBeGreaterThanOrEqual(5_000 / 200);
    expect(Math.max(...replies.map((reply) => reply.length))).toBeLessThanOrEqual(3 + 200);
    replies.length = 0;
    expect(await own.waiting([refresh('1', '77'), refresh('2', '1')])).toEqual(new Set([refresh('1', '77')]));
    expect(replies.map((reply) => reply.length)).toEqual([3 + 1]);
  });

  it('are found when they are taken and put back all the while', async () => {
    const { redis, prefix } = await freshStores();
    const own = new DelayQueue(redis, prefix);
    const items = Array.from({ length: 600 }, (_, i) => refresh('1', `${i}`));
    await own.put(items, 0);
    let moves = 0;
    let isOver = false;
    const moving = (async () => {
      while (!isOver) {
        const held = await own.take(50, 60_000);
        await own.put(held.items, 0);
        await own.finish(held);
        moves += held.items.length;
      }
    })();
    await until(() => moves > 0);
    for (let look = 0; look < 20; look++) expect((await own.waiting([''])).size).toBe(600);
    isOver = true;
    await moving;
    expect(moves).toBeGreaterThan(600);
  });

  it.each(['due', 'held'])('are found and due again when the key %s was removed', async (key) => {
    const { redis, prefix } = await freshStores();
    const own = new DelayQueue(redis, prefix);
    await own.put(['first'], 0);
    if (key === 'held') await takeOne(own);
    await redis.del(`${prefix}:{delay}:${key}`);
    expect([...(await own.waiting(['']))]).toEqual(['first']);
    await own.finish(await takeOne(own));
    expect(await own.waiting([''])).toEqual(new Set());
  });

  it.each([
    { what: 'was removed', left: [] },
    { what: 'was removed, and has others since', left: ['later', 'latest'] },
  ])('are found when the key of all items $what', async ({ left }) => {
    const { redis, prefix } = await freshStores();
    const own = new DelayQueue(redis, prefix);
    await own.put(['both'], 0);
    await takeOne(own);
    await own.put(['both', 'waits'], 60_000);
    await redis.del(`${prefix}:{delay}:all`);
    await own.put(left, 60_000);
    expect(await own.waiting([''])).toEqual(new Set(['both', 'waits', ...left]));
  });
});

describe('a hold', () => {
  it('is ended only by the worker that took it', async () => {
    const { redis, prefix } = await freshStores();
    const own = new DelayQueue(redis, prefix);
    await own.put(['contended'], 0);
    const one = await takeOne(own);
    await own.put(['contended'], 0); // put off again by somebody else, and taken by them
    const other = await takeOne(own);
    await own.finish(one);
    expect([...(await own.waiting(['']))]).toEqual(['contended']);
    await own.finish(other);
    expect(await own.waiting([''])).toEqual(new Set());
  });

  it('that lapsed cannot be ended any more', async () => {
    const { redis, prefix } = await freshStores();
    const own = new DelayQueue(redis, prefix);
    await own.put(['slow'], 0);
    const lapsed = await until(async () => {
      const held = await own.take(1, 1);
      return held.items.length > 0 && held;
    });
    const taken = await takeOne(own);
    await own.finish(lapsed);
    expect([...(await own.waiting(['']))]).toEqual(['slow']);
    await own.finish(taken);
    expect(await own.waiting([''])).toEqual(new Set());
  });
});

describe('an item that begins to wait', () => {
  it('is told to those who listen, once', async () => {
    const { redis, prefix } = await freshStores();
    const own = new DelayQueue(redis, prefix);
    const listener = await freshRedis();
    const told: string[] = [];
    listener.on('smessage', (channel: string) => told.push(channel));
    await listener.ssubscribe(own.waitingChannel);
    await own.put(['a'], 60_000);
    await own.put(['a'], 60_000);
    await own.put(['a', 'b'], 60_000);
    await until(() => told.length >= 2);
    expect(told).toEqual([own.waitingChannel, own.waitingChannel]);
  });
});
