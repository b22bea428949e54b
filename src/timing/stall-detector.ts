import { pause } from './backoff.ts';

/** The source has work and does nothing, while its heartbeats go on: nobody else can take the work over. */
export class SourceStalled extends Error {
  override readonly name = 'SourceStalled';
}

export interface ProgressWatchOptions {
  /** ms without progress, while there is something to do, after which a source counts as stalled. */
  readonly limitMs: number;
  /** ms that never go back. */
  readonly now: () => number;
}

/**
 * A process whose handler hangs is gone within 25 s: the looks take a tenth more than the limit, and the end its time. One
 * step of a handler takes less, whatever the stores do, unless their timeouts are set to more.
 */
export const DEFAULT_STALL_MS = 18_000;

/** Notices that a source no longer gets on: kafkajs may stop fetching (tulios/kafkajs#659), a handler may hang. */
export class ProgressWatch {
  readonly #options: ProgressWatchOptions;
  #last: number;

  constructor(options: ProgressWatchOptions) {
    this.#options = options;
    this.#last = options.now();
  }

  /** Something was delivered, acknowledged, given back or kept alive. */
  mark(): void {
    this.#last = this.#options.now();
  }

  /**
   * Watches until aborted.
   * @param isWaiting is there work: a batch in work, or messages to be had?
   * @throws SourceStalled
   */
  async watch(isWaiting: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const { limitMs, now } = this.#options;
    for (;;) {
      await pause(limitMs / 10, signal);
      if (signal.aborted) return;
      if (now() - this.#last < limitMs / 2) continue;
      if (!(await isWaiting())) this.mark();
      else if (now() - this.#last >= limitMs) {
        throw new SourceStalled(`no progress for ${Math.round(limitMs / 1000)} s, although tasks are waiting`);
      }
    }
  }
}
