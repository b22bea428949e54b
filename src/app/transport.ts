import { randomUUID } from 'node:crypto';
import { HttpProblem } from '../api/http-problem.ts';
import { type Config, loadConfig } from '../config/config.ts';
import type { Lane } from '../contracts/bulk-task.ts';
import type { Steps } from '../index/protocol.ts';
import { BulkLaneUnavailable } from '../index/store-fault.ts';
import { DatabaseUnavailable } from '../mysql/faults.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import { openLogger } from '../tracing/logger.ts';
import { type DeadLetters, NotReplayable } from '../transport/dead-letters.ts';
import { OneCluster } from '../transport/kafka/one-cluster.ts';
import { TransportFull } from '../transport/task-publisher.ts';
import { type LanedTransport, type Transport, withBulkLane } from '../transport/transport.ts';
import { agreedTransport, agreementOn } from './agreed-transport.ts';
import { openKafkaTransport } from './kafka-transport.ts';
import { openPrimary } from './open-mysql.ts';
import type { ProcessContext } from './run-process.ts';
import { agreedSettings } from './shared-settings.ts';
import { openStreamsTransport } from './streams-transport.ts';
import type { TransportOpening } from './transport-opening.ts';

interface TransportContext extends Omit<TransportOpening, 'name' | 'cluster'> {
  /** Closes the transport. */
  readonly resources: AsyncDisposableStack;
}

/** Opens the configured transport, without waiting for its servers. @param name name of the process, for the servers' lists */
export function openTransport({ resources, ...given }: TransportContext, name: string): LanedTransport {
  const opening = { ...given, cluster: new OneCluster() };
  const { config, primary } = opening;
  const small = openLane({ ...opening, name }, 'small');
  const bulk = openLane({ ...opening, config: bulkLaneOf(config), name: `${name}-bulk` }, 'bulk');
  const agree = agreementOn(small, config, primary);
  const both = withBulkLane(agreedTransport(small, agree), agreedTransport(bulk, agree));
  return resources.adopt(both, (transport) => transport.close());
}

/** The same without the bulk lane, for a process that only publishes what a site says: it needs no permission for more. */
export function openSmallLane({ resources, ...opening }: TransportContext, name: string): Transport {
  const small = openLane({ ...opening, name, cluster: new OneCluster() }, 'small');
  const agreed = agreedTransport(small, agreementOn(small, opening.config, opening.primary));
  return resources.adopt(agreed, (transport) => transport.close());
}

function openLane(opening: TransportOpening, lane: Lane): Transport {
  return opening.config.transport === 'kafka' ? openKafkaTransport(opening, lane) : openStreamsTransport(opening);
}

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
  await agreedSettings(primary, config); // with others there are other letters, or none
  await transport.untilReady(signal);
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
