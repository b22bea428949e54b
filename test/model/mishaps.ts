import { DatabaseUnavailable } from '../../src/mysql/database.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';

/**
 * What can happen to one step:
 * - `refused`     the store is unavailable: it is not done
 * - `reply_lost`  it is done, but its reply is lost
 * - `sent_twice`  its reply was lost and the command was sent again: it is done twice
 */
export type Mishap = 'refused' | 'reply_lost' | 'sent_twice';

const IN_MYSQL: ReadonlySet<string> = new Set([
  ...['pairs', 'neighbours', 'topContacts', 'followers', 'followerAt', 'watchedFollowers', 'recheck', 'sql'],
]);

/** Does a step with this mishap. */
export async function befallen<T>(mishap: Mishap | undefined, step: string, work: () => Promise<T>): Promise<T> {
  if (mishap === 'refused') throw away(step);
  const result = await work();
  if (mishap === 'reply_lost') throw away(step);
  return mishap === 'sent_twice' ? await work() : result;
}

function away(step: string): Error {
  const text = `the test had ${step} fail`;
  return IN_MYSQL.has(step) ? new DatabaseUnavailable(text) : new RedisUnavailable(text);
}
