import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { EpochWatch } from '../index/epoch-watch.ts';
import { rememberGroup } from '../mysql/consumer-groups.ts';
import { streamMarkIn } from '../mysql/stream-marks.ts';
import type { RedisClient } from '../redis/connection.ts';
import { reply } from '../redis/unavailable.ts';
import { ConsumerGroup } from '../transport/streams/consumer-group.ts';
import { StreamsDeadLetters } from '../transport/streams/dead-letters.ts';
import { streamsBarrier, streamsPositions } from '../transport/streams/drain-barrier.ts';
import { StreamRoom, StreamsTaskPublisher } from '../transport/streams/publisher.ts';
import { StreamsTaskSource } from '../transport/streams/source.ts';
import { closeRedis, openRedisClient, untilRedisAnswers } from './open-redis.ts';
import type { Transport, WatchOptions } from './transport.ts';

/** @param name of the process, for CLIENT LIST */
export function openStreamsTransport(config: Config, name: string, logger: Logger): Transport {
  const { kafkaGroup: group } = config;
  const client = openRedisClient(config, `${name}-tasks`, logger, 'streams');
  const stream = `${config.keyPrefix}:${config.topic}`;
  const consumer = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const room = new StreamRoom({ client, stream, max: config.streamMaxLength });
  const groupView = new ConsumerGroup({ client, stream, group, consumer });
  const place = { client, stream, group, view: groupView };
  return {
    untilAnswers: (signal, withinMs) => untilRedisAnswers(client, { config, signal, logger }, 'streams', withinMs),
    openPublisher: () => new StreamsTaskPublisher({ client, stream, room }),
    openDeadLetters: (_primary, onDropped) => {
      const max = config.deadLettersMax;
      const dropped = (letters: number) => {
        logger.warn({ letters, max }, 'there were too many dead letters: the oldest were removed');
        onDropped?.(letters);
      };
      return new StreamsDeadLetters({ client, stream, room, max, onDropped: dropped });
    },
    openSource: ({ primary, doIndexesExist }) =>
      new StreamsTaskSource({
        ...{ client, stream, group, consumer, logger },
        // A new group reads everything: a stream is trimmed only behind its groups.
        expectsOffsets: async () =>
          !(await rememberGroup(primary, `streams:${stream}:${group}`)) && (await doIndexesExist()),
        idleMs: config.takeoverMs,
        openReader: (redisTimeoutMs) =>
          openRedisClient({ ...config, redisTimeoutMs }, `${name}-reader`, logger, 'streams'),
        mark: streamMarkIn(primary, stream, group),
      }),
    barrier: streamsBarrier(place),
    positions: streamsPositions(place),
    lag: async () => {
      const backlog = await groupView.backlog();
      return backlog && backlog.delivered + backlog.undelivered;
    },
    fill: () => room.fill(),
    // Where the tasks are on the Redis of the indexes, the watch over those notices.
    ...(config.streamsUrl === undefined ? {} : { openWatch: (options) => watchOver(client, logger, options) }),
    answers: async () => {
      await reply(client.ping());
    },
    close: () => closeRedis(client),
  };
}

function watchOver(client: RedisClient, logger: Logger, { primary: database, onNewEpoch }: WatchOptions): EpochWatch {
  return new EpochWatch({ client, database, logger, onNewEpoch, roles: ['streams'] });
}
