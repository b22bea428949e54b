/** How a process ends: by which signals, and what stops first. */
import process from 'node:process';

/** How long what accepts work may take to stop, ms. */
export interface StopTimes {
  /** It goes on accepting for so long, and tells those who send work to send it elsewhere. */
  readonly drainMs: number;
  /** Then it stops accepting, and finishes what it has accepted within this time. */
  readonly graceMs: number;
}

/** What accepts work from others. It stops before anything that it needs is closed. */
export class Intakes {
  readonly #accepting: ((times: StopTimes) => Promise<void>)[] = [];

  get isEmpty(): boolean {
    return this.#accepting.length === 0;
  }

  add(stop: (times: StopTimes) => Promise<void>): void {
    this.#accepting.push(stop);
  }

  async stop(times: StopTimes): Promise<void> {
    await Promise.all(this.#accepting.splice(0).map((stop) => stop(times)));
  }
}

/** Share of the time to end after which what waits for a server is given up, and after which requests are cut off. */
const LATE = 0.5;
const CUT = 0.75;

/** What a process has open, and the order in which it stops. */
export class OpenProcess {
  readonly intakes = new Intakes();
  readonly resources = new AsyncDisposableStack();
  readonly #stopping = new AbortController();
  readonly #late = new AbortController();
  /** Aborted once the intakes have stopped. */
  readonly signal = this.#stopping.signal;
  /** Aborted when half of the time to end is over. */
  readonly late = this.#late.signal;

  /** @param withinMs the time for all of it @param drainMs part of that @param started settles when its start is over */
  async close({ withinMs, drainMs, started }: CloseOptions): Promise<void> {
    const leftMs = withinMs - drainMs;
    setTimeout(() => this.#late.abort(), drainMs + LATE * leftMs).unref();
    await this.intakes.stop({ drainMs, graceMs: CUT * leftMs });
    this.#stopping.abort();
    await started;
    await this.closeAtOnce(); // the start may have gone on meanwhile
  }

  /** Requests that are answered are cut off. */
  async closeAtOnce(): Promise<void> {
    await this.intakes.stop({ drainMs: 0, graceMs: 0 });
    await this.resources.disposeAsync();
  }
}

interface CloseOptions {
  readonly withinMs: number;
  readonly drainMs: number;
  readonly started: Promise<void>;
}

const ENDING = ['SIGINT', 'SIGTERM'] as const;

/** npm, `timeout` and some supervisors send a signal twice; a signal this soon after the first one is ignored, ms. */
const SAME_MS = 1_000;

interface SignalHandlers {
  readonly onFirst: (signal: NodeJS.Signals) => void;
  /** SIGINT or SIGTERM again: the sender does not want to wait any longer. */
  readonly onSecond: (signal: NodeJS.Signals) => void;
}

/**
 * Listens to SIGINT and SIGTERM.
 * @param others further signals that end, and do nothing once the end has begun
 * @returns stops listening
 */
export function onEndingSignals(
  { onFirst, onSecond }: SignalHandlers,
  others: readonly NodeJS.Signals[] = [],
): () => void {
  const all = [...ENDING, ...others];
  let first: number | undefined;
  const hear = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = performance.now();
      onFirst(signal);
    } else if (!others.includes(signal) && performance.now() - first > SAME_MS) onSecond(signal);
  };
  for (const signal of all) process.on(signal, hear);
  return () => {
    for (const signal of all) process.off(signal, hear);
  };
}
