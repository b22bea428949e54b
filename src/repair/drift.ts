import type { IndexClass } from '../contracts/drift.ts';
import type { Id } from '../contracts/id.ts';
import { isAbove, type Key } from '../contracts/key.ts';
import type { ColdReading, Reading, WarmReading } from '../index/contact-index.ts';
import { type Limits, outsideLimits } from '../index/limits.ts';
import type { MismatchKind, Recurrence } from './belief.ts';

export interface Mismatch {
  readonly class: IndexClass;
  /** Undefined: it is about the index as a whole. */
  readonly contact: Id | undefined;
  /** The last upload that the index has, ms since 1970 UTC; undefined: the contact is not in it. */
  readonly indexed: number | undefined;
  /** The last upload in MySQL; undefined: not related, or none. */
  readonly live: number | undefined;
  /** The nonce of the index that it was found in; undefined: that was not whole. */
  readonly nonce: string | undefined;
}

/**
 * Compares one index with the truth.
 * @param truth keys of the user's related contacts that have an upload, highest first: the best max + 1 at the least,
 *   and every one who is in the index. These decide whether anything is wrong: more than max contacts above the floor
 *   cannot all be in the set, and the best max + 1 show it. All above the floor: then the list is whole, too.
 */
export function diff(reading: Reading, truth: readonly Key[], limits: Limits): Mismatch[] {
  if (reading.state === 'warm') return diffWarm(reading, truth, limits);
  const broken = brokenClass(reading);
  return broken ? [ofIndex(broken)] : [];
}

/** Cold and being built are no drift. */
function brokenClass({ state, unreadableFloor }: ColdReading): IndexClass | undefined {
  if (state === 'torn') return unreadableFloor ? 'floor' : 'torn';
  return state === 'wrong_type' ? 'wrong_type' : undefined;
}

function diffWarm(reading: WarmReading, truth: readonly Key[], limits: Limits): Mismatch[] {
  const mismatches = [...diffMembers(reading, truth), ...diffAbsent(reading, truth)];
  const outside = outsideLimits(reading, limits);
  if (outside !== undefined) mismatches.push(ofIndex(outside, reading.nonce));
  return mismatches;
}

/** What is in the index and should not be, or not so. */
function* diffMembers({ head, floor, nonce }: WarmReading, truth: readonly Key[]): Iterable<Mismatch> {
  const liveOf = new Map(truth.map((key) => [key.id, key]));
  for (const { id, at } of head) {
    const live = liveOf.get(id);
    const about = { contact: id, indexed: at, live: live?.at, nonce };
    if (live === undefined || !isAbove(live, floor)) yield { class: 'ghost', ...about };
    else if (live.at !== at) yield { class: 'score', ...about };
  }
}

/** What should be in the index and is not. */
function* diffAbsent({ head, floor, nonce }: WarmReading, truth: readonly Key[]): Iterable<Mismatch> {
  const members = new Set(head.map((key) => key.id));
  const lowest = head.at(-1);
  for (const key of truth) {
    if (members.has(key.id) || !isAbove(key, floor)) continue;
    const below = lowest !== undefined && isAbove(lowest, key);
    yield { class: below ? 'hole' : 'missing', contact: key.id, indexed: undefined, live: key.at, nonce };
  }
}

function ofIndex(drift: IndexClass, nonce?: string): Mismatch {
  return { class: drift, contact: undefined, indexed: undefined, live: undefined, nonce };
}

export const INDEX_MISMATCH: MismatchKind<Mismatch> = { recurrence, contactsOf: ({ contact }) => [contact] };

/** A floor that asks for a rebuild asks anew with every write. */
function recurrence(before: Mismatch, now: Mismatch): Recurrence {
  const isAlike =
    before.class === now.class &&
    before.contact === now.contact &&
    Object.is(before.indexed, now.indexed) &&
    before.live === now.live;
  if (isAlike && before.nonce === now.nonce) return 'lasting';
  return isAlike && now.class !== 'floor' ? 'recurring' : undefined;
}
