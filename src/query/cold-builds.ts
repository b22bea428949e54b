import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Id } from '../contracts/id.ts';
import type { DelayedWork } from '../index/delayed-work.ts';
import { run, type Steps } from '../index/protocol.ts';
import { type RebuildReport, rebuild } from '../index/rebuild.ts';
import { DatabaseBusy, StatementTooSlow } from '../mysql/database.ts';
import type { LiveTop } from '../mysql/statements/top-contacts.ts';
import { type Deadline, DeadlineExceeded, RequestCancelled, withinDeadline } from '../timing/deadline.ts';
import type { Urgency } from '../timing/limiter.ts';
import { pause } from '../timing/loop.ts';

export interface ColdBuildsOptions {
  /** Builds the index of one user. */
  readonly build: (user: Id, by: BuildBy) => Promise<BuildOutcome>;
  /** Maximum background builds that run at once. */
  readonly concurrency: number;
  /** Maximum background builds that wait for their turn. */
  readonly queue: number;
  /** Returns whether answers are waiting for MySQL; `buildWhenIdle` then waits. Left out: never. */
  readonly isBusy?: () => boolean;
  /** Longest time that `buildWhenIdle` waits, ms (100): a build costs as much as one plain answer, and saves every later one. */
  readonly patienceMs?: number;
  /** Called with the error of a failed background build. */
  readonly onError: (error: unknown, user: Id) => void;
}

/**
 * - `built`
 * - `not_built`: this user's index cannot be built here now
 * - `small`: the user has so few rows, or none, that no index is kept
 * - `suspended`: no index may be built now
 */
export type BuildOutcome = 'built' | 'not_built' | 'small' | 'suspended';

export interface BuildBy {
  /** Of the request that is answered from the build's rows; undefined: a background build. */
  readonly deadline?: Deadline | undefined;
  /** Called with the user's top contacts, in order, each time they are read. */
  readonly onRows?: (top: LiveTop) => void;
}

/**
 * - The user's top contacts, one more than the index holds, read after the request arrived
 * - `built`: another request has just built the index
 * - undefined: the index cannot be built now
 */
export type ColdAnswer = LiveTop | 'built' | undefined;

/** How long and of how many users it is remembered that no index is kept of them: anybody may ask for any id. */
const SMALL = { ttl: 30_000, max: 20_000 };

/** Pause before the next build after `suspended`, ms: each attempt costs a plain query. */
const SUSPENDED_MS = 1_000;

/** How often `buildWhenIdle` looks whether it is its turn, ms. */
const YIELD_MS = 5;

/**
 * Builds the indexes of users whom a read found cold: one build per user at a time, and a limited number of users at
 * once. A background build that finds no room is dropped: the next read requests it again.
 */
export class ColdBuilds {
  readonly counts = { built: 0, failed: 0, dropped: 0 };
  readonly #options: ColdBuildsOptions;
  readonly #limit: LimitFunction;
  readonly #inBackground = new Map<Id, Promise<boolean>>();
  /** Builds that requests are answered from; `cancelled`: the request gave up. */
  readonly #answering = new Map<Id, Promise<boolean | 'cancelled'>>();
  readonly #small = new LRUCache<Id, true>(SMALL);
  #stopping = false;
  #suspendedUntil = 0;

  constructor(options: ColdBuildsOptions) {
    this.#options = options;
    this.#limit = pLimit(options.concurrency);
  }

  /** The number of builds that run or wait. */
  get underWay(): number {
    return this.#inBackground.size + this.#answering.size;
  }

  /** Requests a background build. */
  request(user: Id): void {
    if (this.#stopping || this.#inBackground.has(user) || this.#answering.has(user) || this.#small.has(user)) return;
    const { concurrency, queue } = this.#options;
    if (this.#inBackground.size >= concurrency + queue) this.counts.dropped += 1;
    else void this.#begin(user);
  }

  /**
   * Builds the index at once, for a request that is answered from its rows. Such builds take turns with plain queries. One
   * runs per user: other requests wait for it, and one of them takes over when the first gives up.
   * @throws DeadlineExceeded, RequestCancelled, DatabaseUnavailable
   */
  async answer(user: Id, deadline?: Deadline): Promise<ColdAnswer> {
    for (let other = this.#answering.get(user); other !== undefined; other = this.#answering.get(user)) {
      const isBuilt = await withinDeadline(deadline, other);
      if (isBuilt !== 'cancelled') return isBuilt ? 'built' : undefined;
    }
    if (this.#isPaused() || this.#small.has(user)) return undefined;
    let rows: LiveTop | undefined;
    const onRows = (top: LiveTop) => {
      rows = top;
    };
    const building = this.#build(user, { deadline, onRows });
    const settled = building.catch((error: unknown) => (isGivenUp(error) ? ('cancelled' as const) : false));
    this.#answering.set(user, settled);
    void settled.finally(() => this.#answering.delete(user));
    await building.catch((error: unknown) => {
      if (rows === undefined) throw error;
    });
    return rows;
  }

  /**
   * Builds the index in the background, once no request waits for a turn, or after `patienceMs`. Joins a build of the same
   * user that is already under way.
   * @returns whether it was built
   */
  async buildWhenIdle(user: Id): Promise<boolean> {
    const { patienceMs = 100 } = this.#options;
    for (let ms = 0; ms < patienceMs && !this.#stopping && this.#isBusy(); ms += YIELD_MS) await pause(YIELD_MS);
    if (this.#stopping) return false;
    const answering = this.#answering.get(user);
    if (answering !== undefined) return (await answering) === true;
    return await (this.#inBackground.get(user) ?? this.#begin(user));
  }

  /** Starts no more builds, drops those that wait for their turn, and waits for those that run. */
  async drain(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#inBackground.values(), ...this.#answering.values()]);
  }

  #isBusy(): boolean {
    return this.#limit.pendingCount > 0 || this.#options.isBusy?.() === true;
  }

  #isPaused(): boolean {
    return this.#stopping || performance.now() < this.#suspendedUntil;
  }

  #begin(user: Id): Promise<boolean> {
    const building = this.#limit(() => this.#build(user, {}))
      .catch(() => false)
      .finally(() => this.#inBackground.delete(user));
    this.#inBackground.set(user, building);
    return building;
  }

  /** @returns whether it was built @throws what `build` throws, after counting it and reporting a background failure */
  async #build(user: Id, by: BuildBy): Promise<boolean> {
    try {
      const outcome = this.#isPaused() ? 'suspended' : await this.#options.build(user, by);
      if (outcome === 'suspended' && !this.#isPaused()) this.#suspendedUntil = performance.now() + SUSPENDED_MS;
      if (outcome === 'small') this.#small.set(user, true);
      this.counts[outcome === 'built' ? 'built' : 'dropped'] += 1;
      return outcome === 'built';
    } catch (error) {
      const isDropped = isGivenUp(error) || error instanceof DatabaseBusy;
      this.counts[isDropped ? 'dropped' : 'failed'] += 1;
      if (!isDropped && by.deadline === undefined) this.#options.onError(error, user); // a request reports its own
      throw error;
    }
  }
}

/** The request gave up: its time is over, or its client has gone. */
function isGivenUp(error: unknown): boolean {
  return error instanceof RequestCancelled || error instanceof DeadlineExceeded;
}

interface OneBuild extends BuildBy {
  readonly urgency?: Urgency;
  /** Build the index even if it was forgotten. */
  readonly asked?: boolean;
}

/**
 * Builds one user's index. A build that takes too long is left to the consumers, who have more time; no answer is attempted then
 * in less time than was too short. A build that lost its race is left to the next read if its rows have already served as an
 * answer: reading them all again would serve nobody yet.
 * `onSmall` is called with a user of whom no index is kept.
 */
export function buildOn(
  { steps, delayed }: { readonly steps: Steps; readonly delayed: Pick<DelayedWork, 'askForRebuild'> },
  { mysqlTimeoutMs, onSmall }: { readonly mysqlTimeoutMs: number; readonly onSmall?: (user: Id) => void },
) {
  return async (user: Id, { deadline, onRows, urgency, asked = false }: OneBuild): Promise<RebuildReport> => {
    const heavy = deadline === undefined ? (urgency ?? 'answer') : 'answer';
    let isAnswered = false;
    const topContacts: Steps['topContacts'] = async (users) => {
      if (isAnswered) return { epoch: '', tops: [] };
      const found = await steps.topContacts(users, { deadline, heavy });
      isAnswered = onRows !== undefined && found.live !== undefined;
      if (found.live !== undefined) onRows?.(found.live);
      return found;
    };
    const allowances: Steps['allowances'] = (users) => steps.allowances(users, { deadline, heavy });
    const running = run(rebuild([user], asked), { ...steps, topContacts, allowances });
    const report = await withinDeadline(deadline, running).catch((error: unknown) => {
      // Otherwise a user whose clients never wait long enough would stay cold for ever.
      if (isGivenUp(error)) delayed.askForRebuild(user).catch(() => undefined); // the next read tries again
      throw error;
    });
    for (const one of report.small) onSmall?.(one);
    if (report.slow.length === 0 || isAnswered) return report;
    await delayed.askForRebuild(user);
    if (deadline === undefined || deadline.leftMs >= mysqlTimeoutMs) return report;
    throw new StatementTooSlow(`reading all contacts of a user takes longer than ${mysqlTimeoutMs} ms`);
  };
}
