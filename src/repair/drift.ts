/** Compares one index with MySQL: what is wrong with it, and would a client of the API have noticed? */
import type { IndexClass } from '../contracts/drift.ts';
import type { Id } from '../contracts/id.ts';
import { byKeyDescending, isAbove, type Key } from '../contracts/key.ts';
import type { ColdReading, Reading, WarmReading } from '../index/contact-index.ts';
import { type Limits, outsideLimits } from '../index/contact-index.ts';
import { candidatesFor, certifiedPage, type PageWanted } from '../query/narrow.ts';
import type { MismatchKind, Recurrence } from './confirm.ts';

export interface Mismatch {
  readonly class: IndexClass;
  /** Undefined: it concerns the index as a whole. */
  readonly contact: Id | undefined;
  /** The last upload in the index, ms since 1970 UTC; undefined: the contact is not in it. */
  readonly indexed: number | undefined;
  /** The last upload in MySQL; undefined: not related, or no upload. */
  readonly live: number | undefined;
  /** The nonce of the index; undefined: the index was not whole. */
  readonly nonce: string | undefined;
}

/**
 * @param truth keys of the user's related contacts that have an upload, highest first: at least the best max + 1, and
 *   every contact in the index. That is enough to tell whether anything is wrong: if more than max contacts are above the
 *   floor they cannot all be in the set, and the best max + 1 show it; if not, the list has all of them.
 */
export function diff(reading: Reading, truth: readonly Key[], limits: Limits): Mismatch[] {
  if (reading.state === 'warm') return diffWarm(reading, truth, limits);
  const broken = brokenClass(reading);
  return broken ? [ofIndex(broken)] : [];
}

/** A cold index, or one that is being built, is not drift. */
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

/** Members that should not be in the index, or not with this upload. */
function* diffMembers({ head, floor, nonce }: WarmReading, truth: readonly Key[]): Iterable<Mismatch> {
  const liveOf = new Map(truth.map((key) => [key.id, key]));
  for (const { id, at } of head) {
    const live = liveOf.get(id);
    const about = { contact: id, indexed: at, live: live?.at, nonce };
    if (live === undefined || !isAbove(live, floor)) yield { class: 'ghost', ...about };
    else if (live.at !== at) yield { class: 'score', ...about };
  }
}

/** Contacts that should be in the index and are not. */
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

/** A floor that asks for a rebuild asks again with every write, so it never counts as recurring. */
function recurrence(before: Mismatch, now: Mismatch): Recurrence {
  const isAlike =
    before.class === now.class &&
    before.contact === now.contact &&
    Object.is(before.indexed, now.indexed) &&
    before.live === now.live;
  if (isAlike && before.nonce === now.nonce) return 'lasting';
  return isAlike && now.class !== 'floor' ? 'recurring' : undefined;
}

const NO_FLAGS = { isFriend: false, isFamily: false, sees: '0', unseen: false };

/**
 * Would a client of the API have noticed the drift of this index?
 *
 * Yes if, for some limit from 1 to max + 1, the first page that the API certifies from this index (query/narrow) differs
 * from the plain query in its contacts or their order. Where the API falls back to the plain query there is nothing to
 * notice. So the live query hides most ghosts and wrong scores, and a torn index is not even read. max + 1 stands for every
 * greater limit and for later pages: only an index that claims to be complete answers there.
 * @param truth as for `diff`, without gaps from the highest key to row max + 1
 */
export function isClientVisible(reading: WarmReading, truth: readonly Key[], max: number): boolean {
  const liveOf = new Map(truth.map((key) => [key.id, key]));
  const live = reading.head.map((key) => liveOf.get(key.id));
  for (let limit = 1; limit <= max + 1; limit++) {
    const answer = answerFromIndex(reading, live, limit);
    if (answer !== undefined && !isEqual(answer, truth.slice(0, limit))) return true;
  }
  return false;
}

/**
 * The API's answer from the index; undefined: the plain query answers.
 * @param live the members' keys in MySQL, in the order of the index
 */
function answerFromIndex(
  reading: WarmReading,
  live: readonly (Key | undefined)[],
  limit: number,
): readonly Key[] | undefined {
  const page: PageWanted = { relation: 'any', below: undefined, limit };
  for (const { keys, horizon } of candidatesFor(reading, page)) {
    // With relation 'any' and the first page, flags do not matter.
    const rows = live.slice(0, keys.length).flatMap((key) => (key === undefined ? [] : [{ ...key, ...NO_FLAGS }]));
    const answer = certifiedPage(rows, horizon, page);
    if (answer !== undefined) return answer.contacts;
  }
  return undefined;
}

function isEqual(answer: readonly Key[], plain: readonly Key[]): boolean {
  if (answer.length !== plain.length) return false;
  return answer.every((key, i) => byKeyDescending(key, plain[i] as Key) === 0);
}
