import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Id } from '../../contracts/id.ts';
import type { WrongUser } from './second-look.ts';

/** Of those who are wrong for longer, the ones seen last are known. */
const MOST_KNOWN = 1_000;

interface Known {
  readonly found: WrongUser;
  /** When it was found last, by `now`. */
  readonly at: number;
}

/** The users who were found wrong and not right since. Each is logged once, and again when it is wrong in another way. */
export class WrongUsers {
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #known = new LRUCache<Id, Known>({ max: MOST_KNOWN });

  /** @param now ms, monotonic */
  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  add(wrong: readonly WrongUser[]): void {
    for (const found of wrong) {
      const before = this.#known.get(found.user);
      if (before === undefined || !isSame(before.found, found)) this.#log(found);
      this.#known.set(found.user, { found, at: this.#now() });
    }
  }

  /** The user is right now. */
  forget(user: Id): void {
    this.#known.delete(user);
  }

  /** Those found within so many ms, the latest first, at most `count`. */
  latest(withinMs: number, count: number): WrongUser[] {
    const since = this.#now() - withinMs;
    return [...this.#known.values()]
      .filter(({ at }) => at >= since)
      .slice(0, count)
      .map(({ found }) => found);
  }

  #log({ user, classes, visible }: WrongUser): void {
    const what = visible ? 'a user gets wrong answers' : "a user's index is wrong; no client would notice";
    this.#logger.error({ user, classes, visible }, `${what}: \`recency verify --user\` shows it, \`repair\` mends it`);
  }
}

function isSame(a: WrongUser, b: WrongUser): boolean {
  return a.visible === b.visible && a.classes.toSorted().join() === b.classes.toSorted().join();
}
