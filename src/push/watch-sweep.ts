import type { Logger } from 'pino';
import type { Id } from '../contracts/id.ts';
import type { WatchedUsers } from '../index/redis/watched-users.ts';
import type { Database } from '../mysql/database.ts';
import { readEpoch } from '../mysql/epoch.ts';
import { loop } from '../timing/loop.ts';
import { runCheck } from './check-steps.ts';
import { enroll } from './watch-changes.ts';
import { type DuePlace, readDueUsers, readWatchedUsers } from './watch-table.ts';

interface WatchSweepOptions {
  readonly database: Database;
  readonly watched: Pick<WatchedUsers, 'add' | 'check'>;
  readonly logger: Logger;
  /** Do more users wait to be checked than are taken? */
  readonly isBehind?: () => boolean;
  /** ms since 1970 UTC. */
  readonly clock?: () => number;
}

const PAGE = 500;

/** Watches that are due by themselves and join the users who wait to be checked at each look, while more wait than are taken. */
const PAGE_BEHIND = 50;

/** Before the first watch that is due. */
const FIRST: DuePlace = { dueAt: Number.MIN_SAFE_INTEGER, id: '0' };

/** How often it is looked for watches that are due by themselves, and for a new epoch, ms. */
const LOOK_MS = 500;

/** A page of all watches is checked each so many looks: signals are not lost but with Redis, which begins a new epoch. */
const LOOKS_A_PAGE = 20;

const AFTER_FAILURE_MS = 1_000;

/**
 * Makes good what signals may miss: watches that are due by themselves (new ones, retries, the end of an interval), users who
 * are not among the watched ones because Redis has lost them, and everybody in a new epoch. A user is put among the watched
 * ones first and then checked: a change in between would be missed the other way round.
 */
export class WatchSweep {
  readonly #options: WatchSweepOptions;
  #epoch: string | undefined;
  #after: Id | '0' = '0';
  #due: DuePlace = FIRST;
  #looks = 0;

  constructor(options: WatchSweepOptions) {
    this.#options = options;
  }

  /** Until aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const onError = (err: unknown) => {
      this.#options.logger.warn({ err }, 'watches could not be looked through; retrying');
      return AFTER_FAILURE_MS;
    };
    await loop({ signal, round: () => this.runOnce(signal).then(() => LOOK_MS), onError });
  }

  /** One look. @throws what the stores throw */
  async runOnce(signal?: AbortSignal): Promise<void> {
    const { database } = this.#options;
    await this.#checkDue(signal);
    const { token } = await readEpoch(database);
    if (token !== this.#epoch) await this.#all(signal);
    else if (++this.#looks % LOOKS_A_PAGE === 0) await this.#page();
    if (!signal?.aborted) this.#epoch = token;
  }

  /**
   * All that are due, so that those who stay due keep nobody waiting. While more users wait than are taken, only few at each look,
   * one after the other: retries, of which a dead endpoint has thousands, would otherwise stand in line before what is new to others.
   */
  async #checkDue(signal: AbortSignal | undefined): Promise<void> {
    const { database, clock = Date.now, isBehind = () => false } = this.#options;
    const now = clock();
    do {
      const isFew = isBehind();
      const { users, next } = await readDueUsers(database, now, this.#due, isFew ? PAGE_BEHIND : PAGE);
      await this.#check(users);
      this.#due = next ?? FIRST;
      if (isFew) return;
    } while (this.#due !== FIRST && !signal?.aborted);
  }

  async #all(signal: AbortSignal | undefined): Promise<void> {
    this.#after = '0';
    do await this.#page();
    while (this.#after !== '0' && !signal?.aborted);
  }

  /** The next page; after the last one it begins again. */
  async #page(): Promise<void> {
    const { users, last } = await readWatchedUsers(this.#options.database, this.#after, PAGE);
    await this.#check(users);
    this.#after = last;
  }

  async #check(users: readonly Id[]): Promise<void> {
    if (users.length === 0) return;
    const { watched } = this.#options;
    await runCheck(enroll(users), { watch: (some) => watched.add(some), again: (some, ms) => watched.check(some, ms) });
  }
}
