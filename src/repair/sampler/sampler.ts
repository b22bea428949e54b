/**
 * Tells all the time how consistent the indexes are: so many users a second are drawn and looked at, as a client would
 * ask. Who seems wrong is looked at again beside the next rounds, and believed wrong only when what was on its way has
 * been processed (repair/belief); who cannot be told is counted as neither.
 *
 * It only reports. A rebuild would mend an index, and with it take away what tells why it was wrong; `recency repair`
 * does that when a person wants it.
 */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Id } from '../../contracts/id.ts';
import type { FailedUser, FailedUsers } from '../failed-users.ts';
import { Pace } from '../pace.ts';
import type { PageCheck } from '../page-check.ts';
import type { CheckedTruth } from '../truth-check.ts';
import type { FirstLook } from './first-look.ts';
import { lookAgain } from './second-look.ts';
import { NOTHING_SAMPLED, type SampleCounts } from './windows.ts';
import type { WrongUsers } from './wrong-users.ts';

export interface SamplerOptions {
  readonly look: FirstLook;
  readonly check: PageCheck;
  readonly failed: FailedUsers;
  readonly wrongUsers: WrongUsers;
  /** Users a second. */
  readonly rate: number;
  readonly logger: Logger;
  /** ms, monotonic. */
  readonly now: () => number;
  /** Called whenever some users were told right or wrong. */
  readonly onCounts: (counts: SampleCounts) => void;
  /** Called with what the photos said of the contacts of some users. */
  readonly onTruth: (truth: CheckedTruth) => void;
  /** Called about once a second. @throws RedisUnavailable */
  readonly report: () => Promise<void>;
}

/** Who waits to be looked at again, at the most: a long backlog makes many seem wrong. */
const MOST_SUSPECTS = 500;

/** How often it is logged that a user cannot be looked at. */
const TOLD = { max: 1_000, ttl: 600_000 };

export class Sampler {
  readonly #options: SamplerOptions;
  readonly #suspects = new Set<Id>();
  #lookingAgain: Promise<void> | undefined;
  readonly #told = new LRUCache<Id, true>(TOLD);
  #isFailing = false;

  constructor(options: SamplerOptions) {
    this.#options = options;
  }

  /** Until aborted. While Redis or MySQL is away it counts nothing. */
  async run(signal: AbortSignal): Promise<void> {
    const { rate, now } = this.#options;
    const pace = new Pace(rate, now);
    while (!signal.aborted) {
      await this.#round(signal);
      await pace.spend(rate, signal).catch(() => undefined);
    }
    await this.settled();
  }

  /** Looks at one second's users. How many of them had an index. @throws RedisUnavailable, DatabaseUnavailable */
  async runOnce(signal?: AbortSignal): Promise<number> {
    const { look, rate, onCounts, onTruth, wrongUsers } = this.#options;
    const { right, suspects, failures, truth } = await look.at(rate, signal);
    this.#tellOf(failures);
    onTruth(truth);
    for (const user of right) wrongUsers.forget(user);
    const taken = suspects.slice(0, MOST_SUSPECTS - this.#suspects.size);
    for (const user of taken) this.#suspects.add(user);
    const unsettled = suspects.length - taken.length + failures.length;
    onCounts({ ...NOTHING_SAMPLED, checked: right.length, unsettled });
    if (this.#suspects.size > 0) {
      this.#lookingAgain ??= this.#lookAgain(signal).finally(() => {
        this.#lookingAgain = undefined;
      });
    }
    return right.length + suspects.length + failures.length;
  }

  /** When nobody is being looked at again. */
  async settled(): Promise<void> {
    await this.#lookingAgain;
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { logger, report } = this.#options;
    try {
      await this.runOnce(signal);
      await report();
      if (this.#isFailing) logger.info('sampling again');
      this.#isFailing = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!this.#isFailing) logger.warn({ err: error }, 'consistency cannot be sampled now; it is tried every second');
      this.#isFailing = true;
    }
  }

  /** One look at a time, at all who have come together meanwhile: what is on its way is asked for once. */
  async #lookAgain(signal: AbortSignal | undefined): Promise<void> {
    while (this.#suspects.size > 0 && !signal?.aborted) {
      const suspects = [...this.#suspects];
      this.#suspects.clear();
      await this.#tell(suspects, signal);
    }
  }

  async #tell(suspects: readonly Id[], signal: AbortSignal | undefined): Promise<void> {
    const { wrongUsers, onCounts, logger } = this.#options;
    try {
      const { wrong, unsettled, failures } = await lookAgain(this.#options, suspects, signal);
      this.#tellOf(failures);
      wrongUsers.add(wrong);
      const visible = wrong.filter((user) => user.visible).length;
      const checked = suspects.length - unsettled.length;
      onCounts({ checked, wrong: wrong.length, visible, unsettled: unsettled.length });
    } catch (error) {
      if (signal?.aborted) return;
      logger.debug({ err: error }, 'users who seemed wrong could not be looked at again');
      onCounts({ ...NOTHING_SAMPLED, unsettled: suspects.length });
    }
  }
  #tellOf(failures: readonly FailedUser[]): void {
    for (const { user, reason } of failures) {
      if (this.#told.has(user)) continue;
      this.#told.set(user, true);
      this.#options.logger.warn({ user, reason }, 'a user cannot be sampled, and counts as unsettled');
    }
  }
}
