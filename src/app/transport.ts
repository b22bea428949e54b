import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import type { Logger } from 'pino';
import { type Config, loadConfig } from '../config/config.ts';
import { EpochWatch } from '../index/epoch-watch.ts';
import { groupHistory, streamCheckpoint } from '../mysql/consumer-groups.ts';
import type { Database } from '../mysql/database.ts';
import type { RedisClient } from '../redis/connection.ts';
import { reply } from '../redis/unavailable.ts';
import { type LanedTransport, withBulkLane } from '../transport/lanes.ts';
import { ConsumerGroup } from '../transport/streams/consumer-group.ts';
import { StreamsDeadLetters } from '../transport/streams/dead-letters.ts';
import { streamsBarrier, streamsPositions, strictStreamsBarrier } from '../transport/streams/drain-barrier.ts';
import { StreamRoom, StreamsTaskPublisher } from '../transport/streams/publisher.ts';
import { StreamsTaskSource } from '../transport/streams/source.ts';
import { TracedPublisher } from '../transport/traced-publisher.ts';
import type { Transport, WatchOptions } from '../transport/transport.ts';
import { openKafkaTransport } from './kafka-transport.ts';
import { openLogger } from './logger.ts';
import { openPrimary } from './open-mysql.ts';
import { closeRedis, openRedisClient, untilRedisAnswers } from './open-redis.ts';

/** @param name name of the process, for CLIENT LIST */
function openStreamsTransport(config: Config, name: string, logger: Logger): Transport {
  const { kafkaGroup: group } = config;
  const client = openRedisClient(config, `${name}-tasks`, logger, 'streams');
  const stream = `${config.keyPrefix}:${config.topic}`;
  const consumer = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const room = new StreamRoom({ client, stream, max: config.streamMaxLength });
  const groupView = new ConsumerGroup({ client, stream, group, consumer });
  const location = { client, stream, group, view: groupView };
  return {
    untilAnswers: (signal, withinMs) => untilRedisAnswers(client, { config, signal, logger }, 'streams', withinMs),
    openPublisher: () =>
      new TracedPublisher(new StreamsTaskPublisher({ client, stream, room }), { system: 'redis', name: stream }),
    openDeadLetters: (_primary, onDropped) => {
      const max = config.deadLettersMax;
      const dropped = (letters: number) => {
        logger.warn({ letters, max }, 'too many dead letters: the oldest were removed');
        onDropped?.(letters);
      };
      return new StreamsDeadLetters({ client, stream, room, max, onDropped: dropped });
    },
    openSource: ({ primary, doIndexesExist, ...sizes }) =>
      new StreamsTaskSource({
        ...sizes,
        client,
        stream,
        group,
        consumer,
        logger,
        // A new group reads the whole stream, which is trimmed only behind its groups.
        history: groupHistory(primary, `streams:${stream}:${group}`),
        expectsOffsets: async (hasStarted) => hasStarted && (await doIndexesExist()),
        idleMs: config.takeoverMs,
        openReader: (redisTimeoutMs) =>
          openRedisClient({ ...config, redisTimeoutMs }, `${name}-reader`, logger, 'streams'),
        mark: streamCheckpoint(primary, stream, group),
      }),
    barrier: streamsBarrier(location),
    strictBarrier: strictStreamsBarrier(location),
    positions: streamsPositions(location),
    lag: async () => {
      const backlog = await groupView.backlog();
      return backlog && backlog.delivered + backlog.undelivered;
    },
    fill: () => room.fill(),
    // If tasks are on the Redis of the indexes, the watch of that one suffices.
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

export interface TransportOpening {
  readonly config: Config;
  readonly logger: Logger;
  /** Closes the transport. */
  readonly resources: AsyncDisposableStack;
}

/** Opens the configured transport, without waiting for its servers. @param name name of the process, for the servers' lists */
export function openTransport({ config, logger, resources }: TransportOpening, name: string): LanedTransport {
  const open = openerOf(config);
  const both = withBulkLane(open(config, name, logger), open(bulkLaneOf(config), `${name}-bulk`, logger, 'bulk'));
  return resources.adopt(both, (transport) => transport.close());
}

/** The same without the bulk lane, for a process that only publishes what a site says: it needs no permission for more. */
export function openSmallLane({ config, logger, resources }: TransportOpening, name: string): Transport {
  return resources.adopt(openerOf(config)(config, name, logger), (transport) => transport.close());
}

const openerOf = ({ transport }: Config) => (transport === 'kafka' ? openKafkaTransport : openStreamsTransport);

/** The bulk lane is a topic and a group of its own: members of one group must subscribe to the same topics. */
export function bulkLaneOf(config: Config): Config {
  return { ...config, topic: `${config.topic}.bulk`, kafkaGroup: `${config.kafkaGroup}.bulk` };
}

/**
 * Watches the servers of the transport, unless another watch already does, until the resources are closed.
 * @throws RedisUnavailable, DatabaseUnavailable, EpochMissing
 */
export async function watchTransport(
  { resources }: Pick<TransportOpening, 'resources'>,
  transport: Transport,
  options: WatchOptions,
): Promise<void> {
  const watch = transport.openWatch?.(options);
  if (watch === undefined) return;
  resources.defer(() => watch.stop());
  await watch.start();
}

/**
 * Opens the small lane for some work, then closes it. The primary is connected to only if the work uses it.
 * @throws ConfigError, StartError, what the work throws
 */
export async function withTransport<T>(
  name: string,
  signal: AbortSignal,
  work: (transport: Transport, primary: Database) => Promise<T>,
): Promise<T> {
  const config = loadConfig();
  const logger = openLogger({ logLevel: config.logLevel === 'info' ? 'error' : config.logLevel }, name, 2);
  await using resources = new AsyncDisposableStack();
  const transport = openSmallLane({ config, logger, resources }, name);
  await transport.untilAnswers(signal);
  const primary = resources.adopt(openPrimary(config), (database) => database.close());
  return await work(transport, primary);
}
