import type { Id } from '../../contracts/id.ts';
import type { Deadline } from '../../timing/deadline.ts';
import type { FoundHead } from './event-text.ts';

/** What became of one head: it was found, or why not. */
export type HeadOutcome = { readonly found: FoundHead } | { readonly error: unknown };

/** Finds the heads of several users at once. @throws when none can be found */
export type FindHeads = (users: readonly Id[], deadline: Deadline) => Promise<ReadonlyMap<Id, HeadOutcome>>;

interface WaitingHead {
  readonly user: Id;
  readonly deadlineOf: () => Deadline;
  readonly head: PromiseWithResolvers<FoundHead>;
}

/** Users of one batch: as many as one request may name. */
const USERS = 100;

/** Batches that run at once: the others' users wait, and so make larger ones. */
const AT_ONCE = 2;

/**
 * Finds heads that answer the same question about different users together: of the time that a head takes by itself, most is spent on
 * the statement, not on its rows. Whoever asks while enough batches run is in the next one, so batches grow with the load.
 */
export class HeadBatch {
  readonly #findHeads: FindHeads;
  readonly #waiting: WaitingHead[] = [];
  #running = 0;
  #isBeginning = false;

  constructor(findHeads: FindHeads) {
    this.#findHeads = findHeads;
  }

  /** The head as it is after this call. @param deadlineOf a deadline, from when its turn comes @throws what an answer throws */
  find(user: Id, deadlineOf: () => Deadline): Promise<FoundHead> {
    const head = Promise.withResolvers<FoundHead>();
    this.#waiting.push({ user, deadlineOf, head });
    this.#beginSoon();
    return head.promise;
  }

  #beginSoon(): void {
    if (this.#isBeginning || this.#running >= AT_ONCE) return;
    this.#isBeginning = true;
    queueMicrotask(() => {
      this.#isBeginning = false;
      while (this.#waiting.length > 0 && this.#running < AT_ONCE) void this.#runNext();
    });
  }

  async #runNext(): Promise<void> {
    const some = this.#waiting.splice(0, USERS);
    const [{ deadlineOf }] = some as [WaitingHead];
    this.#running += 1;
    try {
      const users = [...new Set(some.map(({ user }) => user))];
      const outcomes = await this.#findHeads(users, deadlineOf());
      for (const { user, head } of some) {
        const outcome = outcomes.get(user);
        if (outcome !== undefined && 'found' in outcome) head.resolve(outcome.found);
        else head.reject(outcome?.error ?? new Error(`nothing was said about user ${user}`));
      }
    } catch (error) {
      for (const { head } of some) head.reject(error);
    } finally {
      this.#running -= 1;
      this.#beginSoon();
    }
  }
}
