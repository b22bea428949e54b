import { beforeAll, describe, expect, it } from 'vitest';
import { DelayedWork } from '../../src/index/delayed-work.ts';
import { EVERYBODY, keyOf, pendingBarrier, type RaiseBarrier, sharedBarrier } from '../../src/index/drain-barrier.ts';
import { drainBarrierOf, outboxBarrier } from '../../src/index/index-drain-barrier.ts';
import { isPublishedUpTo } from '../../src/mysql/outbox.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

let stores: Stores;
let queue: DelayQueue;
beforeAll(async () => {
  stores = await freshStores();
  queue = new DelayQueue(stores.redis, stores.prefix);
});

async function insertRow(id: string): Promise<void> {
  await stores.primary.write(
    "INSERT INTO recency_outbox (id, type, user_id, other_id) VALUES (?, 'recency.contact.added', 1, 2)",
    [id],
  );
}

async function publishRow(id: string): Promise<void> {
  await stores.primary.write('UPDATE recency_outbox SET published_at = 1 WHERE id = ?', [id]);
}

const takeOne = (from = queue) =>
  until(async () => {
    const held = await from.take(1, 60_000);
    return held.items.length > 0 && held;
  });

describe('the outbox', () => {
  it('has passed when every earlier row is published, whatever came later', async () => {
    const raise = () => outboxBarrier(stores.primary)([EVERYBODY]);
    expect(await (await raise()).passed()).toBe(true);
    await insertRow('10');
    await insertRow('9007199254740993');
    const barrier = await raise();
    await insertRow('9007199254740994');
    expect(await barrier.passed()).toBe(false);
    await publishRow('9007199254740993');
    expect(await barrier.passed()).toBe(false);
    await publishRow('10');
    expect(await barrier.passed()).toBe(true);
    expect(await isPublishedUpTo(stores.primary, '9007199254740994')).toBe(false);
    await publishRow('9007199254740994');
  });
});

const refresh = (user: string, contact: string) => JSON.stringify({ kind: 'refresh', user, contact });
const rebuild = (user: string) => JSON.stringify({ kind: 'rebuild', user });
const recheck = (user: string, contact: string, attempt = 1) =>
  JSON.stringify({ kind: 'recheck', user, contact, version: '9', attempt });

describe('the delay queue', () => {
  const raise = (from: DelayQueue, suspects = [EVERYBODY]) => pendingBarrier(new DelayedWork(from))(suspects);

  it('has passed when every item that was waiting or in progress is gone, whatever came later', async () => {
    const [held, waits, later] = [refresh('1', '2'), refresh('1', '3'), refresh('1', '4')];
    await queue.put([held], 0);
    const one = await takeOne();
    expect(one.items).toEqual([held]);
    await queue.put([waits], 0);
    const barrier = await raise(queue);
    expect(await barrier.passed()).toBe(false);
    const other = await takeOne();
    expect(other.items).toEqual([waits]);
    await queue.finish(one);
    expect(await barrier.passed()).toBe(false); // taken, not done
    await queue.finish(other);
    expect(await barrier.passed()).toBe(true);
    await queue.put([later], 60_000);
    expect(await barrier.passed()).toBe(true);
    expect([...(await queue.waiting(['']))]).toEqual([later]);
  });

  it('has not passed while an item that was delayed again is present', async () => {
    const { redis, prefix } = await freshStores();
    const own = new DelayQueue(redis, prefix);
    await own.put([refresh('1', '2')], 0);
    const held = await takeOne(own);
    await own.put([refresh('1', '2')], 60_000);
    expect([...(await own.waiting(['']))]).toEqual([refresh('1', '2')]);
    const barrier = await raise(own);
    await own.finish(held);
    expect(await barrier.passed()).toBe(false);
  });

  it('has passed only when work delayed meanwhile by work in progress is done as well, and no later', async () => {
    const { redis, prefix } = await freshStores();
    const own = new DelayQueue(redis, prefix);
    const pair = { user: '1', contact: '2' };
    await own.put([recheck('1', '2', 1)], 0);
    const barrier = await raise(own, [pair]);
    const first = await takeOne(own);
    await own.put([recheck('1', '2', 2)], 0);
    await own.finish(first);
    expect(await barrier.passed()).toBe(false);
    const second = await takeOne(own);
    await own.put([recheck('1', '2', 3)], 60_000); // begun after all that was there at first sight
    expect(await barrier.passed()).toBe(false);
    await own.finish(second);
    expect(await barrier.passed()).toBe(true);
    expect(barrier.holds(pair)).toBe(false);
  });

  it('holds the suspects that its items concern, and no others', async () => {
    const { redis, prefix } = await freshStores();
    const own = new DelayQueue(redis, prefix);
    await own.put([refresh('1', '2'), rebuild('3'), recheck('4', '5')], 60_000);
    const held = [
      ...[
        { user: '1', contact: '2' },
        { user: '1', contact: undefined },
      ],
      { user: '3', contact: undefined },
      ...[
        { user: '4', contact: '5' },
        { user: '5', contact: '4' },
        { user: '4', contact: undefined },
      ],
    ];
    const free = [
      ...[
        { user: '1', contact: '22' },
        { user: '2', contact: '1' },
        { user: '11', contact: undefined },
      ],
      ...[
        { user: '3', contact: '4' },
        { user: '33', contact: undefined },
      ],
      ...[
        { user: '4', contact: '55' },
        { user: '4', contact: '9' },
      ],
      { user: '1', contact: 'no "id"' },
    ];
    const barrier = await raise(own, [...held, ...free]);
    expect(await barrier.passed()).toBe(false);
    expect(held.filter((suspect) => !barrier.holds(suspect))).toEqual([]);
    expect(free.filter((suspect) => barrier.holds(suspect))).toEqual([]);
    expect(await (await raise(own, free)).passed()).toBe(true);
  });
});

describe('work that is delayed in several places', () => {
  it('is awaited in all of them', async () => {
    const pair = { user: '1', contact: '2' };
    const left = [new Set(['a row']), new Set(['an item'])];
    const places = left.map((ids) => ({ pendingFor: async () => new Map([[keyOf(pair), new Set(ids)]]) }));
    const barrier = await pendingBarrier(...places)([pair]);
    expect(await barrier.passed()).toBe(false);
    left[0]?.clear();
    expect(await barrier.passed()).toBe(false);
    left[1]?.clear();
    expect(await barrier.passed()).toBe(true);
  });
});

describe('all pending work', () => {
  it('is in the outbox, then the transport, then the delay queue twice', async () => {
    const fresh = await freshStores();
    const own = new DelayQueue(fresh.redis, fresh.prefix);
    let open = false;
    const raised: string[] = [];
    const transport: RaiseBarrier = async () => {
      raised.push('transport');
      return sharedBarrier(async () => open);
    };
    const { primary, delayed, rechecks } = fresh;
    await primary.write("INSERT INTO recency_outbox (type, user_id) VALUES ('recency.user.deleted', 1)", []);

    const suspect = { user: '1', contact: '2' };
    const barrier = await drainBarrierOf({ primary, rechecks, delayed }, transport)([suspect]);
    expect(await barrier.passed()).toBe(false);
    expect(raised).toEqual([]);
    await primary.write('UPDATE recency_outbox SET published_at = 1', []);
    await own.put([recheck('1', '2', 1)], 0); // the task is applied too early, and puts its pair off
    expect(await barrier.passed()).toBe(false);
    expect(raised).toEqual(['transport']);
    open = true;
    expect(await barrier.passed()).toBe(false);
    const first = await takeOne(own);
    await own.put([recheck('1', '2', 2)], 0); // and once more
    await own.finish(first);
    expect(await barrier.passed()).toBe(false);
    expect(barrier.holds(suspect)).toBe(true);
    await own.finish(await takeOne(own));
    expect(await barrier.passed()).toBe(true);
    expect(barrier.holds(suspect)).toBe(false);
  });
});
