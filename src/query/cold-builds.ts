import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Id } from '../contracts/id.ts';
import { DatabaseBusy } from '../mysql/database.ts';
import type { LiveTop } from '../mysql/top-contacts.ts';
import { pause } from '../timing/backoff.ts';
import { type Deadline, DeadlineExceeded, RequestCancelled, withinDeadline } from '../timing/deadline.ts';

export interface ColdBuildsOptions {
  /**
   * Builds the index of one user. False: this user's cannot be built here now. `nothing`: there is nothing to build, MySQL
   * does not know the user. `refused`: nobody's may be.
   */
  readonly build: (user: Id, by: BuildBy) => Promise<unknown>;
  /** Builds at once that no answer is taken from. */
  readonly concurrency: number;
  /** More of them that may wait for their turn. */
  readonly queue: number;
  /** Do answers wait for MySQL? Then builds that nobody waits for are put off. Left out: never. */
  readonly isBusy?: () => boolean;
  /** ms that such a build is put off at the most (100): it costs what one plain answer does, and saves every later one. */
  readonly patienceMs?: number;
  /** Called with what `build` rejected with. */
  readonly onError: (error: unknown, user: Id) => void;
}

export interface BuildBy {
  /** Of the request whose answer is taken from the build's rows; undefined: nobody waits for it. */
  readonly deadline?: Deadline | undefined;
  /** Called with the user's top contacts, in order, every time that they are read. */
  readonly onRows?: (top: LiveTop) => void;
}

/**
 * The user's top contacts, one more than the index holds, read after the question was asked; `built`: the index is there
 * now; undefined: it cannot be built now.
 */
export type ColdAnswer = LiveTop | 'built' | undefined;

/** What `build` resolves with when no index may be built. */
export const REFUSED = 'refused';

/** What `build` resolves with for a user whom MySQL does not know. */
export const NOTHING = 'nothing';

/** For so long, and of so many users, it is remembered that there is nothing to build: anybody may ask for any id. */
const UNKNOWN = { ttl: 30_000, max: 20_000 };

/** After a build was refused none is begun for so long: it takes a plain query to find out. */
const REFUSED_MS = 1_000;

/** Before a build that nobody waits for is tried again, ms. */
const YIELD_MS = 5;

/**
 * Builds the indexes of users whom a read found cold, beside the answers: one build a user at a time, so many users at
 * once. Whoever finds no room is dropped: the next read asks again.
 */
export class ColdBuilds {
  readonly counts = { built: 0, failed: 0, dropped: 0 };
  readonly #options: ColdBuildsOptions;
  readonly #limit: LimitFunction;
  readonly #underWay = new Map<Id, Promise<boolean>>();
  /** Builds that answers are taken from; `cancelled`: nobody waited for it any more. */
  readonly #answering = new Map<Id, Promise<boolean | 'cancelled'>>();
  readonly #unknown = new LRUCache<Id, true>(UNKNOWN);
  #stopping = false;
  #refusedUntil = 0;

  constructor(options: ColdBuildsOptions) {
    this.#options = options;
    this.#limit = pLimit(options.concurrency);
  }

  /** Builds that run or wait. */
  get underWay(): number {
    return this.#underWay.size + this.#answering.size;
  }

  request(user: Id): void {
    if (this.#stopping || this.#underWay.has(user) || this.#answering.has(user) || this.#unknown.has(user)) return;
    const { concurrency, queue } = this.#options;
    if (this.#underWay.size >= concurrency + queue) {
      this.counts.dropped += 1;
      return;
    }
    void this.#begin(user);
  }

  /**
   * Builds the index of a user who waits for an answer, at once: such builds take their turn as plain queries do. One a
   * user at a time; the others wait for it, and one of them goes on when whoever began it has gone.
   * @throws DeadlineExceeded, RequestCancelled, DatabaseUnavailable
   */
  async answer(user: Id, deadline?: Deadline): Promise<ColdAnswer> {
    for (let other = this.#answering.get(user); other !== undefined; other = this.#answering.get(user)) {
      const isBuilt = await withinDeadline(deadline, other);
      if (isBuilt !== 'cancelled') return isBuilt ? 'built' : undefined;
    }
    if (this.#isRefusing() || this.#unknown.has(user)) return undefined;
    let rows: LiveTop | undefined;
    const onRows = (top: LiveTop) => {
      rows = top;
    };
    const building = this.#outcomeOf(user, { deadline, onRows });
    const told = building.then(
      (outcome) => outcome,
      (error: unknown) => (isGone(error) ? ('cancelled' as const) : false),
    );
    this.#answering.set(user, told);
    void told.finally(() => this.#answering.delete(user));
    await building.catch((error: unknown) => {
      if (rows === undefined) throw error;
    });
    return rows;
  }

  /**
   * Builds the index of a user who has not asked, once nobody who has waits for a turn, or after so long. What is under
   * way for the user already will do.
   * @returns whether it was built
   */
  async buildWhenIdle(user: Id): Promise<boolean> {
    const { patienceMs = 100 } = this.#options;
    for (let ms = 0; ms < patienceMs && !this.#stopping && this.#isWanted(); ms += YIELD_MS) await pause(YIELD_MS);
    if (this.#stopping) return false;
    const answering = this.#answering.get(user);
    if (answering !== undefined) return (await answering) === true;
    return await (this.#underWay.get(user) ?? this.#begin(user));
  }

  #isWanted(): boolean {
    return this.#limit.pendingCount > 0 || this.#options.isBusy?.() === true;
  }

  #isRefusing(): boolean {
    return this.#stopping || performance.now() < this.#refusedUntil;
  }

  #refuse(): void {
    if (!this.#isRefusing()) this.#refusedUntil = performance.now() + REFUSED_MS;
  }

  #begin(user: Id): Promise<boolean> {
    const building = this.#limit(() => this.#build(user));
    this.#underWay.set(user, building);
    return building;
  }

  /** Starts no other build, and waits for those that run. Those that wait for their turn are dropped. */
  async drain(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#underWay.values(), ...this.#answering.values()]);
  }

  async #build(user: Id): Promise<boolean> {
    try {
      return await this.#outcomeOf(user, {});
    } catch {
      return false;
    } finally {
      this.#underWay.delete(user);
    }
  }

  /** @throws what `build` does; it is counted, and told unless it is nobody's fault */
  async #outcomeOf(user: Id, by: BuildBy): Promise<boolean> {
    try {
      const outcome = this.#isRefusing() ? REFUSED : await this.#options.build(user, by);
      if (outcome === REFUSED) this.#refuse();
      if (outcome === NOTHING) this.#unknown.set(user, true);
      const isBuilt = outcome !== REFUSED && outcome !== NOTHING && outcome !== false;
      this.counts[isBuilt ? 'built' : 'dropped'] += 1;
      return isBuilt;
    } catch (error) {
      const isDropped = isGone(error) || error instanceof DatabaseBusy;
      this.counts[isDropped ? 'dropped' : 'failed'] += 1;
      if (!isDropped && by.deadline === undefined) this.#options.onError(error, user); // otherwise the request says it
      throw error;
    }
  }
}

/** Whoever asked waits no more. */
export function isGone(error: unknown): boolean {
  return error instanceof RequestCancelled || error instanceof DeadlineExceeded;
}
