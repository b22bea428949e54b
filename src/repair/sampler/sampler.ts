/**
 * Measures continuously how consistent the indexes are: every second it draws some users and checks them as a client would
 * ask. Those who seem wrong are checked again beside the next rounds, and count as wrong only once no pending work can
 * explain it (repair/confirm). Users where this stays unknown count as neither right nor wrong.
 *
 * It only reports. A rebuild would fix an index and destroy the evidence of why it was wrong; `recency repair` does that
 * when a person wants it.
 */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Id } from '../../contracts/id.ts';
import { AnswerCheck } from '../answer-check.ts';
import { type FailedUser, FailedUsers } from '../failed-users.ts';
import { UserDraw } from '../find-users.ts';
import { IndexCheck } from '../index-check.ts';
import { PageCheck, type PageCheckStores } from '../page-check.ts';
import { RateLimiter } from '../rate-limiter.ts';
import { type CheckedTruth, TruthCheck } from '../truth-check.ts';
import { FirstLook, lookAgain } from './looks.ts';
import { type SamplerReports, WrongUsers } from './report.ts';
import { NOTHING_SAMPLED, type SampleCounts, WINDOWS, type Windows } from './windows.ts';

export interface SamplerStores extends Omit<PageCheckStores, 'answersFrom' | 'truthMs'> {
  /** Users a second. */
  readonly rate: number;
  /** Counted here; part of every report. */
  readonly windows: Windows;
  readonly reports: Pick<SamplerReports, 'write'>;
  readonly logger: Logger;
  /** Called with everything that is added to the windows. */
  readonly onCounts?: (counts: SampleCounts) => void;
  /** Called with each comparison of users' contacts with the photos. */
  readonly onTruth?: (truth: CheckedTruth) => void;
}

/** Maximum users waiting for their second check: a long backlog makes many users seem wrong. */
const MAX_SUSPECTS = 500;

/** Wrong users named in a report. */
const NAMED = 5;

/** The same problem is logged once in this time, ms. */
const LOGGED_EVERY_MS = 600_000;

export class Sampler {
  readonly #stores: SamplerStores;
  readonly #look: FirstLook;
  readonly #check: PageCheck;
  readonly #failed: FailedUsers;
  readonly #wrongUsers: WrongUsers;
  readonly #suspects = new Set<Id>();
  #checkingAgain: Promise<void> | undefined;
  /** Users whose failure was logged, and 'unread' for pairs that could not be read. */
  readonly #logged: LRUCache<Id | 'unread', true>;
  #isFailing = false;

  constructor(stores: SamplerStores) {
    const { logger, ...quiet } = stores;
    const { primary, random, now } = quiet;
    this.#stores = stores;
    this.#failed = new FailedUsers(primary);
    this.#look = new FirstLook({
      draw: new UserDraw(primary, random),
      indexes: new IndexCheck(stores),
      answers: new AnswerCheck({ ...stores, truth: new TruthCheck(stores) }),
      failed: this.#failed,
    });
    this.#check = new PageCheck(quiet); // unread pairs are logged by the first look, less often
    this.#wrongUsers = new WrongUsers(logger, now);
    this.#logged = new LRUCache({ max: 1_000, ttl: LOGGED_EVERY_MS, perf: { now } });
  }

  /** Runs until aborted. While Redis or MySQL is unavailable it counts nothing. */
  async run(signal: AbortSignal): Promise<void> {
    const { rate, now } = this.#stores;
    const rateLimiter = new RateLimiter(rate, now);
    while (!signal.aborted) {
      await this.#round(signal);
      await rateLimiter.spend(rate, signal).catch(() => undefined);
    }
    await this.idle();
  }

  /** Checks one second's users. @returns how many of them have an index @throws RedisUnavailable, DatabaseUnavailable */
  async runOnce(signal?: AbortSignal): Promise<number> {
    const { rate, onTruth } = this.#stores;
    const { right, suspects, failures, truth } = await this.#look.at(rate, signal);
    this.#logFailures(failures);
    this.#logUnread(truth);
    onTruth?.(truth);
    for (const user of right) this.#wrongUsers.forget(user);
    const taken = suspects.slice(0, MAX_SUSPECTS - this.#suspects.size);
    for (const user of taken) this.#suspects.add(user);
    const unsettled = suspects.length - taken.length + failures.length;
    this.#count({ ...NOTHING_SAMPLED, checked: right.length, unsettled });
    if (this.#suspects.size > 0) {
      this.#checkingAgain ??= this.#checkSuspects(signal).finally(() => {
        this.#checkingAgain = undefined;
      });
    }
    return right.length + suspects.length + failures.length;
  }

  /** Resolves when no suspect is being checked again. */
  async idle(): Promise<void> {
    await this.#checkingAgain;
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { logger, reports, rate, windows } = this.#stores;
    try {
      await this.runOnce(signal);
      const wrong_users = this.#wrongUsers.latest(WINDOWS['5m'] * 1000, NAMED);
      await reports.write({ rate, windows: windows.all(), wrong_users });
      if (this.#isFailing) logger.info('sampling again');
      this.#isFailing = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!this.#isFailing) logger.warn({ err: error }, 'consistency cannot be sampled; retrying every second');
      this.#isFailing = true;
    }
  }

  /** Checks all suspects found so far together, one batch after the other, so that pending work is asked for once. */
  async #checkSuspects(signal: AbortSignal | undefined): Promise<void> {
    while (this.#suspects.size > 0 && !signal?.aborted) {
      const suspects = [...this.#suspects];
      this.#suspects.clear();
      await this.#confirm(suspects, signal);
    }
  }

  async #confirm(suspects: readonly Id[], signal: AbortSignal | undefined): Promise<void> {
    try {
      const parts = { check: this.#check, failed: this.#failed };
      const { wrong, unsettled, failures } = await lookAgain(parts, suspects, signal);
      this.#logFailures(failures);
      this.#wrongUsers.add(wrong);
      const visible = wrong.filter((user) => user.visible).length;
      const checked = suspects.length - unsettled.length;
      this.#count({ checked, wrong: wrong.length, visible, unsettled: unsettled.length });
    } catch (error) {
      if (signal?.aborted) return;
      this.#stores.logger.debug({ err: error }, 'suspected users could not be checked again');
      this.#count({ ...NOTHING_SAMPLED, unsettled: suspects.length });
    }
  }

  #count(counts: SampleCounts): void {
    this.#stores.windows.add(counts);
    this.#stores.onCounts?.(counts);
  }

  #logFailures(failures: readonly FailedUser[]): void {
    for (const { user, reason } of failures) {
      if (this.#logged.has(user)) continue;
      this.#logged.set(user, true);
      this.#stores.logger.warn({ user, reason }, 'a user cannot be sampled, and counts as unsettled');
    }
  }

  #logUnread({ unread }: CheckedTruth): void {
    if (unread === 0 || this.#logged.has('unread')) return;
    this.#logged.set('unread', true);
    this.#stores.logger.warn({ pairs: unread }, 'some pairs could not be compared with the photos');
  }
}
