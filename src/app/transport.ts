import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import type { Logger } from 'pino';
import { HttpProblem } from '../api/http-problem.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { EpochWatch, type EpochWatchOptions } from '../index/epoch-watch.ts';
import type { Steps } from '../index/protocol.ts';
import { BulkLaneUnavailable } from '../index/store-fault.ts';
import type { Database } from '../mysql/database.ts';
import { DatabaseUnavailable } from '../mysql/faults.ts';
import { groupHistory } from '../mysql/settings.ts';
import { streamRecord } from '../mysql/stream-record.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import { openLogger } from '../tracing/logger.ts';
import { type DeadLetters, NotReplayable } from '../transport/dead-letters.ts';
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
import { TransportFull } from '../transport/task-publisher.ts';
import { TracedPublisher } from '../transport/traced-publisher.ts';
import { type LanedTransport, type Transport, withBulkLane } from '../transport/transport.ts';
import { openKafkaTransport } from './kafka-transport.ts';
import { openPrimary } from './open-mysql.ts';
import { closeRedis, openRedisClient, untilRedisAnswers } from './open-redis.ts';
import type { ProcessContext } from './run-process.ts';
import type { TransportOpening } from './transport-opening.ts';

function openStreamsTransport({ config, name, logger, primary }: TransportOpening): Transport {
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
    untilAnswers: (signal, withinMs) => untilRedisAnswers(client, { config, signal, logger }, 'streams', withinMs),
    openPublisher: () =>
      new TracedPublisher(new StreamsTaskPublisher({ recorded, room }), { system: 'redis', name: stream }),
    openDeadLetters: (onDropped) =>
      openLetters(config, { client, stream, room, recorded }, { primary, logger, onDropped }),
    openSource: ({ doIndexesExist, ...sizes }) =>
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
        record,
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
      : { openWatch: (onNewEpoch) => watchOver({ client, database: primary, logger, onNewEpoch }) }),
    answers: async () => {
      if (!(await recorded.isSame())) throw recorded.notOnRecord();
    },
    close: () => closeRedis(client),
  };
}

function openLetters(
  { deadLettersMax: max, separateIds }: Config,
  at: Pick<StreamsDeadLettersOptions, 'client' | 'stream' | 'room' | 'recorded'>,
  to: {
    readonly primary: Database;
    readonly logger: Logger;
    readonly onDropped?: ((letters: number) => void) | undefined;
  },
): SettledDeadLetters {
  const onDropped = (letters: number) => {
    to.logger.warn({ letters, max }, 'too many dead letters: the oldest were removed');
    to.onDropped?.(letters);
  };
  return new SettledDeadLetters({
    letters: new StreamsDeadLetters({ ...at, max, onDropped }),
    database: to.primary,
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

function watchOver(options: EpochWatchOptions): EpochWatch {
  return new EpochWatch({ ...options, roles: ['streams'] });
}

interface TransportContext extends Omit<TransportOpening, 'name'> {
  /** Closes the transport. */
  readonly resources: AsyncDisposableStack;
}

/** Opens the configured transport, without waiting for its servers. @param name name of the process, for the servers' lists */
export function openTransport({ resources, ...opening }: TransportContext, name: string): LanedTransport {
  const { config } = opening;
  const open = openerOf(config);
  const small = open({ ...opening, name }, 'small');
  const bulk = open({ ...opening, config: bulkLaneOf(config), name: `${name}-bulk` }, 'bulk');
  return resources.adopt(withBulkLane(small, bulk), (transport) => transport.close());
}

/** The same without the bulk lane, for a process that only publishes what a site says: it needs no permission for more. */
export function openSmallLane({ resources, ...opening }: TransportContext, name: string): Transport {
  return resources.adopt(openerOf(opening.config)({ ...opening, name }, 'small'), (transport) => transport.close());
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
  { resources }: Pick<TransportContext, 'resources'>,
  transport: Transport,
  onNewEpoch: () => void,
): Promise<void> {
  const watch = transport.openWatch?.(onNewEpoch);
  if (watch === undefined) return;
  resources.defer(() => watch.stop());
  await watch.start();
}

/**
 * Opens the dead letters for some work, then closes them. The primary is connected to only if the work uses it.
 * @throws ConfigError, StartError, what the work throws
 */
export async function withDeadLetters<T>(
  name: string,
  signal: AbortSignal,
  work: (letters: DeadLetters) => Promise<T>,
): Promise<T> {
  const config = loadConfig();
  const logger = openLogger({ logLevel: config.logLevel === 'info' ? 'error' : config.logLevel }, name, 2);
  await using resources = new AsyncDisposableStack();
  const primary = resources.adopt(openPrimary(config), (database) => database.close());
  const transport = openSmallLane({ config, logger, resources, primary }, name);
  await transport.untilAnswers(signal);
  return await work(resources.adopt(transport.openDeadLetters(), (opened) => opened.close()));
}

/** The dead letters, opened when somebody first asks for them: over Kafka they have connections of their own. */
export function sharedDeadLetters(
  { logger, resources }: Pick<ProcessContext, 'logger' | 'resources'>,
  transport: Transport,
): Pick<DeadLetters, 'list' | 'get' | 'naming' | 'replay' | 'discard'> {
  let opened: DeadLetters | undefined;
  resources.defer(async () => {
    await opened?.close();
  });
  const ask = async <T>(question: (letters: DeadLetters) => Promise<T>): Promise<T> => {
    opened ??= transport.openDeadLetters();
    return await question(opened).catch((error: unknown) => {
      if (isKnown(error)) throw error;
      logger.warn({ err: error }, 'the dead letters could not be reached');
      throw new HttpProblem('transport_unavailable', { detail: 'The transport is unavailable.', cause: error });
    });
  };
  return {
    list: (options) => ask((letters) => letters.list(options)),
    get: (id) => ask((letters) => letters.get(id)),
    naming: (user) => ask((letters) => letters.naming(user)),
    replay: (ids) => ask((letters) => letters.replay(ids)),
    discard: (which, why) => ask((letters) => letters.discard(which, why)),
  };
}

/** What says more than that the transport is unavailable. */
function isKnown(error: unknown): boolean {
  const isRefusal = error instanceof NotReplayable || error instanceof RangeError || error instanceof TransportFull;
  return isRefusal || error instanceof DatabaseUnavailable || error instanceof RedisUnavailable;
}

/** The steps of the protocol that are taken in the bulk lane. */
export type BulkLane = Pick<Steps, 'publish' | 'isWaiting'>;

/** Publishes to the bulk lane what consumers tell each other. While it takes nothing, batches that need it are given back. */
export function openBulkLane({ resources }: ProcessContext, { bulk }: LanedTransport): BulkLane {
  const publisher = resources.adopt(bulk.openPublisher(), (opened) => opened.close());
  const orUnavailable = <T>(asked: Promise<T>) =>
    asked.catch((error: unknown) => {
      throw new BulkLaneUnavailable(error);
    });
  return {
    publish: async (tasks) => {
      let places: readonly string[] | undefined;
      const outgoing = tasks.map((task) => ({ task, id: randomUUID(), source: '/recency/consume', time: Date.now() }));
      await orUnavailable(
        publisher.publish(outgoing, (taken) => {
          places = taken;
        }),
      );
      return places;
    },
    isWaiting: (place) => orUnavailable(bulk.isWaiting(place)),
  };
}
