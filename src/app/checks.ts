import { type Check, NotReady } from '../api/readiness.ts';
import { unappliedText } from '../health/backlog-checks.ts';
import { type Database, DatabaseNotPrimary } from '../mysql/database.ts';
import { readEpochState } from '../mysql/losses.ts';
import { COUNTED, readOutboxLag } from '../mysql/outbox.ts';
import { readPairs } from '../mysql/pairs.ts';
import { readRecheckBacklog } from '../mysql/rechecks.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import { RedisUnavailable, reply } from '../redis/unavailable.ts';
import { KafkaPermissionMissing } from '../transport/kafka/errors.ts';
import type { StreamFill } from '../transport/streams/publisher.ts';
import { MessageRefused, PartlyPublished, type TaskPublisher, TransportFull } from '../transport/task-publisher.ts';
import type { TaskSource } from '../transport/task-source.ts';
import type { Transport } from '../transport/transport.ts';
import type { Stores } from './stores.ts';

/**
 * Checks whose failure leaves the API `degraded`, because MySQL still answers. /readyz then keeps its status 200: otherwise a load
 * balancer would remove every instance at once. The backlogs and the epoch are only reported.
 */
export const DEGRADING: readonly string[] = [
  'redis',
  'transport',
  'outbox',
  'rechecks',
  'epoch',
  'stream',
  'delay_queue',
  'oldest_unapplied',
];

/** What the API needs to answer requests. The backlogs and the epoch are only reported, and never fail. */
export function apiChecks(
  { primary, redis, watch, delayQueue }: Pick<Stores, 'primary' | 'redis' | 'watch' | 'delayQueue'>,
  reading: Database,
  fill?: Transport['fill'],
): Record<string, Check> {
  return {
    mysql: primaryCheck(primary),
    ...(reading === primary ? {} : { mysql_replica: answers(reading) }),
    redis: async () => {
      await reply(redis.ping());
      if (!watch.isTrusted()) throw new RedisUnavailable('its master has not been compared with the known ones');
      return undefined;
    },
    outbox: outboxReport(primary),
    rechecks: reported(async () => {
      const { rows, overdueMs } = await readRecheckBacklog(primary, COUNTED);
      return `${rows}${rows === COUNTED ? ' or more' : ''} wait, the first due for ${(overdueMs / 1000).toFixed(1)} s`;
    }),
    epoch: reported(async () => {
      const { suspended, epoch } = await readEpochState(primary);
      const since = `since ${new Date(epoch.bumpedAt).toISOString()}`;
      return suspended ? `suspended ${since}: ${epoch.why}` : `in force ${since}`;
    }),
    ...(fill === undefined ? {} : { stream: reported(async () => fillText(await fill())) }),
    delay_queue: reported(async () => `${await delayQueue.size()} items`),
  };
}

function fillText({ entries, max }: StreamFill): string {
  return `${entries} of ${max} tasks${entries < max ? '' : ': full'}`;
}

/** What a consumer needs to do its work. */
export function consumerChecks(stores: Stores, sources: readonly Pick<TaskSource, 'state'>[]): Record<string, Check> {
  const { mysql, redis, delay_queue } = apiChecks(stores, stores.primary);
  const tasks = async () => {
    const states = sources.map((source) => source.state());
    const details = [...new Set(states.map(({ detail }) => detail))].join('; ');
    if (!states.every(({ isReady }) => isReady)) throw new NotReady(details);
    return details;
  };
  return { mysql, redis, delay_queue, tasks } as Record<string, Check>;
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
    outbox: outboxReport(primary),
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

function outboxReport(primary: Database): Check {
  return reported(async () => {
    const { rows, oldestMs, ahead } = await readOutboxLag(primary);
    const dated = ahead === 0 ? '' : `; ${ahead} dated in the future`;
    return `${rows}${rows === COUNTED ? ' or more' : ''} unpublished rows, the oldest ${(oldestMs / 1000).toFixed(1)} s${dated}`;
  });
}

/** How old the oldest change may be that is not applied, of each lane. */
export function unappliedReport(watermark: Pick<AppliedWatermark, 'lagMs'>): Check {
  return reported(async () => unappliedText(watermark));
}

/** A report never fails: the store that it reads has a check of its own. */
function reported(read: () => Promise<string>): Check {
  return () => read().catch(() => 'not known');
}
