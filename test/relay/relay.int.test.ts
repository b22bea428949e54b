import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { publishRows, readClock } from '../../src/mysql/outbox.ts';
import { OutboxRelay } from '../../src/relay/relay.ts';
import { MessageRefused, type OutgoingTask, PartlyPublished } from '../../src/transport/task-publisher.ts';
import { foreignParent } from '../support/collector.ts';
import { OutboxBench, recorder } from '../support/outbox-bench.ts';
import { until } from '../support/until.ts';

const bench = new OutboxBench();

it('asks the transport for room at its start and when rows wait, and not while there is nothing', async () => {
  const { publish } = recorder();
  const checkRoom = vi.fn(async () => undefined);
  const deadLetters = { put: async () => undefined };
  const logger = pino({ level: 'silent' });
  const relay = new OutboxRelay({ database: bench.database, publisher: { publish, checkRoom }, deadLetters, logger });
  for (let round = 0; round < 4; round++) await relay.runOnce();
  expect(checkRoom).toHaveBeenCalledTimes(1);
  await bench.write(1);
  expect(await relay.runOnce()).toMatchObject({ published: 1 });
  expect(checkRoom).toHaveBeenCalledTimes(2);
});

describe('a row of the outbox', () => {
  it('becomes a task, by the columns of its type', async () => {
    await bench.database.write(
      `INSERT INTO recency_outbox (type, user_id, other_id, at, version) VALUES
         ('recency.contact.changed', 18446744073709551615, 7, NULL, 18446744073709551614),
         ('recency.contact.removed', 1, 2, NULL, NULL),
         ('recency.photo.uploaded', 3, 9007199254740993, 1083412800123, NULL),
         ('recency.photo.deleted', 3, 0, -5, 9),
         ('recency.group.joined', 5, 6, NULL, 2),
         ('recency.group_photo.added', 6, 8, NULL, NULL),
         ('recency.user.deleted', 4, NULL, NULL, NULL),
         ('recency.user.changed', 18446744073709551615, NULL, NULL, NULL)`,
      [],
    );
    const { tasks, publish } = recorder();
    expect(await bench.relayTo(publish).runOnce()).toEqual({ published: 8, deadLetters: 0, putBack: 0, refused: 0 });
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
      { type: 'recency.group.joined', user: '5', group: '6', version: '2' },
      { type: 'recency.group_photo.added', group: '6', photo: '8' },
      { type: 'recency.user.deleted', user: '4' },
      { type: 'recency.user.changed', user: '18446744073709551615' },
    ]);
    expect(tasks[0]).toMatchObject({ id: expect.stringMatching(/^outbox:\d+$/), source: '/recency/outbox' });
    expect(Math.abs((tasks[0]?.time ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(await bench.unpublished()).toBe(0);
  });

  it('passes its trace context on if it is valid, and needs no column for one, while the relay runs', async () => {
    const { traceparent } = foreignParent(1);
    const { tasks, publish } = recorder();
    const relay = bench.relayTo(publish);
    const change = async (what: string) => void (await bench.database.write(`ALTER TABLE recency_outbox ${what}`, []));
    const insert = async (context: string) => {
      const values = [context, 'malformed', null].map((value) => (value === null ? 'NULL' : `'${value}'`));
      const rows = values.map((value) => `('recency.user.deleted', 1, ${value})`);
      await bench.database.write(
        `INSERT INTO recency_outbox (type, user_id, traceparent) VALUES ${rows.join(',')}`,
        [],
      );
      await relay.runOnce();
    };
    await insert(traceparent);
    await change('DROP COLUMN traceparent');
    await bench.write(2);
    await relay.runOnce();
    await change('ADD COLUMN traceparent VARCHAR(255) NULL');
    await insert(traceparent);
    const ofThree = [traceparent, undefined, undefined];
    expect(tasks.map((task) => task.traceparent)).toEqual([...ofThree, undefined, undefined, ...ofThree]);
    expect(await bench.unpublished()).toBe(0);
  });

  it('is found by a relay that locks nothing while there is none', async () => {
    const { tasks, publish } = recorder();
    const relay = bench.relayTo(publish);
    await relay.runOnce();
    const transactions = vi.spyOn(bench.database, 'transaction');
    onTestFinished(() => transactions.mockRestore());
    for (let round = 0; round < 3; round++) await relay.runOnce();
    expect(transactions).not.toHaveBeenCalled();
    await bench.write(1);
    expect(await relay.runOnce()).toMatchObject({ published: 1 });
    expect(tasks).toHaveLength(1);
  });

  it('may have any time', async () => {
    await bench.write(2);
    await bench.database.write('UPDATE recency_outbox SET created_at = 9223372036854775807 ORDER BY id LIMIT 1', []);
    await bench.database.write('UPDATE recency_outbox SET created_at = -1 ORDER BY id DESC LIMIT 1', []);
    const { tasks, publish } = recorder();
    await bench.relayTo(publish).runOnce();
    expect(tasks.map(({ time }) => new Date(time).getTime())).toEqual([8.64e15, 0]);
  });

  it('that is not a task goes to the dead letters with its reason, and holds nothing up', async () => {
    await bench.database.write(
      `INSERT INTO recency_outbox (type, user_id, other_id, version) VALUES
         ('recency.contact.exploded', 1, 2, NULL),
         ('recency.contact.added', 1, NULL, NULL),
         ('recency.contact.added', 5, 5, NULL),
         ('recency.contact.added', 5, 6, 0),
         ('', 1, 2, NULL),
         ('recency.photo.uploaded', 0, 2, NULL),
         ('recency.group.joined', 1, NULL, NULL),
         ('recency.group_photo.added', 0, 2, NULL)`,
      [],
    );
    await bench.write(1);
    const letters: { delivery: { body: Buffer; headers: object }; failure: object }[] = [];
    const { tasks, publish } = recorder();
    expect(await bench.relayTo(publish, letters).runOnce()).toEqual({
      published: 1,
      deadLetters: 8,
      putBack: 0,
      refused: 0,
    });
    expect(tasks).toHaveLength(1);
    expect(await bench.unpublished()).toBe(0);
    expect(letters.map(({ failure }) => failure)).toEqual(
      [
        /type "recency.contact.exploded"/,
        /other_id/,
        /other_id/,
        /version/,
        /type ""/,
        /user_id/,
        /other_id/,
        /user_id/,
      ].map((message) => ({
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
    expect(await bench.relayTo(publish).runOnce()).toEqual({ published: 200, deadLetters: 0, putBack: 0, refused: 0 });
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

describe('rows that cannot be published', () => {
  it('of an unavailable part of the transport are put back, delay no others and are published later', async () => {
    await bench.write(600);
    const { tasks, publish } = recorder();
    const isAway = ({ task }: OutgoingTask) => 'user' in task && Number(task.user) <= 550;
    const relay = bench.relayTo(partly(publish, isAway));
    expect(await relay.runOnce()).toMatchObject({ published: 0, putBack: 500 });
    await bench.noneDue();
    expect(await relay.runOnce()).toMatchObject({ published: 50, putBack: 50 });
    await bench.noneDue();
    await bench.write(10, 1_000);
    expect(await relay.runOnce()).toMatchObject({ published: 10, putBack: 0 });
    expect(tasks).toHaveLength(60);
    expect(await bench.unpublished()).toBe(550); // they wait, and are lag
    await bench.allDue();
    await bench.write(10, 2_000);
    const after = bench.relayTo(publish);
    expect(await after.runOnce()).toMatchObject({ published: 500 });
    expect(tasks.slice(60, 70).map(({ task }) => 'user' in task && Number(task.user))).toEqual(range(2_000, 10));
    expect(await after.runOnce()).toMatchObject({ published: 60 });
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(620);
  });

  it('come again after a pause that grows', async () => {
    await bench.write(1);
    const relay = bench.relayTo(partly(recorder().publish, () => true));
    for (const ms of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]) {
      const before = await readClock(bench.database);
      expect(await relay.runOnce()).toMatchObject({ putBack: 1 });
      const after = await readClock(bench.database);
      const [row] = await bench.database.rows('SELECT due_at FROM recency_outbox', []);
      expect(Number(row?.[0])).toBeGreaterThanOrEqual(before + ms);
      expect(Number(row?.[0])).toBeLessThanOrEqual(after + ms);
      await bench.allDue();
    }
  });

  it('have a turn though new rows never end', async () => {
    await bench.write(20, 100_000);
    await bench.relayTo(partly(recorder().publish, () => true)).runOnce();
    await bench.allDue();
    const { tasks, publish } = recorder();
    const relay = bench.relayTo(publish);
    for (let round = 0; round < 12; round++) {
      await bench.write(600, 1_000 * round + 1);
      await relay.runOnce();
    }
    expect(tasks.filter(({ task }) => 'user' in task && Number(task.user) >= 100_000)).toHaveLength(20);
  });

  it('do not keep new rows waiting when publishing them fails as a whole', async () => {
    await bench.write(1, 100_000);
    await bench.relayTo(partly(recorder().publish, () => true)).runOnce();
    await bench.allDue();
    const { tasks, publish } = recorder();
    const relay = bench.relayTo(async (some) => {
      if (some.length === 1) throw new Error('no broker takes it');
      await publish(some);
    });
    await bench.write(6_000);
    const failures: unknown[] = [];
    for (let round = 0; round < 13; round++) await relay.runOnce().catch((error: unknown) => failures.push(error));
    expect(failures).toHaveLength(1);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(6_000);
  });

  it('because the transport refuses them are put back: the changes that they tell of count as lag until it takes them', async () => {
    await bench.write(3);
    const letters: unknown[] = [];
    const { tasks, publish } = recorder();
    const isSecond = ({ task }: OutgoingTask) => 'user' in task && task.user === '2';
    const refusing = partly(publish, isSecond, () => new MessageRefused('too large'));
    expect(await bench.relayTo(refusing, letters as never).runOnce()).toMatchObject({ published: 2, putBack: 1 });
    expect(letters).toEqual([]);
    expect(await bench.unpublished()).toBe(1);
    await bench.allDue();
    expect(await bench.relayTo(publish).runOnce()).toMatchObject({ published: 1 });
    expect(tasks).toHaveLength(3);
  });

  it('that the dead letters refuse, too, are marked with the reason and left', async () => {
    await bench.database.write(
      "INSERT INTO recency_outbox (type, user_id, other_id) VALUES ('recency.contact.exploded', 1, 2), ('recency.contact.imploded', 3, 4)",
      [],
    );
    await bench.write(2);
    const { tasks, publish } = recorder();
    const put = async (letters: readonly { delivery: { headers: Readonly<Record<string, string>> } }[]) => {
      if (!letters.some(({ delivery }) => delivery.headers.ce_type === 'recency.contact.exploded')) return;
      throw letters.length === 1 ? new MessageRefused('larger than the topic takes') : new Error('one of these');
    };
    const relay = bench.relayTo(publish, [], put);
    expect(await relay.runOnce()).toEqual({ published: 2, deadLetters: 1, putBack: 0, refused: 1 });
    expect(tasks).toHaveLength(2);
    const rows = await bench.database.rows('SELECT refused FROM recency_outbox WHERE refused IS NOT NULL', []);
    expect(rows).toEqual([[expect.stringMatching(/exploded.*larger than the topic takes/)]]);
    expect(await relay.runOnce()).toMatchObject({ published: 0, refused: 0 });
  });

  it('are put back while the dead letters are unavailable: the others are published', async () => {
    await bench.database.write(
      "INSERT INTO recency_outbox (type, user_id, other_id) VALUES ('recency.contact.exploded', 1, 2), ('', 3, 4)",
      [],
    );
    await bench.write(2);
    const { tasks, publish } = recorder();
    const away = async () => {
      throw new Error('no broker');
    };
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const publisher = { publish, checkRoom: async () => undefined };
    const relay = new OutboxRelay({ database: bench.database, publisher, deadLetters: { put: away }, logger });
    expect(await relay.runOnce()).toMatchObject({ published: 2, deadLetters: 0, putBack: 2 });
    expect(tasks).toHaveLength(2);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ rows: 2, err: expect.objectContaining({ message: 'no broker' }) }),
    ]);
    await bench.allDue();
    expect(await bench.relayTo(publish).runOnce()).toMatchObject({ deadLetters: 2 });
  });
});

/** A transport that does not take some of the tasks. */
function partly(
  publish: (tasks: readonly OutgoingTask[]) => Promise<void>,
  isNotTaken: (task: OutgoingTask) => boolean,
  why = () => new Error('its partition has no leader'),
) {
  return async (tasks: readonly OutgoingTask[]) => {
    await publish(tasks.filter((task) => !isNotTaken(task)));
    const notTaken = tasks.filter(isNotTaken).map((task) => [task, why()] as const);
    if (notTaken.length > 0) throw new PartlyPublished(new Map(notTaken));
  };
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
