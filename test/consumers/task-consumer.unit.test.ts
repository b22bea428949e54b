import pino from 'pino';
import { expect, it } from 'vitest';
import { TaskConsumer } from '../../src/consumers/task-consumer.ts';
import { type Batch, type BatchHandler, BatchLost, type TaskSource } from '../../src/transport/task-source.ts';

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
