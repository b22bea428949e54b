import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { ConsumerGroup } from '../consumers/streams/consumer-group.ts';
import { StreamsDeadLetters } from '../consumers/streams/dead-letters.ts';
import { streamsMarks } from '../consumers/streams/marks.ts';
import { StreamsTaskPublisher } from '../consumers/streams/publisher.ts';
import { StreamsTaskSource } from '../consumers/streams/source.ts';
import { rememberGroup } from '../mysql/consumer-groups.ts';
import { streamMarkIn } from '../mysql/stream-marks.ts';
import { reply } from '../redis/unavailable.ts';
import { closeRedis, openRedisClient, untilRedisAnswers } from './open-redis.ts';
import type { Transport } from './transport.ts';

/** @param name of the process, for CLIENT LIST */
export function openStreamsTransport(config: Config, name: string, logger: Logger): Transport {
  const { kafkaGroup: group } = config;
  const client = openRedisClient(config, `${name}-tasks`, logger);
  const stream = `${config.keyPrefix}:${config.topic}`;
  const consumer = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const groupView = new ConsumerGroup({ client, stream, group, consumer });
  return {
    untilAnswers: (signal) => untilRedisAnswers(client, config, signal),
    openPublisher: () => new StreamsTaskPublisher({ client, stream }),
    openDeadLetters: () => new StreamsDeadLetters({ client, stream }),
    openSource: ({ primary, doIndexesExist }) =>
      new StreamsTaskSource({
        ...{ client, stream, group, consumer, logger },
        // A new group reads everything: a stream is trimmed only behind its groups.
        expectsOffsets: async () =>
          !(await rememberGroup(primary, `streams:${stream}:${group}`)) && (await doIndexesExist()),
        idleMs: config.takeoverMs,
        openReader: (redisTimeoutMs) => openRedisClient({ ...config, redisTimeoutMs }, `${name}-reader`, logger),
        mark: streamMarkIn(primary, stream, group),
      }),
    marks: streamsMarks({ client, stream, group, view: groupView }),
    lag: async () => {
      const backlog = await groupView.backlog();
      return backlog && backlog.delivered + backlog.undelivered;
    },
    answers: async () => {
      await reply(client.ping());
    },
    close: () => closeRedis(client),
  };
}
