import { describe, expect, it } from 'vitest';
import { eraseUser } from '../../src/mysql/erase.ts';
import { deletePublished, readOutboxLag } from '../../src/mysql/outbox.ts';
import { OutboxJanitor } from '../../src/relay/janitor.ts';
import { republish } from '../../src/relay/relay.ts';
import { OutboxBench, recorder, silent } from '../support/outbox-bench.ts';

const bench = new OutboxBench();
const never = new AbortController().signal;

describe('the lag', () => {
  it('is the number of waiting rows and the age of the oldest', async () => {
    expect(await readOutboxLag(bench.database)).toEqual({ rows: 0, oldestMs: 0, ahead: 0 });
    await bench.write(2);
    await bench.database.write('UPDATE recency_outbox SET created_at = created_at - 90000 ORDER BY id LIMIT 1', []);
    const { rows, oldestMs } = await readOutboxLag(bench.database);
    expect(rows).toBe(2);
    expect(oldestMs).toBeGreaterThanOrEqual(90_000);
    expect(oldestMs).toBeLessThan(120_000);
  });

  it('is that of the oldest row also behind rows of a clock that is ahead, and never below 0', async () => {
    const { database } = bench;
    await database.write('DELETE FROM recency_outbox', []);
    await bench.write(3);
    await database.write('UPDATE recency_outbox SET created_at = created_at + 3600000 ORDER BY id LIMIT 2', []);
    await database.write('UPDATE recency_outbox SET created_at = created_at - 90000 ORDER BY id DESC LIMIT 1', []);
    const { rows, oldestMs, ahead } = await readOutboxLag(database);
    expect({ rows, ahead }).toEqual({ rows: 3, ahead: 2 });
    expect(oldestMs).toBeGreaterThanOrEqual(90_000);
    expect(oldestMs).toBeLessThan(120_000);
    await database.write('DELETE FROM recency_outbox ORDER BY id DESC LIMIT 1', []);
    expect(await readOutboxLag(database)).toEqual({ rows: 2, oldestMs: 0, ahead: 2 });
  });
});

describe('the janitor', () => {
  it('deletes what was published long ago except the newest of it, and nothing else', async () => {
    await bench.write(4);
    await bench.relayTo(recorder().publish).runOnce();
    await bench.database.write(
      'UPDATE recency_outbox SET published_at = published_at - 3600000 ORDER BY id LIMIT 3',
      [],
    );
    await bench.write(1);
    expect(await new OutboxJanitor({ database: bench.database, keepMs: 7_200_000, logger: silent }).runOnce()).toBe(0);
    expect(await new OutboxJanitor({ database: bench.database, keepMs: 3_500_000, logger: silent }).runOnce()).toBe(3);
    expect(await bench.database.rows('SELECT COUNT(*) FROM recency_outbox', [])).toEqual([[3]]);
  });

  it('deletes no more at once than it is told', async () => {
    await bench.write(10);
    await bench.relayTo(recorder().publish).runOnce();
    await bench.database.write('UPDATE recency_outbox SET published_at = 1', []);
    expect(await deletePublished(bench.database, 2, 4)).toBe(4);
  });
});

describe('publishing again', () => {
  it('is for the rows published in that time', async () => {
    await bench.write(2_500);
    const { tasks, publish } = recorder();
    const relay = bench.relayTo(publish);
    while ((await relay.runOnce()).published > 0);
    await bench.database.write('UPDATE recency_outbox SET published_at = 2000', []);
    await bench.database.write('UPDATE recency_outbox SET published_at = 1000 ORDER BY id LIMIT 1', []);
    await bench.database.write('UPDATE recency_outbox SET published_at = 3000 ORDER BY id DESC LIMIT 1', []);
    expect(await republish(bench.database, { from: 2_000, to: 3_000 }, never)).toBe(2_498);
    expect(await bench.unpublished()).toBe(2_498);
    while ((await relay.runOnce()).published > 0);
    expect(tasks).toHaveLength(4_998);
  });

  it('leaves out the rows of those who were erased', async () => {
    await bench.write(3);
    await bench.database.write('UPDATE recency_outbox SET user_id = 77 ORDER BY id LIMIT 1', []);
    await bench.relayTo(recorder().publish).runOnce();
    await bench.database.write('UPDATE recency_outbox SET published_at = 1000', []);
    await eraseUser(bench.database, '77', true);
    expect(await republish(bench.database, { from: 0, to: 2_000 }, AbortSignal.timeout(5_000))).toBe(2);
    expect(await bench.unpublished()).toBe(2);
  });

  it('comes after everything that is new', async () => {
    await bench.write(700);
    const { tasks, publish } = recorder();
    const relay = bench.relayTo(publish);
    while ((await relay.runOnce()).published > 0);
    await bench.database.write('UPDATE recency_outbox SET published_at = 1000', []);
    expect(await republish(bench.database, { from: 0, to: 2_000 }, never)).toBe(700);
    await bench.write(600, 10_000);
    while ((await relay.runOnce()).published > 0);
    const users = tasks.slice(700).map(({ task }) => ('user' in task ? Number(task.user) : 0));
    expect(users).toHaveLength(1_300);
    expect(users.slice(0, 600).every((user) => user >= 10_000)).toBe(true);
  });

  it('ends with what was published until now', async () => {
    await bench.write(1_500);
    const { publish } = recorder();
    const relay = bench.relayTo(publish);
    while ((await relay.runOnce()).published > 0);
    await bench.database.write('UPDATE recency_outbox SET published_at = 1000', []);
    const stop = new AbortController();
    const running = relay.run(stop.signal);
    expect(await republish(bench.database, { from: 0, to: Number.MAX_SAFE_INTEGER }, never)).toBe(1_500);
    stop.abort();
    await running;
  });
});
