import { describe, expect, it } from 'vitest';
import { EVERYBODY, type RaiseBarrier } from '../../src/index/drain-barrier.ts';
import { createKafka } from '../../src/transport/kafka/client.ts';
import { kafkaBarrier, kafkaPositions, strictKafkaBarrier } from '../../src/transport/kafka/drain-barrier.ts';
import { TopicAdmin } from '../../src/transport/kafka/topic-admin.ts';
import { ConsumerGroup } from '../../src/transport/streams/consumer-group.ts';
import { streamsBarrier } from '../../src/transport/streams/drain-barrier.ts';
import { closeAtEnd, freshPrefix, freshTopic, hasKafka, kafkaBrokers, redisUrl } from '../support/servers.ts';
import { freshRedis } from '../support/stores.ts';
import { recordedStream } from '../support/stream-record.ts';
import { until } from '../support/until.ts';
import { consume } from './consuming.ts';
import { freshTask } from './outgoing-task.ts';
import { kafkaSettings, type Opened, open } from './place.ts';

interface Fresh {
  readonly opened: Opened;
  readonly raiseBarrier: RaiseBarrier;
}

/** The same tests for every transport. */
function describeBarrier(name: string, fresh: () => Promise<Fresh>): void {
  describe(`the drain barrier of ${name}`, () => {
    it('passes at once if nothing has ever been published', async () => {
      const { raiseBarrier } = await fresh();
      expect(await (await raiseBarrier([EVERYBODY])).passed()).toBe(true);
    });

    it('passes when all earlier messages are acknowledged, whatever came later', async () => {
      const { opened, raiseBarrier } = await fresh();
      const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = [freshTask(), freshTask(), freshTask()];
      await opened.publisher.publish(first);
      const barrier = await raiseBarrier([EVERYBODY]);
      expect(await barrier.passed()).toBe(false);
      expect(barrier.holds({ user: '1', contact: '2' })).toBe(true);

      const later = freshTask();
      const consuming = consume(opened.source(), async ({ deliveries }) => {
        const isLater = deliveries.some(({ headers }) => headers.ce_id === later.id);
        await gates[isLater ? 1 : 0]?.promise;
      });
      await until(() => consuming.received.length > 0);
      expect(await barrier.passed()).toBe(false); // delivered, not acknowledged
      await opened.publisher.publish([later]);
      gates[0]?.resolve();
      await until(() => barrier.passed());
      expect(barrier.holds({ user: '1', contact: '2' })).toBe(false);
      // Delivery is at least once: on a busy machine some messages come again.
      await until(() => new Set(consuming.received.map(({ position }) => position)).size === 4);
      expect(await (await raiseBarrier([EVERYBODY])).passed()).toBe(false);
      gates[1]?.resolve();
      await until(async () => (await raiseBarrier([EVERYBODY])).passed());
      await consuming.stop();
    });
  });
}

async function freshOpened(place: Parameters<typeof open>[0]): Promise<Opened> {
  const opened = await open(place);
  closeAtEnd(() => opened.close());
  return opened;
}

describeBarrier('Redis Streams', async () => {
  const stream = `${freshPrefix()}:{tasks}:stream`;
  const client = await freshRedis();
  const view = new ConsumerGroup({ client, stream, group: 'g', consumer: 'none' });
  const opened = await freshOpened({ kind: 'streams', url: redisUrl(), stream });
  return {
    opened,
    raiseBarrier: streamsBarrier({ client, stream, group: 'g', view, recorded: recordedStream(client, stream) }),
  };
});

describe.runIf(hasKafka())('with a broker', () => {
  describeBarrier('Kafka', async () => {
    const topic = await freshTopic({ partitions: 3 });
    const admin = new TopicAdmin(createKafka(kafkaSettings(kafkaBrokers())), topic);
    closeAtEnd(() => admin.close());
    const opened = await freshOpened({ kind: 'kafka', brokers: kafkaBrokers(), topic });
    return {
      opened,
      raiseBarrier: kafkaBarrier(
        () => admin.offsets(topic),
        () => admin.ends(),
      ),
    };
  });
});

describe('a partition', () => {
  const at = (committed: bigint | undefined, low: bigint) => ({ partition: 0, committed, low, high: 9n });

  it.each([
    ['none was committed', at(undefined, 0n), false, false],
    ['less was committed', at(8n, 0n), false, false],
    ['as much was committed', at(9n, 0n), true, true],
    ['what was left was removed by retention', at(3n, 9n), true, false],
    ['all was removed by retention, and none committed', at(undefined, 9n), true, false],
    ['somebody else has set the position', { ...at(9n, 0n), isForeign: true as const }, true, false],
    ['there never was a message', { ...at(undefined, 0n), high: 0n }, true, true],
  ])('has passed or not when %s, and strictly', async (_what, offsets, expected, expectedStrictly) => {
    const readEnds = async () => new Map([[offsets.partition, offsets.high]]);
    const passed = async (raise: RaiseBarrier) => await (await raise([EVERYBODY])).passed();
    const strictly = (explains: boolean) =>
      passed(
        strictKafkaBarrier({
          ...{ offsets: async () => [offsets], readEnds, readRecorded: async () => new Map() },
          ...{ hasStarted: async () => false, explainsForeign: async () => explains },
        }),
      );
    expect(await passed(kafkaBarrier(async () => [offsets], readEnds))).toBe(expected);
    expect(await strictly(false)).toBe(expectedStrictly);
    expect(await strictly(true)).toBe(expectedStrictly || 'isForeign' in offsets);
  });

  const known = { end: 9n, wentBack: false, generation: 0 };

  it('that the topic has no longer, although tasks were published to it, holds the strict barrier', async () => {
    const raiseWith = (end: bigint) =>
      strictKafkaBarrier({
        offsets: async () => [at(9n, 0n)],
        readEnds: async () => new Map([[0, 9n]]),
        readRecorded: async () => new Map([[5, { ...known, end }]]),
        ...{ hasStarted: async () => true, explainsForeign: async () => true },
      })([EVERYBODY]);
    await expect(raiseWith(1n)).rejects.toThrow('partition 5: offset 0 had been assigned');
    expect(await (await raiseWith(0n)).passed(), 'its loss was found').toBe(true);
  });

  it.each([
    [
      'its log ends before what was published',
      at(9n, 0n),
      { ...known, end: 10n },
      'partition 0: offset 9 had been assigned',
    ],
    ['its log had lost its end before it grew again', at(9n, 0n), { ...known, wentBack: true }, 'assigned again'],
    ['the group has lost its offsets', { ...at(undefined, 0n), high: 0n }, undefined, 'the group has lost its offsets'],
  ])('has not passed when %s, as a topic that was made again', async (_what, offsets, recorded, why) => {
    const raise = strictKafkaBarrier({
      offsets: async () => [offsets],
      readEnds: async () => new Map([[0, offsets.high]]),
      readRecorded: async () => new Map(recorded === undefined ? [] : [[0, recorded]]),
      ...{ hasStarted: async () => true, explainsForeign: async () => true },
    });
    await expect(raise([EVERYBODY]).then((barrier) => barrier.passed())).rejects.toThrow(why);
  });
});

describe('after a loss', () => {
  const group = { topic: 'tasks', group: 'recency' };
  const lossIn = (partitions?: number[]) =>
    ({ reason: 'gap', detail: '', ...(partitions ? { partitions } : {}) }) as const;
  const at = (partition: number, committed: bigint | undefined, high: bigint) => ({
    partition,
    committed,
    low: 5n,
    high,
  });

  it.each([
    ['less was committed', at(1, 8n, 9n), false],
    ['as much was committed', at(1, 9n, 12n), true],
    ['none was committed, and retention has removed everything', at(1, undefined, 9n), false],
    ['the committed offset is of a log that is gone', at(1, 500n, 9n), false],
  ])('a partition has caught up or not when %s', async (_what, now, expected) => {
    const places = kafkaPositions(group, async () => [at(0, 5n, 100n), now]).placesOf(lossIn([1]));
    expect(places).toEqual(['kafka:tasks:recency, partition 1']);
    const end = await kafkaPositions(group, async () => [at(0, 5n, 100n), at(1, 7n, 9n)]).endOf(String(places[0]));
    expect(await kafkaPositions(group, async () => [at(0, 5n, 100n), now]).isPast(String(places[0]), end)).toBe(
      expected,
    );
  });

  it('every partition must catch up if the loss names none, and every earlier partition must be known', async () => {
    let offsets = [at(0, 5n, 100n), at(1, 9n, 9n)];
    const positions = kafkaPositions(group, async () => offsets);
    const [place = ''] = positions.placesOf(lossIn());
    const end = await positions.endOf(place);
    expect(await positions.isPast(place, end)).toBe(false);
    offsets = [at(0, 100n, 100n)];
    expect(await positions.isPast(place, end)).toBe(false);
    offsets = [at(0, 100n, 100n), at(1, 10n, 10n)];
    expect(await positions.isPast(place, end)).toBe(true);
    await expect(positions.endOf('kafka:tasks:recency, partition 7')).rejects.toThrow('do not know');
  });

  it('a position belongs to one topic and group only', () => {
    const positions = kafkaPositions(group, async () => []);
    const owned = ['kafka:tasks:recency', 'kafka:tasks:recency, partition 3'];
    const others = ['kafka:tasks:recency2', 'kafka:tasks.bulk:recency', 'streams:tasks:recency'];
    expect([...owned, ...others].filter((place) => positions.owns(place))).toEqual(owned);
  });
});
