import { withTimeout } from '../timing/deadline.ts';

/** Whether one thing that the service needs is there. Resolves with what may be said of it to anybody; rejects: it is not. */
export type Check = () => Promise<string | undefined>;

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  /** Nothing can be answered without it. */
  readonly needed: boolean;
  /** For people; of a failure only its kind, because anybody may ask. */
  readonly detail: string | undefined;
  readonly ms: number;
}

export interface ReadinessOptions {
  readonly checks: Readonly<Record<string, Check>>;
  /** The names of the checks without which there are answers all the same (none). */
  readonly degrading?: readonly string[];
  /** ms that each check may take. */
  readonly deadlineMs: number;
  /** Called with what a check rejected with, whenever it did not the time before. */
  readonly onFailure: (name: string, error: unknown) => void;
  /** ms, monotonic. */
  readonly now: () => number;
}

/** Rejected with by a check whose reason may be told to anybody. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Runs every check side by side; whoever asks meanwhile gets the same results, so asking often costs nothing. */
export class Readiness {
  readonly #options: ReadinessOptions;
  readonly #failing = new Set<string>();
  #running: Promise<CheckResult[]> | undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  check(): Promise<readonly CheckResult[]> {
    this.#running ??= this.#checkAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  #checkAll(): Promise<CheckResult[]> {
    return Promise.all(Object.entries(this.#options.checks).map(([name, check]) => this.#checkOne(name, check)));
  }

  async #checkOne(name: string, check: Check): Promise<CheckResult> {
    const { now, deadlineMs, onFailure, degrading = [] } = this.#options;
    const needed = !degrading.includes(name);
    const from = now();
    try {
      const detail = await withTimeout(check(), deadlineMs, () => new NoAnswer(`no answer within ${deadlineMs} ms`));
      this.#failing.delete(name);
      return { name, ok: true, needed, detail, ms: now() - from };
    } catch (error) {
      if (!this.#failing.has(name)) onFailure(name, error);
      this.#failing.add(name);
      return { name, ok: false, needed, detail: toldOf(error), ms: now() - from };
    }
  }
}

function toldOf(error: unknown): string {
  if (error instanceof NotReady) return error.message;
  return error instanceof Error ? error.name : 'failed';
}
