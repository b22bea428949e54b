import type { Id } from '../../contracts/id.ts';
import { isSlotMoving } from '../../redis/unavailable.ts';
import { chunks } from '../../timing/batches.ts';
import type { ApplyRequest } from '../contact-index.ts';
import { bucketOf } from './keys.ts';

/** Work on many users' indexes, several in one script call. */
export interface UserCalls<I, O> {
  readonly userOf: (item: I) => Id;
  /** One call. Answers in the order of the items. */
  readonly call: (some: readonly I[]) => Promise<O[]>;
  /** The answer for a user whose keys are moving to another node of a cluster; the index is unchanged, or cold. */
  readonly whileMoving: (item: I, error: unknown) => O | Promise<O>;
}

/** Users in one script call, so that none blocks Redis for long. */
const USERS_A_CALL = 500;

/** Splits the items into calls, on a cluster by bucket, and returns the answers in the order of the items. */
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
 * While a slot moves to another node, its keys are on both. A call that names keys on both, or a key that does not exist, is
 * refused until all have moved. Then each user gets a call of their own: most users are whole on one side.
 *
 * A script may also be aborted there, when it writes a key that it has deleted before. By then it has written some users
 * completely, whose nonces have changed, and may have left one user with a torn index or none, which counts as cold.
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

/** In apply.lua: there was no nonce. */
const NO_NONCE = '-';

/** Groups requests with the same changes: in a fan-out, nearly all of them. */
export function groupsOf(requests: readonly ApplyRequest[]): ApplyRequest[][] {
  const groups = new Map<string, ApplyRequest[]>();
  let last: ApplyRequest[] = [];
  for (const request of requests) {
    if (!saysTheSame(request, last[0])) {
      const text = changesText(request);
      last = groups.get(text) ?? [];
      groups.set(text, last);
    }
    last.push(request);
  }
  return [...groups.values()];
}

function saysTheSame({ changes }: ApplyRequest, other: ApplyRequest | undefined): boolean {
  const [one, first] = [changes[0], other?.changes[0]];
  return changes.length === 1 && other?.changes.length === 1 && one?.id === first?.id && one?.at === first?.at;
}

function changesText({ changes }: ApplyRequest): string {
  return changes.map(({ id, at }) => `${id} ${at}`).join(' ');
}

/** The arguments of apply.lua for users with the same changes. All nonces are one argument, because each argument has a cost. */
export function groupArguments(group: readonly ApplyRequest[]): (string | number)[] {
  const changes = group[0]?.changes ?? [];
  const seen = group.map((request) => request.seen || NO_NONCE).join(' ');
  return [changes.length, ...changes.flatMap(({ id, at }) => [id, at]), seen];
}
