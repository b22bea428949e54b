import { type Check, NotReady } from '../api/readiness.ts';
import { type Database, DatabaseNotPrimary } from '../mysql/database.ts';
import { readEpochState } from '../mysql/losses.ts';
import { COUNTED, readOutboxLag } from '../mysql/outbox.ts';
import { readPairs } from '../mysql/pairs.ts';
import { readRecheckBacklog } from '../mysql/rechecks.ts';
import { RedisUnavailable, reply } from '../redis/unavailable.ts';
import { KafkaPermissionMissing } from '../transport/kafka/errors.ts';
import type { StreamFill } from '../transport/streams/publisher.ts';
import { MessageRefused, PartlyPublished, type TaskPublisher, TransportFull } from '../transport/task-publisher.ts';
import type { TaskSource } from '../transport/task-source.ts';
import type { Transport } from '../transport/transport.ts';
import type { Stores } from './stores.ts';

/**
 * Without these the API answers from MySQL: /readyz says `degraded`, and keeps its 200, or a load balancer would take out
 * every instance at once. The backlogs and the epoch are only told; one that is not known in time is no reason either.
 */
export const DEGRADING: readonly string[] = [
  ...['redis', 'transport'],
  ...['outbox', 'rechecks', 'epoch', 'stream', 'delay_queue'],
];

/** What must be there for requests to be sent to the API; the backlogs and the epoch are told and never fail. */
export function apiChecks(
  { primary, redis, watch, delayQueue }: Stores,
  reading: Database,
  fill?: Transport['fill'],
): Record<string, Check> {
  return {
    mysql: isPrimary(primary),
    ...(reading === primary ? {} : { mysql_replica: answers(reading) }),
    redis: async () => {
      await reply(redis.ping());
      if (!watch.isTrusted()) throw new RedisUnavailable('its master has not been compared with those known');
      return undefined;
    },
    outbox: outboxTold(primary),
    rechecks: told(async () => {
      const { rows, overdueMs } = await readRecheckBacklog(primary, COUNTED);
      return `${rows}${rows === COUNTED ? ' or more' : ''} wait, the first due for ${(overdueMs / 1000).toFixed(1)} s`;
    }),
    epoch: told(async () => {
      const { suspended, epoch } = await readEpochState(primary);
      const since = `since ${new Date(epoch.bumpedAt).toISOString()}`;
      return suspended ? `suspended ${since}: ${epoch.why}` : `in force ${since}`;
    }),
    ...(fill === undefined ? {} : { stream: told(async () => fillText(await fill())) }),
    delay_queue: told(async () => `${await delayQueue.size()} items`),
  };
}

function fillText({ entries, max }: StreamFill): string {
  return `${entries} of ${max} tasks${entries < max ? '' : ': full'}`;
}

/** What a consumer needs to do its work. */
export function consumerChecks(stores: Stores, source: Pick<TaskSource, 'state'>): Record<string, Check> {
  const { mysql, redis, delay_queue } = apiChecks(stores, stores.primary);
  const tasks = async () => {
    const { isReady, detail } = source.state();
    if (!isReady) throw new NotReady(detail);
    return detail;
  };
  return { ...{ mysql, redis, delay_queue }, tasks } as Record<string, Check>;
}

/** What a relay needs to do its work. */
export function relayChecks(
  primary: Database,
  transport: Pick<Transport, 'answers'>,
  publishing: Check,
): Record<string, Check> {
  return {
    mysql: isPrimary(primary),
    transport: () => transport.answers().then(() => undefined, tellPermission),
    publishing,
    outbox: outboxTold(primary),
  };
}

/**
 * The same publisher, and a check that fails while there is no room, and from a publishing that left something to be
 * tried again to the next one that did not.
 */
export function watchedPublisher(publisher: Pick<TaskPublisher, 'publish' | 'checkRoom'>) {
  let [noRoom, notTaken]: unknown[] = [];
  return {
    checkRoom: async () => {
      try {
        await publisher.checkRoom();
        noRoom = undefined;
      } catch (error) {
        noRoom = error;
        throw error;
      }
    },
    publish: async (tasks: Parameters<TaskPublisher['publish']>[0]) => {
      try {
        await publisher.publish(tasks);
        notTaken = undefined;
      } catch (error) {
        if (error instanceof TransportFull) noRoom = error;
        else notTaken = isFinal(error) ? undefined : error;
        throw error;
      }
    },
    check: async () => {
      const failure = noRoom ?? notTaken;
      return failure === undefined ? undefined : tellPermission(failure);
    },
  };
}

/** Will every task that was not taken never be? Then nothing is left to be published. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof PartlyPublished && [...error.notTaken.values()].every((reason) => reason instanceof MessageRefused)
  );
}

function tellPermission(error: unknown): never {
  throw error instanceof KafkaPermissionMissing ? new NotReady(error.message, { cause: error }) : error;
}

/** Does it answer, take writes, and is it the server on record? Between a failover and the comparison it is not. */
export function isPrimary(primary: Database): Check {
  return async () => {
    await readPairs(primary, []).catch((error: unknown) => {
      // of no pair: the proof alone
      throw error instanceof DatabaseNotPrimary ? new NotReady(error.message, { cause: error }) : error;
    });
    return undefined;
  };
}

function answers(database: Database): Check {
  return async () => {
    await database.rows('SELECT 1', []);
    return undefined;
  };
}

function outboxTold(primary: Database): Check {
  return told(async () => {
    const { rows, oldestMs } = await readOutboxLag(primary);
    return `${rows}${rows === COUNTED ? ' or more' : ''} unpublished rows, the oldest ${(oldestMs / 1000).toFixed(1)} s`;
  });
}

/** A store that is away fails by a check of its own. */
function told(look: () => Promise<string>): Check {
  return () => look().catch(() => 'not known');
}
