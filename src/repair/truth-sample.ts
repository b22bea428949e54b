import type { Id } from '../contracts/id.ts';
import { chunks } from '../index/chunks.ts';
import type { Database } from '../mysql/database.ts';
import { readAnyPairs } from '../mysql/newest-photos.ts';
import type { Pair } from '../mysql/pairs.ts';
import { readNextOwner } from '../mysql/users.ts';
import { type OwnerRange, readOwnerRange } from './sample.ts';
import { type CheckedTruth, readContactRun, TruthCheck, type TruthStores } from './truth-check.ts';

/** Of each owner who is drawn. More come from each where there are fewer owners. */
const PAIRS_AN_OWNER = 5;

/** Owners looked for side by side. */
const POINTS_AT_ONCE = 16;

/** Points for each owner wanted, at the most: where there are few, most points find one who is drawn already. */
const POINTS_AN_OWNER = 3;

/**
 * Compares some pairs with the photos: all, where there are no more; otherwise pairs from all over the table.
 * @param wanted pairs, related or not; only those who are related are compared
 * @throws DatabaseUnavailable, StatementTooSlow, the signal's reason
 */
export async function sampleTruth(stores: TruthStores, wanted: number, signal?: AbortSignal): Promise<CheckedTruth> {
  const { primary, random = Math.random } = stores;
  const all = await readAnyPairs(primary, wanted + 1);
  const pairs = all.length <= wanted ? all : await drawPairs(primary, wanted, random, signal);
  return await new TruthCheck(stores).ofPairs(pairs, signal);
}

/**
 * Draws pairs from all over `recency_contacts` without reading what is in between: each look-up reads one end of an index.
 * First owners, spread over their ids; then some contacts of each, from the id of another owner on, because the ids of
 * contacts lie as those of owners do.
 * @throws DatabaseUnavailable, the signal's reason
 */
export async function drawPairs(
  database: Database,
  wanted: number,
  random: () => number,
  signal?: AbortSignal,
): Promise<Pair[]> {
  const owners = await drawOwners(database, Math.ceil(wanted / PAIRS_AN_OWNER), random, signal);
  const anyone = () => owners[Math.floor(random() * owners.length)] ?? '0';
  let rich = owners.map((user) => ({ user, from: anyone() }));
  const drawn = new Map<string, Pair>();
  // Those who have more are asked for more, where others have fewer than were wanted of each.
  for (let each = 0; rich.length > 0 && drawn.size < wanted; ) {
    each += Math.ceil((wanted - drawn.size) / rich.length);
    const full: typeof rich = [];
    for (const some of chunks(rich, POINTS_AT_ONCE)) {
      signal?.throwIfAborted();
      const runs = await Promise.all(some.map(({ user, from }) => readContactRun(database, user, from, each)));
      for (const [i, contacts] of runs.entries()) {
        const owner = some[i] as (typeof rich)[number];
        for (const contact of contacts) drawn.set(`${owner.user} ${contact}`, { user: owner.user, contact });
        if (contacts.length === each) full.push(owner);
      }
    }
    rich = full;
  }
  return [...drawn.values()].slice(0, wanted);
}

async function drawOwners(
  database: Database,
  count: number,
  random: () => number,
  signal?: AbortSignal,
): Promise<Id[]> {
  const range = await readOwnerRange(database);
  if (range === undefined) return [];
  const points = new SparsePoints(range);
  const found = new Set<Id>();
  for (let drawn = 0; drawn < count * POINTS_AN_OWNER && found.size < count; drawn += POINTS_AT_ONCE) {
    signal?.throwIfAborted();
    const some = Array.from({ length: POINTS_AT_ONCE }, () => points.draw(random())).filter((id) => id !== undefined);
    if (some.length === 0) break; // every owner is found
    const owners = await Promise.all(
      some.map(async (after) => {
        const owner = await readNextOwner(database, { after: String(after), to: range.last });
        return { after, owner: owner ?? range.last };
      }),
    );
    for (const { after, owner } of owners) {
      points.cut(after, BigInt(owner));
      found.add(owner);
    }
  }
  return [...found].slice(0, count);
}

/**
 * Points on a range of ids, each with the same chance, except where it is known already who comes next: ids with large
 * gaps between them (one account of 2^60 among small ones, or ids made from the time) would lead most points to the same few.
 */
export class SparsePoints {
  /** Stretches of points, first to last, that are still to be drawn from. */
  #open: readonly (readonly [bigint, bigint])[];

  constructor({ first, last }: OwnerRange) {
    this.#open = [[BigInt(first) - 1n, BigInt(last) - 1n]];
  }

  /** The next id after the point is wanted. Undefined: there are no points left. @param random from 0 up to 1 */
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

  /** The next id after `point` is `next`: so it is after all points in between. */
  cut(point: bigint, next: bigint): void {
    this.#open = this.#open.flatMap(([first, last]) => {
      if (next <= first || point > last) return [[first, last] as const];
      const parts = [[first, point - 1n] as const, [next, last] as const];
      return parts.filter(([from, to]) => from <= to);
    });
  }
}
