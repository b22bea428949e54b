import { pause as realPause } from './loop.ts';

/** A source has work and does nothing, yet its heartbeats go on, so that no other process can take the work over. */
export class SourceStalled extends Error {
  override readonly name = 'SourceStalled';
}

interface StallDetectorOptions {
  /** A source counts as stalled after this long without progress while there is work, ms. */
  readonly limitMs: number;
  /** Monotonic clock, ms. */
  readonly now: () => number;
  /** Waits for so many ms, or until aborted; replaced in tests. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * A process whose handler hangs ends within 25 s: checking adds a tenth to the limit, and shutting down takes some time. One
 * step of a handler takes less than the limit, whatever the stores do, unless their timeouts are set higher.
 */
export const DEFAULT_STALL_MS = 18_000;

/** One call of a handler, which has to make progress by itself, whatever the calls beside it do. */
export interface WatchedCall {
  /** Records progress of the call, and so of the source. */
  mark(): void;
  end(): void;
}

/** Detects a source that makes no progress: kafkajs may stop fetching (tulios/kafkajs#659), a handler may hang. */
export class StallDetector {
  readonly #options: StallDetectorOptions;
  readonly #calls = new Set<{ last: number }>();
  #last: number;

  constructor(options: StallDetectorOptions) {
    this.#options = options;
    this.#last = options.now();
  }

  /** Records progress: something was delivered, acknowledged, given back or kept alive. */
  mark(): void {
    this.#last = this.#options.now();
  }

  /** A handler has been called. */
  begin(): WatchedCall {
    const call = { last: this.#options.now() };
    this.#calls.add(call);
    this.mark();
    return {
      mark: () => {
        this.mark();
        call.last = this.#last;
      },
      end: () => {
        this.mark();
        this.#calls.delete(call);
      },
    };
  }

  /**
   * Watches until aborted. Time in which the whole process was suspended (SIGSTOP, a paused virtual machine) does not count.
   * @param isWaiting are there messages to fetch?
   * @throws SourceStalled
   */
  async watch(isWaiting: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const { limitMs, now, pause = realPause } = this.#options;
    for (;;) {
      const [from, pauseMs] = [now(), limitMs / 10];
      await pause(pauseMs, signal);
      if (signal.aborted) return;
      this.#forgive(now() - from - pauseMs);
      const seconds = Math.round(limitMs / 1000);
      if ([...this.#calls].some(({ last }) => now() - last >= limitMs)) {
        throw new SourceStalled(`a batch has made no progress for ${seconds} s`);
      }
      const idleMs = now() - this.#last;
      if (idleMs < limitMs / 2) continue;
      if (this.#calls.size === 0 && !(await this.#answered(isWaiting))) this.mark();
      else if (idleMs >= limitMs) {
        throw new SourceStalled(`no progress for ${seconds} s, although tasks are waiting`);
      }
    }
  }

  /** The time in which it is asked does not count: the process may be suspended then, too. */
  async #answered(isWaiting: () => Promise<boolean>): Promise<boolean> {
    const { now } = this.#options;
    const from = now();
    const answer = await isWaiting();
    this.#forgive(now() - from);
    return answer;
  }

  /** Moves what was last recorded by time that does not count. */
  #forgive(ms: number): void {
    const now = this.#options.now();
    const moved = (last: number) => Math.min(now, last + Math.max(0, ms));
    this.#last = moved(this.#last);
    for (const call of this.#calls) call.last = moved(call.last);
  }
}
