import { byKeyDescending, type Key } from '../contracts/key.ts';
import type { WarmReading } from '../index/contact-index.ts';
import { candidatesFor, certifiedPage, type PageWanted } from '../query/narrow.ts';

const NO_FLAGS = { isFriend: false, isFamily: false, sees: '0' };

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
  return answer.length === plain.length && answer.every((key, i) => isSameKey(key, plain[i]));
}

function isSameKey(key: Key, other: Key | undefined): boolean {
  return other !== undefined && byKeyDescending(key, other) === 0;
}
