/**
 * Measures continuously how consistent the indexes are: every second it draws some users and checks them as a client would
 * ask, about one kind after the other in turn. Those who seem wrong are checked again beside the next rounds, and count as wrong only once no pending work can
 * explain it (repair/confirm). Users where this stays unknown count as neither right nor wrong.
 *
 * It only reports. A rebuild would fix an index and destroy the evidence of why it was wrong; `recency repair` does that
 * when a person wants it.
 */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Id } from '../../contracts/id.ts';
import type { Kind } from '../../contracts/kind.ts';
import type { Database } from '../../mysql/database.ts';
import { RateLimiter } from '../../timing/limiter.ts';
import { AnswerCheck } from '../answer-check.ts';
import { type FailedUser, FailedUsers } from '../failed-users.ts';
import { UserDraw } from '../find-users.ts';
import { IndexCheck } from '../index-check.ts';
import { PageCheck, type PageCheckStores } from '../page-check.ts';
import { isContactsAlone, type KindOf, type OfKinds } from '../run-parameters.ts';
import { type CheckedTruth, TruthCheck } from '../truth-check.ts';
import { FirstLook, lookAgain } from './looks.ts';
import { type SamplerReports, type WrongUser, WrongUsers } from './report.ts';
import { NOTHING_SAMPLED, type SampleCounts, WINDOWS, type Windows } from './windows.ts';

/** What samples one kind. */
export type SamplerParts = Pick<PageCheckStores, 'index' | 'primary' | 'raiseBarrier'>;

export type SamplerStores = SamplerOptions & OfKinds<SamplerParts>;

interface SamplerOptions extends Omit<PageCheckStores, 'answersFrom' | 'truthMs' | keyof SamplerParts> {
  readonly primary: Database;
  /** Users a second. */
  readonly rate: number;
  /** Counted here; part of every report. */
  readonly windows: Windows;
  readonly reports: Pick<SamplerReports, 'write'>;
  readonly logger: Logger;
  /** Called with everything that is added to the windows. */
  readonly onCounts?: (counts: SampleCounts) => void;
  /** Called with the users who are confirmed to be wrong. */
  readonly onDrift?: (wrong: readonly Pick<WrongUser, 'classes'>[]) => void;
  /** Called with each comparison of users' contacts with the photos. */
  readonly onTruth?: (truth: CheckedTruth, kind: Kind) => void;
}

/** Maximum users of a kind waiting for their second check: a long backlog makes many users seem wrong. */
const MAX_SUSPECTS = 500;

/** Wrong users named in a report. */
const NAMED = 5;

/** The same problem is logged once in this time, ms. */
const LOGGED_EVERY_MS = 600_000;

interface SampledKind {
  readonly kind: Kind;
  readonly look: FirstLook;
  readonly check: PageCheck;
  /** Waiting for their second check. */
  readonly suspects: Set<Id>;
}

export class Sampler {
  readonly #stores: SamplerStores;
  readonly #kinds: readonly SampledKind[];
  /** Has something other than contacts, so users are named with the kind. */
  readonly #namesKinds: boolean;
  readonly #failed: FailedUsers;
  readonly #wrongUsers: WrongUsers;
  #rounds = 0;
  #checkingAgain: Promise<void> | undefined;
  /** Users whose failure was logged, with the kind; and 'unread' for pairs that could not be read. */
  readonly #logged: LRUCache<string, true>;
  #isFailing = false;

  constructor(stores: SamplerStores) {
    const { logger, now } = stores;
    const kinds = stores.kinds;
    this.#stores = stores;
    this.#failed = new FailedUsers(stores.primary, stores.kinds);
    this.#kinds = kinds.map((parts) => this.#sampled(parts));
    this.#namesKinds = !isContactsAlone(kinds.map(({ kind }) => kind.name));
    this.#wrongUsers = new WrongUsers(logger, now);
    this.#logged = new LRUCache({ max: 1_000, ttl: LOGGED_EVERY_MS, perf: { now } });
  }

  #sampled({ kind, index, primary, raiseBarrier }: KindOf<SamplerParts>): SampledKind {
    const { logger: _, kinds: __, ...common } = this.#stores; // unread pairs are logged by the first look, less often
    const stores = { ...common, index, primary, raiseBarrier };
    const look = new FirstLook({
      draw: new UserDraw(primary, stores.random),
      indexes: new IndexCheck(stores),
      answers: new AnswerCheck({ ...stores, truth: new TruthCheck(stores) }),
      failed: this.#failed,
    });
    return { kind, look, check: new PageCheck(stores), suspects: new Set() };
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

  /** Checks one second's users, of the kind whose turn it is. @returns how many of them have an index @throws RedisUnavailable, DatabaseUnavailable */
  async runOnce(signal?: AbortSignal): Promise<number> {
    const { rate, onTruth } = this.#stores;
    const sampled = this.#kinds[this.#rounds++ % this.#kinds.length];
    if (sampled === undefined) return 0;
    const { right, suspects, failures, truth } = await sampled.look.at(rate, signal);
    this.#logFailures(failures, sampled);
    this.#logUnread(truth);
    onTruth?.(truth, sampled.kind);
    for (const user of right) this.#wrongUsers.forget(user, this.#namesKinds ? sampled.kind.name : undefined);
    const taken = suspects.slice(0, MAX_SUSPECTS - sampled.suspects.size);
    for (const user of taken) sampled.suspects.add(user);
    const unsettled = suspects.length - taken.length + failures.length;
    this.#count({ ...NOTHING_SAMPLED, checked: right.length, unsettled });
    if (sampled.suspects.size > 0) {
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

  /** Checks all suspects of a kind found so far together, one batch after the other, so that pending work is asked for once. */
  async #checkSuspects(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const waiting = this.#kinds.filter(({ suspects }) => suspects.size > 0);
      if (waiting.length === 0 || signal?.aborted) return;
      for (const sampled of waiting) {
        const suspects = [...sampled.suspects];
        sampled.suspects.clear();
        await this.#confirm(sampled, suspects, signal);
      }
    }
  }

  async #confirm(sampled: SampledKind, suspects: readonly Id[], signal: AbortSignal | undefined): Promise<void> {
    try {
      const parts = { check: sampled.check, failed: this.#failed };
      const { wrong, unsettled, failures } = await lookAgain(parts, suspects, signal);
      this.#logFailures(failures, sampled);
      this.#wrongUsers.add(wrong.map((user) => this.#named(user, sampled)));
      this.#stores.onDrift?.(wrong);
      const visible = wrong.filter((user) => user.visible).length;
      const checked = suspects.length - unsettled.length;
      this.#count({ checked, wrong: wrong.length, visible, unsettled: unsettled.length });
    } catch (error) {
      if (signal?.aborted) return;
      this.#stores.logger.debug({ err: error }, 'suspected users could not be checked again');
      this.#count({ ...NOTHING_SAMPLED, unsettled: suspects.length });
    }
  }

  #named<T extends object>(user: T, { kind }: SampledKind): T & { readonly kind?: string } {
    return this.#namesKinds ? { ...user, kind: kind.name } : user;
  }

  #count(counts: SampleCounts): void {
    this.#stores.windows.add(counts);
    this.#stores.onCounts?.(counts);
  }

  #logFailures(failures: readonly FailedUser[], sampled: SampledKind): void {
    for (const { user, reason } of failures) {
      const key = `${sampled.kind.name} ${user}`;
      if (this.#logged.has(key)) continue;
      this.#logged.set(key, true);
      this.#stores.logger.warn(
        this.#named({ user, reason }, sampled),
        'a user cannot be sampled, and counts as unsettled',
      );
    }
  }

  #logUnread({ unread }: CheckedTruth): void {
    if (unread === 0 || this.#logged.has('unread')) return;
    this.#logged.set('unread', true);
    this.#stores.logger.warn({ pairs: unread }, 'some pairs could not be compared with the photos');
  }
}
