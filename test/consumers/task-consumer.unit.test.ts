import pino from 'pino';
import { expect, it } from 'vitest';
import { TaskConsumer } from '../../src/consumers/task-consumer.ts';
import {
  type Batch,
  type BatchHandler,
  BatchLost,
  type Delivery,
  type Loss,
  type TaskSource,
} from '../../src/transport/task-source.ts';
import { TRUSTED } from '../support/trust.ts';

/** Delivers one batch without tasks. */
function sourceOf(batch: Batch): TaskSource {
  return { run: (handler: BatchHandler) => handler(batch), stop: async () => undefined } as unknown as TaskSource;
}

it.each([
  ['done', async () => undefined],
  ['given back', () => Promise.reject(new BatchLost('it belongs to another consumer'))],
])('says when a batch has begun, and when it is %s', async (_end, work) => {
  const order: string[] = [];
  const batch: Batch = { deliveries: [], lease: { renew: async () => undefined } };
  const consumer = new TaskConsumer({
    watch: TRUSTED,
    source: sourceOf(batch),
    worker: {
      work: () => {
        order.push('work');
        return work();
      },
    },
    deadLetters: { put: async () => undefined },
    onLoss: async () => undefined,
    logger: pino({ level: 'silent' }),
    onDelivered: () => {
      order.push('begun');
      return () => order.push('ended');
    },
  });
  await consumer.run().catch((error: unknown) => expect(error).toBeInstanceOf(BatchLost));
  expect(order).toEqual(['begun', 'work', 'ended']);
});

it.each([
  ['is a loss once the dead letters have it', async () => undefined, 1],
  ['is none before: it comes again', () => Promise.reject(new Error('the dead letters are full')), 0],
])('a task that cannot be applied %s', async (_what, put, expected) => {
  const body = Buffer.from(JSON.stringify({ type: 'recency.photo.uploaded', owner: '7' }));
  const deliveries: Delivery[] = [{ position: 'kafka:t:0:1', body, headers: {}, timestamp: -1 }];
  const losses: Loss[] = [];
  const consumer = new TaskConsumer({
    watch: TRUSTED,
    source: sourceOf({ deliveries, lease: { renew: async () => undefined } }),
    worker: { work: () => Promise.reject(new RangeError('not a page')) },
    deadLetters: { put },
    onLoss: async (loss) => void losses.push(loss),
    answers: async () => true,
    logger: pino({ level: 'silent' }),
  });
  await consumer.run().catch((error: unknown) => expect(error).toMatchObject({ message: 'the dead letters are full' }));
  expect(losses).toHaveLength(expected);
});
