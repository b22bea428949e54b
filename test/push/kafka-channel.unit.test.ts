import { expect, it } from 'vitest';
import type { Notification } from '../../src/push/channel.ts';
import { KafkaChannel } from '../../src/push/kafka-channel.ts';

const notifications = (count: number): Notification[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ id: `n${i}`, watch: '1', user: '1', timestamp: 0, sources: [], more: false, isTest: false },
    target: { channel: 'kafka', secrets: [] },
  }));

it('has what it cannot deliver soon fail at once, while the brokers do not answer', async () => {
  const answer = Promise.withResolvers<[]>();
  const channel = new KafkaChannel('t', { send: () => answer.promise, close: async () => undefined });
  const first = channel.deliver(notifications(2_000));
  expect(await channel.deliver(notifications(1))[0]).toMatchObject({
    is: 'failed',
    why: expect.stringMatching(/^Kafka is slow/),
  });
  answer.resolve([]);
  expect(new Set((await Promise.all(first)).map(({ is }) => is))).toEqual(new Set(['delivered']));
  expect(await channel.deliver(notifications(1))[0]).toEqual({ is: 'delivered' });
});
