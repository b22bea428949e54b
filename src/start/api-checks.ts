import type { Check } from '../api/readiness.ts';
import type { StreamFill } from '../consumers/streams/publisher.ts';
import type { Database } from '../mysql/database.ts';
import { readEpochState } from '../mysql/losses.ts';
import { COUNTED, readOutboxLag } from '../mysql/outbox.ts';
import { readRecheckBacklog } from '../mysql/rechecks.ts';
import { RedisUnavailable, reply } from '../redis/unavailable.ts';
import type { Stores } from './open-stores.ts';
import type { Transport } from './transport.ts';

/** What must be there for requests to be sent to the API; the backlogs and the epoch are told and never fail. */
export function apiChecks(
  { primary, redis, watch, delayQueue }: Stores,
  reading: Database,
  fill?: Transport['fill'],
): Record<string, Check> {
  const answers = (database: Database) => async () => {
    await database.rows('SELECT 1', []);
    return undefined;
  };
  return {
    mysql: answers(primary),
    ...(reading === primary ? {} : { mysql_replica: answers(reading) }),
    redis: async () => {
      await reply(redis.ping());
      if (!watch.isTrusted()) throw new RedisUnavailable('its master has not been compared with those known');
      return undefined;
    },
    outbox: told(async () => {
      const { rows, oldestMs } = await readOutboxLag(primary);
      return `${rows}${rows === COUNTED ? ' or more' : ''} unpublished rows, the oldest ${(oldestMs / 1000).toFixed(1)} s`;
    }),
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

/** A store that is away fails by a check of its own. */
function told(look: () => Promise<string>): Check {
  return () => look().catch(() => 'not known');
}
