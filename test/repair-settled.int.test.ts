import { beforeAll, describe, expect, it } from 'vitest';
import { delayedMarks, outboxMarks, type Settled, settledBy } from '../src/index/settled.ts';
import { isPublishedUpTo } from '../src/mysql/outbox-progress.ts';
import { DelayQueue } from '../src/redis/delay-queue.ts';
import { freshStores, type Stores } from './support/stores.ts';
import { until } from './support/until.ts';

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
  it('is passed when every row that was there is published, whatever came later', async () => {
    const marks = outboxMarks(stores.primary);
    expect(await marks.reached(await marks.mark())).toBe(true);
    await insertRow('10');
    await insertRow('9007199254740993');
    const mark = await marks.mark();
    await insertRow('9007199254740994');
    expect(await marks.reached(mark)).toBe(false);
    await publishRow('9007199254740993');
    expect(await marks.reached(mark)).toBe(false);
    await publishRow('10');
    expect(await marks.reached(mark)).toBe(true);
    expect(await isPublishedUpTo(stores.primary, '9007199254740994')).toBe(false);
    await publishRow('9007199254740994');
  });
});

describe('the delay queue', () => {
  it('is passed when every item that waited or was held is gone, whatever came later', async () => {
    const marks = delayedMarks(queue);
    await queue.put(['held'], 0);
    const held = await takeOne();
    expect(held.items).toEqual(['held']);
    await queue.put(['waits'], 0);
    const mark = await marks.mark();
    await queue.put(['later'], 60_000);
    expect(await marks.reached(mark)).toBe(false);
    const waited = await takeOne();
    expect(waited.items).toEqual(['waits']);
    await queue.finish(held);
    expect(await marks.reached(mark)).toBe(false); // taken, not done
    await queue.finish(waited);
    expect(await marks.reached(mark)).toBe(true);
    expect(await queue.waiting()).toEqual(['later']);
  });

  it('names an item once that waits and is held at the same time', async () => {
    await queue.put(['twice'], 0);
    const held = await takeOne();
    expect(held.items).toEqual(['twice']);
    await queue.put(['twice'], 60_000);
    expect((await queue.waiting()).sort()).toEqual(['later', 'twice']);
    expect(await queue.waiting(['twice', 'none'])).toEqual(['twice']);
    const marks = delayedMarks(queue);
    const mark = await marks.mark();
    await queue.finish(held);
    expect(await marks.reached(mark)).toBe(false);
  });
});

describe('a hold', () => {
  it('is ended only by whoever took it', async () => {
    const { redis, prefix } = await freshStores();
    const own = new DelayQueue(redis, prefix);
    await own.put(['contended'], 0);
    const one = await takeOne(own);
    await own.put(['contended'], 0); // put off again by somebody else, and taken by them
    const other = await takeOne(own);
    await own.finish(one);
    expect(await own.waiting()).toEqual(['contended']);
    await own.finish(other);
    expect(await own.waiting()).toEqual([]);
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
    expect(await own.waiting()).toEqual(['slow']);
    await own.finish(taken);
    expect(await own.waiting()).toEqual([]);
  });
});

describe('everything on its way', () => {
  it('is the outbox, then the transport, then the delay queue twice', { timeout: 90_000 }, async () => {
    const fresh = await freshStores();
    const own = new DelayQueue(fresh.redis, fresh.prefix);
    let open = false;
    const marked: string[] = [];
    const transport: Settled = { mark: async () => marked.push('transport'), reached: async () => open };
    const settled = settledBy({ primary: fresh.primary, transport, delayQueue: own });
    await fresh.primary.write("INSERT INTO recency_outbox (type, user_id) VALUES ('recency.user.deleted', 1)", []);

    const mark = await settled.mark();
    expect(await settled.reached(mark)).toBe(false);
    expect(marked).toEqual([]);
    await fresh.primary.write('UPDATE recency_outbox SET published_at = 1', []);
    await own.put(['first attempt'], 0); // the task is applied too early, and puts its pair off
    expect(await settled.reached(mark)).toBe(false);
    expect(marked).toEqual(['transport']);
    open = true;
    expect(await settled.reached(mark)).toBe(false);
    const first = await takeOne(own);
    await own.put(['second attempt'], 0); // and once more
    await own.finish(first);
    expect(await settled.reached(mark)).toBe(false);
    await own.finish(await takeOne(own));
    expect(await settled.reached(mark)).toBe(true);
  });
});
