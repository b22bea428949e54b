import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import { EpochWatch } from '../index/epoch-watch.ts';
import { groupHistory } from '../mysql/settings.ts';
import { streamRecord } from '../mysql/stream-record.ts';
import type { RedisClient } from '../redis/connection.ts';
import { SettledDeadLetters } from '../transport/settled-dead-letters.ts';
import { ConsumerGroup } from '../transport/streams/consumer-group.ts';
import { StreamsDeadLetters, type StreamsDeadLettersOptions } from '../transport/streams/dead-letters.ts';
import {
  isWaitingIn,
  streamsBarrier,
  streamsPositions,
  strictStreamsBarrier,
} from '../transport/streams/drain-barrier.ts';
import { StreamRoom, StreamsTaskPublisher } from '../transport/streams/publisher.ts';
import { RecordedStream } from '../transport/streams/recorded-stream.ts';
import { StreamsTaskSource } from '../transport/streams/source.ts';
import { TracedPublisher } from '../transport/traced-publisher.ts';
import type { Transport } from '../transport/transport.ts';
import { closeRedis, openRedisClient, untilRedisAnswers } from './open-redis.ts';
import type { TransportOpening } from './transport-opening.ts';

export function openStreamsTransport(opening: TransportOpening): Transport {
  const { config, name, logger, primary } = opening;
  const { kafkaGroup: group } = config;
  const client = openRedisClient(config, `${name}-tasks`, logger, 'streams');
  const stream = `${config.keyPrefix}:${config.topic}`;
  const consumer = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const room = new StreamRoom({ client, stream, max: config.streamMaxLength });
  const groupView = new ConsumerGroup({ client, stream, group, consumer });
  const record = streamRecord(primary, stream);
  const recorded = new RecordedStream({ client, stream, record });
  const location = { client, stream, group, view: groupView, recorded };
  return {
    ...waits(client, opening),
    openPublisher: () =>
      new TracedPublisher(new StreamsTaskPublisher({ recorded, room }), { system: 'redis', name: stream }),
    openDeadLetters: (onDropped) => openLetters(opening, { client, stream, room, recorded }, onDropped),
    openSource: ({ doIndexesExist, ...sizes }) =>
      new StreamsTaskSource({
        ...sizes,
        ...{ client, stream, group, consumer, logger, record },
        // A new group reads the whole stream, which is trimmed only behind its groups.
        history: groupHistory(primary, `streams:${stream}:${group}`),
        expectsOffsets: async (hasStarted) => hasStarted && (await doIndexesExist()),
        idleMs: config.takeoverMs,
        openReader: (redisTimeoutMs) =>
          openRedisClient({ ...config, redisTimeoutMs }, `${name}-reader`, logger, 'streams'),
      }),
    barrier: streamsBarrier(location),
    strictBarrier: strictStreamsBarrier(location),
    isWaiting: (place) => isWaitingIn(location, place),
    positions: streamsPositions(location),
    lag: () => lagOf(groupView),
    consumers: () => consumersOf(groupView),
    fill: () => room.fill(),
    // If tasks are on the Redis of the indexes, the watch of that one suffices.
    ...(config.streamsUrl === undefined
      ? {}
      : {
          openWatch: (onNewEpoch) =>
            new EpochWatch({
              ...{ client, database: primary, logger, onNewEpoch },
              ownership: undefined,
              roles: ['streams'],
            }),
        }),
    answers: async () => {
      if (!(await recorded.isSame())) throw recorded.notOnRecord();
    },
    location: async () => new Map(), // the masters are on record, and so is the stream
    close: () => closeRedis(client),
  };
}

/** Nothing has to be created: a stream begins with its first entry. */
function waits(
  client: RedisClient,
  { config, logger }: TransportOpening,
): Pick<Transport, 'untilAnswers' | 'untilReady'> {
  const untilAnswers: Transport['untilAnswers'] = (signal, withinMs) =>
    untilRedisAnswers(client, { config, signal, logger }, 'streams', withinMs);
  return {
    untilAnswers,
    untilReady: async (signal, withinMs, admit) => {
      await untilAnswers(signal, withinMs);
      await admit?.(new Map());
    },
  };
}

function openLetters(
  { config: { deadLettersMax: max, separateIds }, logger, primary }: TransportOpening,
  at: Pick<StreamsDeadLettersOptions, 'client' | 'stream' | 'room' | 'recorded'>,
  count?: (dropped: number) => void,
): SettledDeadLetters {
  const onDropped = (letters: number) => {
    logger.warn({ letters, max }, 'too many dead letters: the oldest were removed');
    count?.(letters);
  };
  return new SettledDeadLetters({
    letters: new StreamsDeadLetters({ ...at, max, onDropped }),
    database: primary,
    place: `streams:${at.stream}.dlq`,
    areContactsUsers: separateIds !== 'true',
  });
}

/** Undefined: not known. Redis before 7.2 lists no consumer that has not read anything yet, which is none while nothing waits. */
async function consumersOf(group: ConsumerGroup): Promise<number | undefined> {
  const listed = await group.active();
  return listed === 0 && !(await lagOf(group)) ? undefined : listed;
}

/** The tasks that are not acknowledged; undefined: there is no group yet. */
async function lagOf(group: ConsumerGroup): Promise<number | undefined> {
  const backlog = await group.backlog();
  return backlog && backlog.delivered + backlog.undelivered;
}
