import { byKeyDescending, type Key } from '../contracts/key.ts';
import type { WarmReading } from '../index/contact-index.ts';
import { certainRows, type Page } from '../query/narrow.ts';

/** As the API reads it first: beyond the limit, so that a candidate or two that fell do not cost a second query. */
const SPARE_CANDIDATES = 2;

const FIRST_PAGE: Page = { relation: 'any', below: undefined };

/**
 * Would a client of the API have noticed the drift of this index?
 *
 * Yes, when for some limit from 1 to max + 1 the first page, as the API certifies it from this index (query/narrow), has
 * other contacts or another order than the plain query. Where the API falls back to the plain query there is nothing to
 * notice: so the live query hides most ghosts and wrong scores, and a torn index is not even looked at. max + 1 stands
 * for every greater limit and for the pages below: only an index that claims to be complete answers there.
 * @param truth as for `diff`, whole from the highest key to row max + 1
 */
export function isVisible(reading: WarmReading, truth: readonly Key[], max: number): boolean {
  const liveOf = new Map(truth.map((key) => [key.id, key]));
  const live = reading.head.map((key) => liveOf.get(key.id));
  for (let limit = 1; limit <= max + 1; limit++) {
    const answer = answerFromIndex(reading, live, limit);
    if (answer !== undefined && !isEqual(answer, truth.slice(0, limit))) return true;
  }
  return false;
}

/**
 * What the API would answer out of the index; undefined: the plain query answers.
 * @param live the members' keys in MySQL, in the order of the index
 */
function answerFromIndex(
  { head, floor }: WarmReading,
  live: readonly (Key | undefined)[],
  limit: number,
): Key[] | undefined {
  for (const count of [Math.min(limit + SPARE_CANDIDATES, head.length), head.length]) {
    const candidates = live.slice(0, count).filter((key) => key !== undefined);
    const certain = certainKeys(candidates, head[count] ?? floor);
    const complete = count === head.length && floor === undefined;
    if (certain.length >= limit || complete) return certain.slice(0, limit);
  }
  return undefined;
}

function certainKeys(candidates: readonly Key[], horizon: Key | undefined): Key[] {
  // Relation 'any' and the first page: flags do not matter.
  const contacts = candidates.map((key) => ({ ...key, isFriend: false, isFamily: false, sees: '0' }));
  return certainRows(contacts, FIRST_PAGE, horizon);
}

function isEqual(answer: readonly Key[], plain: readonly Key[]): boolean {
  return answer.length === plain.length && answer.every((key, i) => isSameKey(key, plain[i]));
}

function isSameKey(key: Key, other: Key | undefined): boolean {
  return other !== undefined && byKeyDescending(key, other) === 0;
}
