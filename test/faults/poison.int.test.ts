import { describe, expect, it, onTestFinished } from 'vitest';
import { TaskConsumer } from '../../src/consumers/task-consumer.ts';
import { TaskWorker } from '../../src/consumers/work-plan.ts';
import { MAX_TASK_BYTES } from '../../src/contracts/task.ts';
import type { Steps } from '../../src/index/protocol.ts';
import type { DeadLetter } from '../../src/transport/dead-letters.ts';
import { freshPrefix, freshTopic, hasKafka, kafkaBrokers, redisUrl } from '../support/servers.ts';
import { freshStores } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';
import { until } from '../support/until.ts';
import { logger, open, type Place } from '../transport/place.ts';

const text = (task: object) => Buffer.from(JSON.stringify(task));
const ADDED = { type: 'recency.contact.added', user: '1', contact: '2' };

/** Messages that are not tasks, and the reasons in their dead letters. */
const POISON: readonly [Buffer | null, RegExp][] = [
  [null, /tombstone/],
  [Buffer.alloc(0), /empty/],
  [Buffer.from('{"type":'), /not JSON/],
  [Buffer.alloc(65 * 1024, ' '), /66560 bytes; a task has at most 65536/],
  [Buffer.from(`${'['.repeat(10_000)}${']'.repeat(10_000)}`), /not a JSON object/],
  [text({ type: 'recency.contact.poked' }), /"recency.contact.poked" is not known/],
  [text({ type: ADDED.type, user: '1' }), /^contact: /],
  [text({ ...ADDED, contact: '1' }), /^contact: a user is not a contact of their own$/],
  [text({ ...ADDED, version: 0 }), /^version: a version is a whole number from 1$/],
];

/** A user whose work fails for a reason of its own. */
const CURSED = '666';

describe.each<[string, () => Promise<Place>]>([
  ['Redis Streams', async () => ({ kind: 'streams', url: redisUrl(), stream: `${freshPrefix()}:{tasks}:stream` })],
  ...(hasKafka()
    ? [
        ['Kafka', async () => ({ kind: 'kafka', brokers: kafkaBrokers(), topic: await freshTopic() })] as [
          string,
          () => Promise<Place>,
        ],
      ]
    : []),
])('fault 10: poison messages on %s', (_name, place) => {
  it('go to the dead letters with their reasons, and delay no other task for long', async () => {
    const { steps } = await freshStores();
    const failing: Steps = {
      ...steps,
      nonces: (users) => (users.includes(CURSED) ? Promise.reject(new RangeError('cursed')) : steps.nonces(users)),
    };
    const opened = await open(await place());
    onTestFinished(() => opened.close());
    for (const [body] of POISON) await opened.put(body, { from: 'a site' });
    await opened.put(text({ ...ADDED, user: CURSED }), {});
    await opened.put(text({ ...ADDED, reason: 'a newer producer says more' }), {});
    const event = {
      specversion: '1.0',
      id: 'e1',
      source: '/site',
      type: ADDED.type,
      data: { user: '3', contact: '4' },
    };
    await opened.put(text(event), { 'content-type': 'application/cloudevents+json' });
    await opened.put(text([event]), { 'content-type': 'application/cloudevents-batch+json' });
    const batches: { tasks: number; deadLetters: number; ignoredFields: number; seconds: number }[] = [];
    const answers = async () => true; // the stores do: it is the task's own fault
    const consumer = new TaskConsumer({
      watch: TRUSTED,
      ...{ source: opened.source(), deadLetters: opened.deadLetters, logger },
      worker: new TaskWorker({ steps: failing, pageSize: 10, answers }),
      answers,
      onLoss: async ({ detail }) => {
        throw new Error(detail);
      },
      onBatch: (batch) => batches.push(batch),
    });
    const running = consumer.run();
    onTestFinished(async () => {
      await consumer.stop();
      await running;
    });
    await until(() => batches.reduce((sum, { tasks, deadLetters }) => sum + tasks + deadLetters, 0) >= 14);
    expect(batches.reduce((sum, { ignoredFields }) => sum + ignoredFields, 0)).toBe(1);
    for (const { seconds } of batches) expect(seconds).toBeLessThan(10); // the first letter makes its place

    const listed = await opened.deadLetters.list({ limit: 20 });
    expect(listed).toHaveLength(POISON.length + 2);
    const letters = await Promise.all(listed.map(async ({ id }) => (await opened.deadLetters.get(id)) as DeadLetter));
    for (const [body, reason] of POISON) {
      const kept = body?.subarray(0, MAX_TASK_BYTES);
      const letter = letters.find((one) => (kept === undefined ? one.body === null : one.body?.equals(kept)));
      expect(letter?.headers['dlq-exception-message']).toMatch(reason);
      expect(letter?.headers).toMatchObject({ 'dlq-exception-class': 'InvalidTask', 'dlq-attempts': '1' });
    }
    const reasons = letters.map(({ headers }) => headers['dlq-exception-message']);
    expect(reasons).toContain('cursed');
    expect(reasons).toContain('content-type: a batch of CloudEvents; send one event in each message');
  });
});
