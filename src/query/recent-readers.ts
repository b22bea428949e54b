import { LRUCache } from 'lru-cache';
import type { Id } from '../contracts/id.ts';

/** Users of whom a process remembers that they were read. */
const REMEMBERED = 50_000;

/**
 * Whose index is worth building again. An index that is dropped when it is not read was built for nothing if its user comes once:
 * so the second read within a day builds it, and the first one is a plain query. Simulated with the constants of allowance.ts
 * (`npm run bench -- pays` plays the same sites), a site of few reads takes 0.8 times the work that it takes when each read of a
 * cold user builds, and a site of many reads the same.
 */
export class RecentReaders {
  readonly #read: LRUCache<Id, true>;

  /** @param dayMs how long it is remembered that a user was read, a whole number of ms */
  constructor(dayMs: number) {
    this.#read = new LRUCache<Id, true>({ ttl: dayMs, max: REMEMBERED });
  }

  /** Notes that somebody reads the user's answer. @returns whether somebody has within the day before */
  note(user: Id): boolean {
    const isKnown = this.#read.has(user);
    this.#read.set(user, true);
    return isKnown;
  }
}
