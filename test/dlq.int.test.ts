import { describe, expect, it } from 'vitest';
import { encodeTask } from '../src/consumers/cloud-events.ts';
import type { Delivery } from '../src/consumers/task-source.ts';
import { freshPrefix, freshTopic, hasKafka, kafkaBrokers, redisUrl } from './support/servers.ts';
import { until } from './support/until.ts';
import { freshTask, freshTasks } from './transport/outgoing-task.ts';
import type { Place } from './transport/place.ts';
import { useConsumers } from './transport/use-consumers.ts';

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
  describe(`dead letters in ${name}`, { timeout: 60_000 }, () => {
    const { at, run } = useConsumers();
    const fresh = async () => at(await freshPlace());

    it('keep the original bytes and headers, and say why and where from', async () => {
      const { deadLetters } = await fresh();
      await deadLetters.put([{ delivery: delivery(), failure }]);
      const [letter] = await deadLetters.list({ limit: 10 });
      expect(letter?.body).toEqual(Buffer.from([0, 255, 10]));
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

    it('take tombstones, large messages and long reasons', async () => {
      const { deadLetters } = await fresh();
      const large = Buffer.alloc(900_000, 'x');
      await deadLetters.put([
        { delivery: delivery({ body: null }), failure },
        { delivery: delivery({ body: large }), failure: { ...failure, message: 'm'.repeat(100_000) } },
      ]);
      const [tombstone, other] = await deadLetters.list({ limit: 10 });
      expect(tombstone?.body).toBeNull();
      expect(other?.body?.equals(large)).toBe(true);
      expect(other?.headers['dlq-exception-message']).toHaveLength(1_000);
    });

    it('are listed oldest first, a page at a time, and found by their ids', async () => {
      const { deadLetters } = await fresh();
      expect(await deadLetters.list({ limit: 5 })).toEqual([]);
      const bodies = Array.from({ length: 7 }, (_, i) => Buffer.from(String(i)));
      await deadLetters.put(bodies.slice(0, 4).map((body) => ({ delivery: delivery({ body }), failure })));
      await deadLetters.put(bodies.slice(4).map((body) => ({ delivery: delivery({ body }), failure })));
      const first = await deadLetters.list({ limit: 3 });
      const rest = await deadLetters.list({ limit: 10, after: String(first.at(-1)?.id) });
      expect([...first, ...rest].map(({ body }) => String(body))).toEqual(['0', '1', '2', '3', '4', '5', '6']);
      expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(7);
      for (const letter of [...first, ...rest]) {
        expect(letter.id).toMatch(/^\d+-\d+$/);
        expect(await deadLetters.get(letter.id)).toEqual(letter);
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
      expect(await deadLetters.replay(['x', '9-9'])).toBe(0);
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
      expect(await deadLetters.replay([...ids, ...ids])).toBe(2);
      const { received } = run(opened);
      await until(() => received.length === 2);
      const [task, odd] = ['ce_id', 'a'].map((header) => received.find((one) => one.headers[header] !== undefined));
      expect(task?.body).toEqual(body);
      expect(task?.headers).toEqual(headers);
      expect(odd?.body).toEqual(Buffer.from([0, 255, 10]));
      expect(odd?.headers).toEqual({ a: 'é' });
      expect(await deadLetters.list({ limit: 10 })).toEqual(letters);
      expect(await deadLetters.replay(ids)).toBe(2);
      await until(() => received.length === 4);
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
  describeDeadLetters('Kafka', async () => ({ kind: 'kafka', brokers: kafkaBrokers(), topic: await freshTopic() }));
});
