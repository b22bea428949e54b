import { type Check, NotReady } from '../api/readiness.ts';
import { type Database, DatabaseNotPrimary } from '../mysql/database.ts';
import { readPairs } from '../mysql/pairs.ts';
import { RedisUnavailable, reply } from '../redis/unavailable.ts';
import { KafkaPermissionMissing } from '../transport/kafka/errors.ts';
import { MessageRefused, PartlyPublished, type TaskPublisher, TransportFull } from '../transport/task-publisher.ts';
import type { TaskSource } from '../transport/task-source.ts';
import type { Transport } from '../transport/transport.ts';
import type { Stores } from './stores.ts';

/**
 * Checks whose failure leaves the API `degraded`, because MySQL still answers. /readyz then keeps its status 200: otherwise a load
 * balancer would remove every instance at once.
 */
export const DEGRADING: readonly string[] = ['redis', 'transport'];

/** What answers need. */
export function storeChecks(
  { primary, redis, watch }: Pick<Stores, 'primary' | 'redis' | 'watch'>,
  reading: Database = primary,
) {
  return {
    mysql: primaryCheck(primary),
    ...(reading === primary ? {} : { mysql_replica: answers(reading) }),
    redis: async () => {
      await reply(redis.ping());
      if (!watch.isTrusted()) throw new RedisUnavailable('its master has not been compared with the known ones');
      return undefined;
    },
  } satisfies Record<string, Check>;
}

/** What a consumer needs to do its work. */
export function consumerChecks(stores: Stores, sources: readonly Pick<TaskSource, 'state'>[]): Record<string, Check> {
  const tasks = async () => {
    const states = sources.map((source) => source.state());
    const details = [...new Set(states.map(({ detail }) => detail))].join('; ');
    if (!states.every(({ isReady }) => isReady)) throw new NotReady(details);
    return details;
  };
  return { ...storeChecks(stores), tasks };
}

/** What a relay needs to do its work. */
export function relayChecks(
  primary: Database,
  transport: Pick<Transport, 'answers'>,
  publishing: Check,
): Record<string, Check> {
  return {
    mysql: primaryCheck(primary),
    transport: () => transport.answers().then(() => undefined, namePermission),
    publishing,
  };
}

/**
 * Wraps a publisher with a check, which fails while the transport is full, and after a publish that left tasks to be retried until
 * the next one that did not.
 */
export function checkedPublisher(publisher: Pick<TaskPublisher, 'publish' | 'checkRoom'>) {
  let noRoom: unknown;
  let notTaken: unknown;
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
      return failure === undefined ? undefined : namePermission(failure);
    },
  };
}

/** Whether every task that was not taken is refused for good, so that nothing is left to retry. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof PartlyPublished && [...error.notTaken.values()].every((reason) => reason instanceof MessageRefused)
  );
}

/** Readiness may name a permission that Kafka lacks: it is not a secret. */
function namePermission(error: unknown): never {
  throw error instanceof KafkaPermissionMissing ? new NotReady(error.message, { cause: error }) : error;
}

/** Checks that the primary answers, accepts writes and is the server on record, which it is not between a failover and the comparison. */
export function primaryCheck(primary: Database): Check {
  return async () => {
    await readPairs(primary, []).catch((error: unknown) => {
      // without pairs: only the proof of the server is read
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
