import pLimit, { type LimitFunction } from 'p-limit';
import type { Id } from '../contracts/id.ts';

export interface ColdBuildsOptions {
  /** Builds the index of one user. */
  readonly build: (user: Id) => Promise<unknown>;
  /** Builds at once. */
  readonly concurrency: number;
  /** More of them that may wait for their turn. */
  readonly queue: number;
  /** Called with what `build` rejected with. */
  readonly onError: (error: unknown, user: Id) => void;
}

/**
 * Builds the indexes of users whom a read found cold, beside the answers: one build a user at a time, so many users at
 * once. Whoever finds no room is dropped: the next read asks again.
 */
export class ColdBuilds {
  readonly counts = { built: 0, failed: 0, dropped: 0 };
  readonly #options: ColdBuildsOptions;
  readonly #limit: LimitFunction;
  readonly #underWay = new Map<Id, Promise<void>>();
  #stopping = false;

  constructor(options: ColdBuildsOptions) {
    this.#options = options;
    this.#limit = pLimit(options.concurrency);
  }

  /** Builds that run or wait. */
  get underWay(): number {
    return this.#underWay.size;
  }

  request(user: Id): void {
    if (this.#stopping || this.#underWay.has(user)) return;
    const { concurrency, queue } = this.#options;
    if (this.#underWay.size >= concurrency + queue) {
      this.counts.dropped += 1;
      return;
    }
    this.#underWay.set(
      user,
      this.#limit(() => this.#build(user)),
    );
  }

  /** Starts no other build, and waits for those that run. Those that wait for their turn are dropped. */
  async drain(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#underWay.values());
  }

  async #build(user: Id): Promise<void> {
    try {
      if (this.#stopping) {
        this.counts.dropped += 1;
        return;
      }
      await this.#options.build(user);
      this.counts.built += 1;
    } catch (error) {
      this.counts.failed += 1;
      this.#options.onError(error, user);
    } finally {
      this.#underWay.delete(user);
    }
  }
}
