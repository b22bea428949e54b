import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAX_TASK_BYTES } from '../../src/contracts/task.ts';
import { Database } from '../../src/mysql/database.ts';
import { encodeTask } from '../../src/transport/cloud-events.ts';
import { ensureTopics } from '../../src/transport/kafka/topic-admin.ts';
import { SettledDeadLetters } from '../../src/transport/settled-dead-letters.ts';
import type { Delivery } from '../../src/transport/task-source.ts';
import { runInProcess } from '../support/in-process.ts';
import { freshPrefix, freshTopic, hasKafka, kafkaBrokers, redisUrl, withAdmin } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { freshTask, freshTasks } from '../transport/outgoing-task.ts';
import { open, type Place } from '../transport/place.ts';
import { useConsumers } from '../transport/use-consumers.ts';

const failure = { errorClass: 'InvalidTask', message: 'type: "x" is not known', attempts: 3 };

function delivery(more: Partial<Delivery> = {}): Delivery {
  return {
    position: 'kafka:t.a:3:17',
    body: Buffer.from([0, 255, 10]),
    headers: { a: 'é' },
    timestamp: 1_000,
    ...more,
  };
}

function describeDeadLetters(name: string, freshPlace: () => Promise<Place>): void {
  describe(`dead letters in ${name}`, () => {
    const { at, run } = useConsumers();
    const fresh = async () => at(await freshPlace());

    it('keep the original bytes and headers, and say why and where from', async () => {
      const { deadLetters } = await fresh();
      await deadLetters.put([{ delivery: delivery(), failure }]);
      const [listed] = await deadLetters.list({ limit: 10 });
      const letter = await deadLetters.get(String(listed?.id));
      expect(letter?.body).toEqual(Buffer.from([0, 255, 10]));
      expect(listed?.bytes).toBe(3);
      expect(letter?.headers).toEqual({
        a: 'é',
        'dlq-original-topic': 't.a',
        'dlq-original-partition': '3',
        'dlq-original-offset': '17',
        'dlq-original-timestamp': '1000',
        'dlq-exception-class': 'InvalidTask',
        'dlq-exception-message': 'type: "x" is not known',
        'dlq-attempts': '3',
      });
      expect(Math.abs(Number(letter?.timestamp) - Date.now())).toBeLessThan(60_000);
    });

    it.each([
      ['streams:p:{tasks}:stream:1700000000000-3', 'p:{tasks}:stream', '0', '1700000000000-3'],
      ['outbox:42', 'outbox', '0', '42'],
      ['somewhere', '', '0', 'somewhere'],
    ])('know %s as a position, too', async (position, topic, partition, offset) => {
      const { deadLetters } = await fresh();
      await deadLetters.put([{ delivery: delivery({ position }), failure }]);
      const [letter] = await deadLetters.list({ limit: 1 });
      expect(letter?.headers).toMatchObject({
        'dlq-original-topic': topic,
        'dlq-original-partition': partition,
        'dlq-original-offset': offset,
      });
    });

    it('take tombstones and long reasons', async () => {
      const { deadLetters } = await fresh();
      await deadLetters.put([
        { delivery: delivery({ body: null }), failure },
        { delivery: delivery(), failure: { ...failure, message: 'm'.repeat(100_000) } },
      ]);
      const [tombstone, other] = await deadLetters.list({ limit: 10 });
      expect(tombstone?.bytes).toBeNull();
      expect((await deadLetters.get(String(tombstone?.id)))?.body).toBeNull();
      expect(other?.headers['dlq-exception-message']).toHaveLength(1_000);
    });

    it('keep a body as large as a task may be whole, and of a larger one the beginning, its length and its hash', async () => {
      const { deadLetters } = await fresh();
      const largest = Buffer.alloc(MAX_TASK_BYTES, 'x');
      // The largest that the brokers take as a task by default, and what no request of theirs would hold with its letter.
      const bodies = [
        largest,
        Buffer.alloc(MAX_TASK_BYTES + 1, 'y'),
        Buffer.alloc(1_048_400, 'z'),
        randomBytes(5_000_000),
      ];
      await deadLetters.put(bodies.map((body) => ({ delivery: delivery({ body }), failure })));
      const letters = await deadLetters.list({ limit: 10 });
      expect(letters.map(({ bytes }) => bytes)).toEqual(bodies.map(() => MAX_TASK_BYTES));
      expect(letters[0]?.headers).not.toHaveProperty('dlq-body-truncated');
      for (const [i, body] of bodies.entries()) {
        const kept = (await deadLetters.get(String(letters[i]?.id)))?.body;
        expect(kept?.equals(body.subarray(0, MAX_TASK_BYTES))).toBe(true);
        if (i === 0) continue;
        expect(letters[i]?.headers).toMatchObject({
          'dlq-body-truncated': 'true',
          'dlq-body-bytes': String(body.length),
          'dlq-body-sha256': createHash('sha256').update(body).digest('hex'),
          'dlq-original-partition': '3',
          'dlq-original-offset': '17',
        });
      }
    });

    it('leave out headers that do not fit, and say how many', async () => {
      const { deadLetters } = await fresh();
      const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`h${i}`, 'x'.repeat(20)]));
      const headers = { ce_id: 'a', large: 'x'.repeat(1_000_000), ce_type: 'b', ...many };
      await deadLetters.put([{ delivery: delivery({ headers }), failure }]);
      const [letter] = await deadLetters.list({ limit: 1 });
      expect(letter?.headers).toMatchObject({ ce_id: 'a', ce_type: 'b', h0: 'x'.repeat(20), 'dlq-attempts': '3' });
      expect(letter?.headers).not.toHaveProperty('large');
      const omitted = Number(letter?.headers['dlq-headers-omitted']);
      expect(omitted).toBeGreaterThan(49_000);
      expect(JSON.stringify(letter?.headers).length).toBeLessThan(30_000);
    });

    it('are not put back when they do not hold what was sent: none of those asked for is', async () => {
      const opened = await fresh();
      const { deadLetters } = opened;
      const { body, headers } = encodeTask(freshTask());
      await deadLetters.put([
        { delivery: delivery({ body, headers }), failure },
        { delivery: delivery({ body: Buffer.alloc(MAX_TASK_BYTES + 1) }), failure },
        { delivery: delivery({ headers: { a: 'x'.repeat(100_000) } }), failure },
        { delivery: delivery({ unreadable: { reason: 'r', lastOffset: '19' } }), failure },
      ]);
      const [whole, ...others] = (await deadLetters.list({ limit: 10 })).map(({ id }) => id);
      const reasons = [
        /truncated; 65537 bytes were sent/,
        /1 of its headers/,
        /a batch of messages that could not be read/,
      ];
      for (const [i, reason] of reasons.entries()) {
        const asked = [String(whole), String(others[i])];
        await expect(deadLetters.replay(asked)).rejects.toThrow(reason);
        await expect(deadLetters.replay(asked)).rejects.toMatchObject({ name: 'NotReplayable' });
      }
      const { received } = run(opened);
      expect(await deadLetters.replay([String(whole)])).toEqual({ replayed: 1, missing: [] });
      await until(() => received.length > 0);
      expect(received.map((one) => one.headers)).toEqual([{ ...headers, 'dlq-replayed-after': failure.message }]);
    });

    it('are listed oldest first, a page at a time, and found by their ids', async () => {
      const { deadLetters } = await fresh();
      expect(await deadLetters.list({ limit: 5 })).toEqual([]);
      const bodies = Array.from({ length: 7 }, (_, i) => Buffer.from(String(i)));
      await deadLetters.put(bodies.slice(0, 4).map((body) => ({ delivery: delivery({ body }), failure })));
      await deadLetters.put(bodies.slice(4).map((body) => ({ delivery: delivery({ body }), failure })));
      const first = await deadLetters.list({ limit: 3 });
      const rest = await deadLetters.list({ limit: 10, after: String(first.at(-1)?.id) });
      const letters = [...first, ...rest];
      expect(new Set(letters.map(({ id }) => id)).size).toBe(7);
      for (const [i, { bytes, ...letter }] of letters.entries()) {
        expect(letter.id).toMatch(/^\d+-\d+$/);
        expect(bytes).toBe(1);
        expect(await deadLetters.get(letter.id)).toEqual({ ...letter, body: bodies[i] });
      }
      expect(await deadLetters.list({ limit: 10, after: String(rest.at(-1)?.id) })).toEqual([]);
    });

    it('are not found by ids that nobody has', async () => {
      const { deadLetters } = await fresh();
      await deadLetters.put([{ delivery: delivery(), failure }]);
      for (const id of ['0-99', '9-0', '1-1', 'x', '', '-', '1', '0-0-0', '99999999999999999999999-1']) {
        if (id === (await deadLetters.list({ limit: 1 }))[0]?.id) continue;
        expect(await deadLetters.get(id)).toBeUndefined();
      }
      await expect(deadLetters.list({ limit: 1, after: 'x' })).rejects.toThrow(/not the id of a dead letter: x/);
      expect(await deadLetters.replay(['x', '9-9'])).toEqual({ replayed: 0, missing: ['x', '9-9'] });
    });

    it('go back to the tasks as they were, and stay listed', async () => {
      const opened = await fresh();
      const { deadLetters } = opened;
      const { body, headers } = encodeTask(freshTask());
      await deadLetters.put([
        { delivery: delivery({ body, headers }), failure },
        { delivery: delivery(), failure },
        { delivery: delivery(), failure },
      ]);
      const letters = await deadLetters.list({ limit: 10 });
      const ids = letters.slice(0, 2).map(({ id }) => id);
      expect(await deadLetters.replay([...ids, ...ids])).toEqual({ replayed: 2, missing: [] });
      const { received } = run(opened);
      await until(() => received.length === 2);
      const [task, odd] = ['ce_id', 'a'].map((header) => received.find((one) => one.headers[header] !== undefined));
      expect(task?.body).toEqual(body);
      expect(task?.headers).toEqual({ ...headers, 'dlq-replayed-after': failure.message });
      expect(odd?.body).toEqual(Buffer.from([0, 255, 10]));
      expect(odd?.headers).toEqual({ a: 'é', 'dlq-replayed-after': failure.message });
      expect(await deadLetters.list({ limit: 10 })).toEqual(letters);
      expect(await deadLetters.replay(ids)).toMatchObject({ replayed: 2 });
      await until(() => received.length === 4);
    });

    it('are listed until somebody has dealt with them, and a replay that fails tells both reasons', async () => {
      const { deadLetters } = await fresh();
      const { MYSQL_URL } = await serviceSettings();
      const database = new Database(MYSQL_URL, { connections: 1, queue: 10, deadlineMs: 30_000 });
      onTestFinished(() => database.close());
      const letters = new SettledDeadLetters({ letters: deadLetters, database, place: name });
      const { body, headers } = encodeTask(freshTask());
      for (let i = 0; i < 3; i++) await letters.put([{ delivery: delivery({ body, headers }), failure }]);
      const [first, second, third] = (await letters.list({ limit: 10 })).map(({ id }) => id) as [
        string,
        string,
        string,
      ];
      expect(await letters.discard([first, '0-999'], 'of a test')).toEqual({ discarded: [first], missing: ['0-999'] });
      expect((await letters.list({ limit: 1 })).map(({ id }) => id)).toEqual([second]);
      expect(await letters.replay([second])).toEqual({ replayed: 1, missing: [] });
      expect((await letters.list({ limit: 10 })).map(({ id }) => id)).toEqual([third]);
      expect(await letters.get(first)).toBeDefined();
      const rows = await database.rows('SELECT id, outcome, why FROM recency_settled_letters ORDER BY id', []);
      expect(rows).toEqual([
        [first, 'discarded', 'of a test'],
        [second, 'replayed', ''],
      ]);
      const again = delivery({ body, headers: { ...headers, 'dlq-replayed-after': 'one' } });
      await letters.put([{ delivery: again, failure: { ...failure, message: 'two' } }]);
      const [, last] = await letters.list({ limit: 10 });
      expect(last?.headers['dlq-exception-message']).toBe('two (replayed after: one)');
    });

    it('come from a batch that was delivered, and are put before it is acknowledged', async () => {
      const opened = await fresh();
      await opened.publisher.publish(freshTasks(3, '7'));
      const one = run(opened, ({ deliveries }) =>
        opened.deadLetters.put(deliveries.map((delivery) => ({ delivery, failure }))),
      );
      await until(() => one.handled.size === 3);
      const letters = await opened.deadLetters.list({ limit: 10 });
      expect(letters.map(({ headers }) => headers.ce_id)).toEqual(one.received.map(({ headers }) => headers.ce_id));
    });
  });
}

describeDeadLetters('Redis Streams', async () => ({
  kind: 'streams',
  url: redisUrl(),
  stream: `${freshPrefix()}:{tasks}:stream`,
}));

describe.runIf(hasKafka())('on Kafka', () => {
  it('keep what their topic takes of a letter that is too large for it, and hold up no other', async () => {
    const topic = await freshTopic();
    const configEntries = [{ name: 'max.message.bytes', value: '5000' }];
    await withAdmin((admin) => ensureTopics(admin, [{ topic: `${topic}.dlq`, numPartitions: 1, configEntries }]));
    const { deadLetters, close } = await open({ kind: 'kafka', brokers: kafkaBrokers(), topic });
    onTestFinished(close);
    const body = randomBytes(8_000);
    const headers = { ce_id: 'a', large: randomBytes(4_000).toString('base64') };
    const letter = (of: Partial<Delivery>) => ({ delivery: delivery(of), failure });
    await deadLetters.put([letter({ body: Buffer.from('0') }), letter({ body }), letter({ body: Buffer.from('2') })]);
    await deadLetters.put([letter({ headers })]);
    const letters = await deadLetters.list({ limit: 10 });
    const [small, last] = [letters.filter(({ bytes }) => bytes === 1), letters.at(-1)];
    expect(small.length).toBeGreaterThanOrEqual(2); // they may have gone out before it was clear which one is refused
    expect(letters.filter(({ bytes }) => bytes === 0).map((one) => one.headers)).toEqual([
      expect.objectContaining({
        'dlq-body-truncated': 'true',
        'dlq-body-bytes': '8000',
        'dlq-body-sha256': createHash('sha256').update(body).digest('hex'),
      }),
      expect.objectContaining({ ce_id: 'a', 'dlq-headers-omitted': '1', 'dlq-body-bytes': '3' }),
    ]);
    await expect(deadLetters.replay([String(last?.id)])).rejects.toMatchObject({ name: 'NotReplayable' });
  });

  describeDeadLetters('Kafka', async () => ({ kind: 'kafka', brokers: kafkaBrokers(), topic: await freshTopic() }));
});

describe('recency dlq', () => {
  it('lists letters without their bodies, shows that one is truncated, and refuses to put it back', async () => {
    const settings = await serviceSettings();
    const stream = `${settings.KEY_PREFIX}:${settings.TOPIC}`;
    const opened = await open({ kind: 'streams', url: redisUrl(), stream });
    onTestFinished(() => opened.close());
    const body = Buffer.alloc(1_048_400, 'x');
    await opened.deadLetters.put([{ delivery: delivery({ body }), failure }]);
    const [{ dead_letters: letters }] = (await runInProcess(['dlq', 'list', '--json'], settings)).json();
    const [letter] = letters;
    expect(letter).toMatchObject({ bytes: MAX_TASK_BYTES, headers: { 'dlq-body-truncated': 'true' } });
    expect(letter).not.toHaveProperty('body');
    const shown = await runInProcess(['dlq', 'show', letter.id], settings);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(`dlq-body-sha256: ${createHash('sha256').update(body).digest('hex')}`);
    expect(shown.stderr).toContain('The body is truncated: 65536 of 1048400 bytes are kept.');
    const replayed = await runInProcess(['dlq', 'replay', letter.id], settings);
    expect(replayed.code).toBe(1);
    expect(replayed.stderr).toContain(
      'cannot be replayed: its body is truncated; 1048400 bytes were sent. Nothing was',
    );
  });

  it('lists what somebody else has put there, whatever its time', async () => {
    const settings = await serviceSettings();
    const client = (await freshRedis()) as Redis;
    const place = `${settings.KEY_PREFIX}:${settings.TOPIC}.dlq`;
    await client.xadd(place, '18446744073709551615-1', 'of', 'somebody else');
    const { code, stdout } = await runInProcess(['dlq', 'list'], settings);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('+275760-09-13T00:00:00.000Z') });
  });
});
