import { afterAll, describe, expect, it } from 'vitest';
import { openKafka } from '../src/consumers/kafka/client.ts';
import { kafkaMarks } from '../src/consumers/kafka/marks.ts';
import { TopicAdmin } from '../src/consumers/kafka/topic-admin.ts';
import { ConsumerGroup } from '../src/consumers/streams/consumer-group.ts';
import { streamsMarks } from '../src/consumers/streams/marks.ts';
import type { TransportMarks } from '../src/index/settled.ts';
import { freshPrefix, freshTopic, hasKafka, kafkaBrokers, redisUrl } from './support/servers.ts';
import { freshRedis } from './support/stores.ts';
import { until } from './support/until.ts';
import { consume } from './transport/consuming.ts';
import { freshTask } from './transport/outgoing-task.ts';
import { kafkaSettings, type Opened, open } from './transport/place.ts';

interface Marked {
  readonly opened: Opened;
  readonly marks: TransportMarks;
}

/** The same for every transport. */
function describeMarks(name: string, fresh: () => Promise<Marked>): void {
  describe(`what is on its way on ${name}`, () => {
    it('is nothing where nothing ever was', async () => {
      const { marks } = await fresh();
      expect(await marks.reached(await marks.mark())).toBe(true);
    });

    it('has arrived when all that was there is acknowledged, whatever came later', { timeout: 120_000 }, async () => {
      const { opened, marks } = await fresh();
      const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = [freshTask(), freshTask(), freshTask()];
      await opened.publisher.publish(first);
      const mark = await marks.mark();
      expect(await marks.reached(mark)).toBe(false);

      const later = freshTask();
      const consuming = consume(opened.source(), async ({ deliveries }) => {
        const isLater = deliveries.some(({ headers }) => headers.ce_id === later.id);
        await gates[isLater ? 1 : 0]?.promise;
      });
      await until(() => consuming.received.length > 0, { timeout: 90_000 });
      expect(await marks.reached(mark)).toBe(false); // delivered, not acknowledged
      await opened.publisher.publish([later]);
      gates[0]?.resolve();
      await until(() => marks.reached(mark), { timeout: 90_000 });
      // At least once: on a busy machine some come again.
      await until(() => new Set(consuming.received.map(({ position }) => position)).size === 4, { timeout: 90_000 });
      expect(await marks.reached(await marks.mark())).toBe(false);
      gates[1]?.resolve();
      await until(async () => marks.reached(await marks.mark()), { timeout: 90_000 });
      await consuming.stop();
    });
  });
}

async function freshOpened(place: Parameters<typeof open>[0]): Promise<Opened> {
  const opened = await open(place);
  afterAll(() => opened.close());
  return opened;
}

describeMarks('Redis Streams', async () => {
  const stream = `${freshPrefix()}:{tasks}:stream`;
  const client = await freshRedis();
  const view = new ConsumerGroup({ client, stream, group: 'g', consumer: 'none' });
  const opened = await freshOpened({ kind: 'streams', url: redisUrl(), stream });
  return { opened, marks: streamsMarks({ client, stream, group: 'g', view }) };
});

describe.runIf(hasKafka())('with a broker', () => {
  describeMarks('Kafka', async () => {
    const topic = await freshTopic({ partitions: 3 });
    const admin = new TopicAdmin(openKafka(kafkaSettings(kafkaBrokers())), topic);
    afterAll(() => admin.close());
    const opened = await freshOpened({ kind: 'kafka', brokers: kafkaBrokers(), topic });
    return { opened, marks: kafkaMarks(() => admin.offsets(topic)) };
  });
});

describe('a partition', () => {
  const at = (committed: bigint | undefined, low: bigint) => ({ partition: 0, committed, low, high: 9n });

  it.each([
    ['none was committed', at(undefined, 0n), false],
    ['less was committed', at(8n, 0n), false],
    ['as much was committed', at(9n, 0n), true],
    ['what was left was removed by retention', at(3n, 9n), true],
    ['all was removed by retention, and none committed', at(undefined, 9n), true],
  ])('is passed or not when %s', async (_what, offsets, expected) => {
    const marks = kafkaMarks(async () => [offsets]);
    expect(await marks.reached(await marks.mark())).toBe(expected);
  });
});
