import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { startKafka } from '../../../src/tools/devservers/start-server.ts';
import { createKafka } from '../../../src/transport/kafka/client.ts';
import { TopicAdmin } from '../../../src/transport/kafka/topic-admin.ts';
import { closeAtEnd, freshName, hasKafka } from '../../support/servers.ts';

describe.runIf(hasKafka())('a broker that has never coordinated a group', () => {
  const topic = freshName();
  let end = async () => {};
  closeAtEnd(() => end());

  test('is retried until it does', async () => {
    const broker = await startKafka();
    const kafka = createKafka({
      brokers: [broker.url],
      clientId: 'test',
      connectTimeoutMs: 5_000,
      requestTimeoutMs: 10_000,
      logger: pino({ level: 'silent' }),
    });
    const admin = new TopicAdmin(kafka, topic);
    end = async () => {
      await admin.close();
      await broker.remove();
    };
    await admin.ensureTopics(2);
    const groups = Array.from({ length: 8 }, freshName);
    const all = await Promise.all(groups.map((group) => admin.offsets(group)));
    const empty = { committed: undefined, low: 0n, high: 0n };
    for (const offsets of all)
      expect(offsets).toEqual([
        { partition: 0, ...empty },
        { partition: 1, ...empty },
      ]);
  });
});
