import { describe, expect, it } from 'vitest';
import { publishRows } from '../src/mysql/outbox.ts';
import { OutboxBench, recorder } from './support/outbox-bench.ts';
import { until } from './support/until.ts';

const bench = new OutboxBench();

describe('a row of the outbox', () => {
  it('becomes a task, by the columns of its type', async () => {
    await bench.database.write(
      `INSERT INTO recency_outbox (type, user_id, other_id, at, version) VALUES
         ('recency.contact.changed', 18446744073709551615, 7, NULL, 18446744073709551614),
         ('recency.contact.removed', 1, 2, NULL, NULL),
         ('recency.photo.uploaded', 3, 9007199254740993, 1083412800123, NULL),
         ('recency.photo.deleted', 3, NULL, -5, 9),
         ('recency.user.deleted', 4, NULL, NULL, NULL)`,
      [],
    );
    const { tasks, publish } = recorder();
    expect(await bench.relayTo(publish).runOnce()).toEqual({ published: 5, deadLetters: 0 });
    expect(tasks.map(({ task }) => task)).toEqual([
      {
        type: 'recency.contact.changed',
        user: '18446744073709551615',
        contact: '7',
        version: '18446744073709551614',
      },
      { type: 'recency.contact.removed', user: '1', contact: '2' },
      { type: 'recency.photo.uploaded', owner: '3', photo: '9007199254740993', at: 1083412800123 },
      { type: 'recency.photo.deleted', owner: '3' },
      { type: 'recency.user.deleted', user: '4' },
    ]);
    expect(tasks[0]).toMatchObject({ id: expect.stringMatching(/^outbox:\d+$/), source: '/recency/outbox' });
    expect(Math.abs((tasks[0]?.time ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(await bench.unpublished()).toBe(0);
  });

  it('may have any time', async () => {
    await bench.write(2);
    await bench.database.write('UPDATE recency_outbox SET created_at = 9223372036854775807 ORDER BY id LIMIT 1', []);
    await bench.database.write('UPDATE recency_outbox SET created_at = -1 ORDER BY id DESC LIMIT 1', []);
    const { tasks, publish } = recorder();
    await bench.relayTo(publish).runOnce();
    expect(tasks.map(({ time }) => new Date(time).getTime())).toEqual([8.64e15, 0]);
  });

  it('that is no task goes to the dead letters with its reason, and holds nothing up', async () => {
    await bench.database.write(
      `INSERT INTO recency_outbox (type, user_id, other_id, version) VALUES
         ('recency.contact.exploded', 1, 2, NULL),
         ('recency.contact.added', 1, NULL, NULL),
         ('recency.contact.added', 5, 5, NULL),
         ('recency.contact.added', 5, 6, 0),
         ('', 1, 2, NULL),
         ('recency.photo.uploaded', 0, 2, NULL)`,
      [],
    );
    await bench.write(1);
    const letters: { delivery: { body: Buffer; headers: object }; failure: object }[] = [];
    const { tasks, publish } = recorder();
    expect(await bench.relayTo(publish, letters).runOnce()).toEqual({ published: 1, deadLetters: 6 });
    expect(tasks).toHaveLength(1);
    expect(await bench.unpublished()).toBe(0);
    expect(letters.map(({ failure }) => failure)).toEqual(
      [/type "recency.contact.exploded"/, /other_id/, /other_id/, /version/, /type ""/, /user_id/].map((message) => ({
        errorClass: 'InvalidOutboxRow',
        message: expect.stringMatching(message),
        attempts: 1,
      })),
    );
    expect(letters[0]?.delivery.headers).toMatchObject({ ce_type: 'recency.contact.exploded' });
    expect(JSON.parse(String(letters[0]?.delivery.body))).toMatchObject({ user_id: '1', other_id: '2' });
  });
});

describe('the relay', () => {
  it('publishes again what was published but not marked', async () => {
    await bench.write(3);
    const { tasks, publish } = recorder();
    const died = bench.relayTo(async (some) => {
      await publish(some);
      throw new Error('killed before the commit');
    });
    await expect(died.runOnce()).rejects.toThrow('killed before the commit');
    expect(await bench.unpublished()).toBe(3);
    await bench.relayTo(publish).runOnce();
    expect(tasks).toHaveLength(6);
    expect(tasks.slice(3).map(({ id }) => id)).toEqual(tasks.slice(0, 3).map(({ id }) => id));
  });

  it('shares the rows with another one: neither waits, and every row is published', async () => {
    await bench.write(1_200);
    const { tasks, publish } = recorder();
    const { promise: both, resolve: met } = Promise.withResolvers<void>();
    let inside = 0;
    const together = bench.relayTo(async (some) => {
      if (++inside === 2) met();
      await both; // only goes on when the other one has claimed rows as well
      await publish(some);
    });
    const counts = await Promise.all([together.runOnce(), together.runOnce()]);
    expect(counts.map(({ published }) => published)).toEqual([500, 500]);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(1_000);
    expect(await bench.relayTo(publish).runOnce()).toEqual({ published: 200, deadLetters: 0 });
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(1_200);
  });

  it('does not miss a row that is committed late with a smaller id', async () => {
    const late = bench.open();
    const { tasks, publish } = recorder();
    const { promise: written, resolve: wrote } = Promise.withResolvers<void>();
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const transaction = late.transaction(async (connection) => {
      await connection.query(
        `INSERT INTO recency_outbox (type, user_id, other_id) VALUES ('recency.contact.added', 900, 1)`,
      );
      wrote();
      await mayCommit;
    });
    await written;
    await bench.write(1);
    await bench.relayTo(publish).runOnce();
    expect(tasks.map(({ task }) => 'user' in task && task.user)).toEqual(['1']);
    commit();
    await transaction;
    await bench.relayTo(publish).runOnce();
    expect(tasks.map(({ task }) => 'user' in task && task.user)).toEqual(['1', '900']);
    await late.close();
  });

  it('lets the site write while rows are claimed', async () => {
    await bench.write(2);
    const published = await publishRows(bench.database, { limit: 500, which: 'due' }, async () => {
      await bench.write(1, 100);
      return { putBack: [], refused: new Map() };
    });
    expect(published).toBe(2);
    expect(await bench.unpublished()).toBe(1);
  });

  it('goes on by itself when the transport comes back, and ends when told to', async () => {
    await bench.write(700);
    const { tasks, publish } = recorder();
    let failures = 0;
    const relay = bench.relayTo(async (some) => {
      if (++failures <= 2) throw new Error('no broker');
      await publish(some);
    });
    const stop = new AbortController();
    const running = relay.run(stop.signal);
    await until(() => tasks.length === 700);
    await bench.write(1, 5_000);
    await until(() => tasks.length === 701);
    stop.abort();
    await running;
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(701);
  });

  it('finishes the rows in work before it ends', async () => {
    await bench.write(5);
    const { promise: claimed, resolve: claim } = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const stop = new AbortController();
    const running = bench
      .relayTo(async () => {
        claim();
        await answered;
      })
      .run(stop.signal);
    await claimed;
    stop.abort();
    answer();
    await running;
    expect(await bench.unpublished()).toBe(0);
  });
});
