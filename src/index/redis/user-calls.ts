import type { Id } from '../../contracts/id.ts';
import { isSlotMoving } from '../../redis/unavailable.ts';
import { chunks } from '../chunks.ts';
import { bucketOf } from './keys.ts';

/** What is done to many users' indexes, some in one call of a script. */
export interface UserCalls<I, O> {
  readonly userOf: (item: I) => Id;
  /** One call; answers in the order of the items. */
  readonly call: (some: readonly I[]) => Promise<O[]>;
  /** The answer for a user whose keys are on their way to another node of a cluster; their index is as it was, or cold. */
  readonly whileMoving: (item: I, error: unknown) => O | Promise<O>;
}

/** Users in one script call, so that no call holds Redis up for long. */
const USERS_A_CALL = 500;

/** Splits the items into calls, by bucket on a cluster, and puts the answers back into the order of the items. */
export async function inUserCalls<I, O>(items: readonly I[], isCluster: boolean, calls: UserCalls<I, O>): Promise<O[]> {
  return isCluster ? await byBucket(items, calls) : await inOrder(items, calls);
}

async function inOrder<I, O>(items: readonly I[], calls: UserCalls<I, O>): Promise<O[]> {
  const answers = await Promise.all(chunks(items, USERS_A_CALL).map((some) => inOneCall(some, calls)));
  return answers.length === 1 ? (answers[0] as O[]) : answers.flat();
}

async function byBucket<I, O>(items: readonly I[], calls: UserCalls<I, O>): Promise<O[]> {
  const buckets = Map.groupBy(items.keys(), (place) => bucketOf(calls.userOf(items[place] as I)));
  const answers = new Array<O>(items.length);
  const answer = async (places: readonly number[]) => {
    const own = await inOrder(
      places.map((place) => items[place] as I),
      calls,
    );
    for (const [i, place] of places.entries()) answers[place] = own[i] as O;
  };
  await Promise.all([...buckets.values()].map(answer));
  return answers;
}

/**
 * While a slot moves to another node, its keys are on both. A call that names keys of both, or one that does not exist, is
 * refused until all have moved. Then each user is asked for alone: most of them are whole on one side.
 *
 * A script may also be ended midway there, when it writes a key that it has deleted before. What it had written by then is
 * the whole of some users, whose nonces have moved, and of one user a torn index or none, which counts as cold.
 */
async function inOneCall<I, O>(some: readonly I[], calls: UserCalls<I, O>): Promise<O[]> {
  try {
    return await calls.call(some);
  } catch (error) {
    if (!isSlotMoving(error)) throw error;
    return await Promise.all(some.map((item) => alone(item, calls)));
  }
}

async function alone<I, O>(item: I, { call, whileMoving }: UserCalls<I, O>): Promise<O> {
  try {
    const [answer] = await call([item]);
    return answer as O;
  } catch (error) {
    if (!isSlotMoving(error)) throw error;
    return await whileMoving(item, error);
  }
}
