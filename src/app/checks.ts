import { type Check, NotReady } from '../api/readiness.ts';
import { StartError } from '../config/start-error.ts';
import { RedisBelongsToAnother } from '../index/ownership.ts';
import { type Database, DatabaseNotPrimary } from '../mysql/database.ts';
import { readProvenEpoch } from '../mysql/epoch.ts';
import { readServer, withoutRun } from '../mysql/server-record.ts';
import { RedisNotOnRecord } from '../redis/masters.ts';
import { reply } from '../redis/unavailable.ts';
import { KafkaPermissionMissing } from '../transport/kafka/errors.ts';
import { StreamNotOnRecord } from '../transport/streams/recorded-stream.ts';
import { type TaskPublisher, TransportFull } from '../transport/task-publisher.ts';
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
      if (!watch.isTrusted()) await watch.during(async () => undefined).catch(named);
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
    transport: () => transport.answers().then(() => undefined, named),
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
        else notTaken = error;
        throw error;
      }
    },
    check: async () => {
      const failure = noRoom ?? notTaken;
      return failure === undefined ? undefined : named(failure);
    },
  };
}

/** Errors whose texts readiness may show: they hold no secret, and say what somebody has to mend. */
const NAMED = [StartError, KafkaPermissionMissing, RedisBelongsToAnother, RedisNotOnRecord, StreamNotOnRecord];

/** @throws NotReady with its text if that may be shown, otherwise the error itself */
export function named(error: unknown): never {
  throw error instanceof Error && NAMED.some((type) => error instanceof type)
    ? new NotReady(error.message, { cause: error })
    : error;
}

/** Checks that the primary answers, accepts writes and is the server on record, which it is not between a failover and the comparison. */
export function primaryCheck(primary: Database): Check {
  const check = async () => {
    await readProvenEpoch(primary);
    const servers = await Promise.all(Array.from({ length: SESSIONS }, () => readServer(primary)));
    const identities = new Set(servers.map(({ identity }) => withoutRun(identity)));
    if (identities.size === 1) return undefined;
    const names = new Set(servers.map(({ description }) => description));
    throw new NotReady(`several MySQL servers answer in turns: ${[...names].sort().join('; ')}`);
  };
  return () =>
    check().catch((error: unknown) => {
      throw error instanceof DatabaseNotPrimary ? new NotReady(error.message, { cause: error }) : error;
    });
}

/** Connections that are asked at once: a balancer with several servers behind it shows more than one of them. */
const SESSIONS = 3;

function answers(database: Database): Check {
  return async () => {
    await database.rows('SELECT 1', []);
    return undefined;
  };
}
