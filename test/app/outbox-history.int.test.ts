import { beforeEach, describe, expect, it } from 'vitest';
import { newestTasksKey, OutboxHistory } from '../../src/app/outbox-history.ts';
import { EVERYBODY } from '../../src/index/drain-barrier.ts';
import { outboxBarrier } from '../../src/index/index-drain-barrier.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { eraseUser } from '../../src/mysql/erase.ts';
import { deletePublished } from '../../src/mysql/outbox.ts';
import { TextRecord } from '../../src/redis/text-record.ts';
import { freshStores, type Stores } from '../support/stores.ts';

describe('an outbox that has lost its newest tasks', () => {
  let stores: Stores;
  let open: () => OutboxHistory;
  let alarms: string[];

  beforeEach(async () => {
    stores = await freshStores();
    alarms = [];
    const { primary, redis, prefix } = stores;
    open = () =>
      new OutboxHistory({
        ...{ primary, kept: new TextRecord(redis, newestTasksKey(prefix)) },
        onNewEpoch: (why) => void alarms.push(why),
      });
  });

  const write = (sql: string) => stores.primary.write(sql, []);
  const addTasks = (count: number) =>
    write(
      `INSERT INTO recency_outbox (type, user_id) VALUES ${Array(count).fill("('recency.photo.uploaded', 1)").join()}`,
    );
  const token = async () => (await readEpoch(stores.primary)).token;

  it.each([
    ['emptied, which begins its ids anew', 'TRUNCATE recency_outbox', 0],
    ['emptied', 'DELETE FROM recency_outbox', 0],
    ['set back by a backup', 'DELETE FROM recency_outbox WHERE id > 2', 2],
  ])('because it was %s, begins one new epoch, also for a process that starts then', async (_what, sql, left) => {
    await addTasks(3);
    const before = await open().epoch();
    expect(before).toBe(await token());
    await write(sql);
    const after = await open().epoch();
    expect(after).not.toBe(before);
    expect(after).toBe(await token());
    await addTasks(1);
    expect(await open().epoch()).toBe(after);
    expect(alarms).toEqual([
      `tasks were removed from the outbox, or MySQL was set back: the newest was 3, and is ${left}`,
    ]);
  });

  it.each([
    ['emptied', 'DELETE FROM recency_outbox', 'task 3 is gone'],
    ['emptied, which begins its ids anew', 'TRUNCATE recency_outbox', 'task 3 is gone'],
  ])('because it was %s begins a new epoch although the site wrote on', async (_what, sql, gone) => {
    await addTasks(3);
    const before = await open().epoch();
    await write(sql);
    await addTasks(5);
    const after = await open().epoch();
    expect(after).not.toBe(before);
    expect(await open().epoch()).toBe(after);
    expect(alarms).toEqual([expect.stringContaining(gone)]);
  });

  it('is not one whose tasks name nobody any more, or have odd times', async () => {
    await addTasks(3);
    await write('UPDATE recency_outbox SET created_at = 9223372036854775807');
    await write('UPDATE recency_outbox SET published_at = 1');
    const before = await open().epoch();
    await eraseUser(stores.primary, '1', true);
    expect(await open().epoch()).toBe(before);
    await addTasks(1);
    expect(await open().epoch()).toBe(before);
    expect(alarms).toEqual([]);
  });

  it('is one for all processes', async () => {
    const histories = [open(), open()];
    const epochs = async () => {
      const found: string[] = [];
      for (const history of histories) found.push(await history.epoch());
      return found;
    };
    await addTasks(3);
    const [before] = await epochs();
    await write('TRUNCATE recency_outbox');
    const after = await epochs();
    expect(new Set(after)).toEqual(new Set([await token()]));
    expect(after).not.toContain(before);
    expect(alarms).toHaveLength(1);
    expect(await epochs()).toEqual(after);
  });

  it('is not one whose old tasks were deleted, or whose re-checks are done', async () => {
    await addTasks(3);
    await stores.rechecks.put([{ user: '1', contact: '2', version: '9' }], 1);
    await write('UPDATE recency_outbox SET published_at = 1 WHERE NOT is_recheck');
    const before = await open().epoch();
    await write('DELETE FROM recency_outbox WHERE is_recheck');
    await deletePublished(stores.primary, 2, 10);
    const rows = await stores.primary.rows('SELECT id FROM recency_outbox', []);
    expect(
      rows.map(([id]) => String(id)),
      'the newest stays',
    ).toEqual(['3']);
    expect(await open().epoch()).toBe(before);
    expect(alarms).toEqual([]);
  });

  it('is told from a Redis that has lost everything, or has gone back', async () => {
    const { redis, prefix } = stores;
    const history = open();
    await addTasks(3);
    await history.epoch();
    const older = await redis.dumpBuffer(newestTasksKey(prefix));
    await addTasks(1);
    const before = await history.epoch();
    await redis.del(newestTasksKey(prefix));
    expect(await history.epoch()).toBe(before);
    await redis.restore(newestTasksKey(prefix), 0, older ?? '', 'REPLACE');
    expect(await history.epoch()).toBe(before);
    expect(alarms).toEqual([]);
  });

  it('is not passed by a barrier that was raised before', async () => {
    await addTasks(3);
    const barrier = await outboxBarrier(stores.primary)([EVERYBODY]);
    await write('TRUNCATE recency_outbox');
    expect(await barrier.passed()).toBe(false);
  });
});
