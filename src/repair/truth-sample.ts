import type { Id } from '../contracts/id.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { type Pair, readAnyPairs } from '../mysql/statements/pairs.ts';
import { chunks } from '../timing/batches.ts';
import { type IdSpan, readIdSpan } from './find-users.ts';
import {
  type CheckedTruth,
  readContactRun,
  TruthCheck,
  type TruthStores,
  undefinedIfUnreadable,
} from './truth-check.ts';
import { findNextUser } from './unreadable-users.ts';

/** Pairs wanted of each user who is drawn; more where there are few users. */
const PAIRS_PER_USER = 5;

/** Points looked up side by side. */
const POINTS_AT_ONCE = 16;

/** Maximum points for each user wanted: with few users, most points find one who is drawn already. */
const POINTS_PER_USER = 3;

/**
 * Compares some pairs with the photos: all of them if there are no more than wanted, otherwise pairs from all over the table.
 * @param wanted number of pairs, related or not; only related ones are compared
 * @throws DatabaseUnavailable, the signal's reason
 */
export async function sampleTruth(stores: TruthStores, wanted: number, signal?: AbortSignal): Promise<CheckedTruth> {
  const { primary, random } = stores;
  const all = await readAnyPairs(primary, wanted + 1).catch(undefinedIfUnreadable);
  const pairs = all !== undefined && all.length <= wanted ? all : await drawPairs(primary, wanted, random, signal);
  return await new TruthCheck(stores).ofPairs(pairs, signal);
}

/**
 * Draws pairs from all over `recency_contacts` without reading what lies between them: each look-up reads one end of an
 * index. First it draws users, spread over their ids, then some contacts of each, starting at the id of another user,
 * because contacts' ids are distributed as users' ids are.
 * @throws DatabaseUnavailable, the signal's reason
 */
export async function drawPairs(
  database: KindDatabase,
  wanted: number,
  random: () => number,
  signal?: AbortSignal,
): Promise<Pair[]> {
  const users = await drawUsers(database, Math.ceil(wanted / PAIRS_PER_USER), random, signal);
  const anyUser = () => users[Math.floor(random() * users.length)] ?? '0';
  let open = users.map((user) => ({ user, from: anyUser() }));
  const drawn = new Map<string, Pair>();
  // If some users have fewer contacts than wanted of each, those who may have more are asked again, for more.
  for (let each = 0; open.length > 0 && drawn.size < wanted; ) {
    each += Math.ceil((wanted - drawn.size) / open.length);
    const full: typeof open = [];
    for (const some of chunks(open, POINTS_AT_ONCE)) {
      signal?.throwIfAborted();
      const runs = await Promise.all(
        some.map(({ user, from }) => readContactRun(database, user, from, each).catch(undefinedIfUnreadable)),
      );
      for (const [i, contacts = []] of runs.entries()) {
        const { user } = some[i] as (typeof open)[number];
        for (const contact of contacts) drawn.set(`${user} ${contact}`, { user, contact });
        if (contacts.length === each) full.push(some[i] as (typeof open)[number]);
      }
    }
    open = full;
  }
  return [...drawn.values()].slice(0, wanted);
}

async function drawUsers(
  database: KindDatabase,
  count: number,
  random: () => number,
  signal?: AbortSignal,
): Promise<Id[]> {
  const span = await readIdSpan(database);
  if (span === undefined) return [];
  const points = new SparsePoints(span);
  const found = new Set<Id>();
  for (let drawn = 0; drawn < count * POINTS_PER_USER && found.size < count; drawn += POINTS_AT_ONCE) {
    signal?.throwIfAborted();
    const some = Array.from({ length: POINTS_AT_ONCE }, () => points.draw(random())).filter((id) => id !== undefined);
    if (some.length === 0) break; // every user is found
    const users = await Promise.all(
      some.map(async (after) => {
        const user = await findNextUser(database, { after: String(after), to: span.last });
        return { after, user: user ?? span.last };
      }),
    );
    for (const { after, user } of users) {
      points.cut(after, BigInt(user));
      found.add(user);
    }
  }
  return [...found].slice(0, count);
}

/**
 * Points on a range of ids, all with the same probability, except where the next user is already known. Without that
 * exception, large gaps (one account of 2^60 among small ones, or ids made from the time) would lead most points to the
 * same few users.
 */
class SparsePoints {
  /** Stretches of points, from the first to the last, that can still be drawn. */
  #open: readonly (readonly [bigint, bigint])[];

  constructor({ first, last }: IdSpan) {
    this.#open = [[BigInt(first) - 1n, BigInt(last) - 1n]];
  }

  /** A point whose next user is to be looked up; undefined: no points are left. @param random from 0 up to 1 */
  draw(random: number): bigint | undefined {
    const steps = 2n ** 53n;
    const size = this.#open.reduce((sum, [first, last]) => sum + last - first + 1n, 0n);
    let left = (size * BigInt(Math.floor(random * Number(steps)))) / steps;
    for (const [first, last] of this.#open) {
      if (left <= last - first) return first + left;
      left -= last - first + 1n;
    }
    return undefined;
  }

  /** The next user after `point` is `next`, and so it is for all points in between. */
  cut(point: bigint, next: bigint): void {
    this.#open = this.#open.flatMap(([first, last]) => {
      if (next <= first || point > last) return [[first, last] as const];
      const parts = [[first, point - 1n] as const, [next, last] as const];
      return parts.filter(([from, to]) => from <= to);
    });
  }
}
