import { type DrainBarrier, EVERYBODY, type RaiseBarrier } from '../index/drain-barrier.ts';
import { pause } from '../timing/backoff.ts';
import { loop } from '../timing/loop.ts';

export interface AppliedWatermarkOptions {
  /** The barrier behind every change on its way to the indexes: the outbox, the transport, delayed refreshes. */
  readonly barrier: RaiseBarrier;
  /** The token of the epoch in force. */
  readonly epoch: () => Promise<string>;
  /** Monotonic clock, ms. */
  readonly now: () => number;
  /** Between two measurements, ms (500). */
  readonly intervalMs?: number;
  /** Called with why a measurement failed: a store or the transport is unavailable. */
  readonly onError?: (error: unknown) => void;
}

/** A moment, and the barrier that was raised after it. */
interface Raised {
  readonly at: number;
  readonly barrier: DrainBarrier;
}

const INTERVAL_MS = 500;

/** Barriers that wait at once: as many as are needed for a bound that is at most a third more than the lag. */
const MOST = 12;

/**
 * The latest moment known to be applied: whatever was on its way to the indexes then has been written to them. It is
 * measured in the background by drain barriers, which know every place where a change may wait, also one that a relay put
 * back or a consumer delayed. The age of that moment bounds the age of every change that is not applied yet. It is never
 * too small: a change that has just been committed, and that no measurement has seen, is younger than the moment.
 *
 * While a measurement fails the bound keeps growing, and stays right. So it does when changes were lost on their way, until
 * the loss is found and a new epoch begins. Every index of that one is built from rows read after its beginning, and so has
 * what was committed before; barriers behind what is lost may never be passed.
 */
export class AppliedWatermark {
  readonly #options: AppliedWatermarkOptions;
  /** Oldest first. */
  #raised: readonly Raised[] = [];
  #appliedAt: number | undefined;
  /** The epoch when last asked, and a moment before. */
  #known: { readonly epoch: string; readonly at: number } | undefined;

  constructor(options: AppliedWatermarkOptions) {
    this.#options = options;
  }

  /**
   * The age of the oldest change that may not be applied, as an upper bound, ms.
   * @returns undefined: not known yet; nothing that was on its way when this process started has been seen to arrive
   */
  lagMs(): number | undefined {
    return this.#appliedAt === undefined ? undefined : this.#options.now() - this.#appliedAt;
  }

  /** Measures until aborted, and then returns at once, whatever a store still has to answer. */
  async run(signal: AbortSignal): Promise<void> {
    const { intervalMs = INTERVAL_MS, onError } = this.#options;
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const round = async () => {
      await this.measure();
      return intervalMs;
    };
    const failed = (error: unknown) => {
      if (!signal.aborted) onError?.(error);
      return intervalMs;
    };
    await Promise.race([signal.aborted ? pause(0) : aborted, loop({ signal, round, onError: failed })]);
  }

  /** Measures once. @throws RedisUnavailable, DatabaseUnavailable, what the transport throws */
  async measure(): Promise<void> {
    const { barrier, epoch, now } = this.#options;
    const at = now(); // before the barrier is raised: what is committed meanwhile may be in front of it or behind
    this.#see({ epoch: await epoch(), at });
    this.#raised = thinned([...this.#raised, { at, barrier: await barrier([EVERYBODY]) }]);
    for (let oldest = this.#raised[0]; oldest !== undefined; oldest = this.#raised[0]) {
      if (!(await oldest.barrier.passed())) return;
      this.#passedAt(oldest.at);
    }
  }

  #see(now: { readonly epoch: string; readonly at: number }): void {
    const before = this.#known;
    this.#known = now;
    if (before !== undefined && before.epoch !== now.epoch) this.#passedAt(before.at);
  }

  #passedAt(at: number): void {
    this.#appliedAt = Math.max(at, this.#appliedAt ?? at);
    this.#raised = this.#raised.filter((raised) => raised.at > at);
  }
}

/**
 * When there are too many, the one that is missed least is dropped: between the two that are closest together. So their
 * distance grows with the lag. The oldest, which passes first, and the newest stay.
 */
function thinned(raised: readonly Raised[]): readonly Raised[] {
  if (raised.length <= MOST) return raised;
  const gap = (place: number) => (raised[place + 1]?.at ?? 0) - (raised[place - 1]?.at ?? 0);
  let closest = 1;
  for (let place = 2; place < raised.length - 1; place++) if (gap(place) < gap(closest)) closest = place;
  return raised.toSpliced(closest, 1);
}
