import { withTimeout } from '../timing/deadline.ts';

/** Checks one thing that the service needs. Resolves with a public detail if it is available, otherwise rejects. */
export type Check = () => Promise<string | undefined>;

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  /** The service cannot answer without it. */
  readonly needed: boolean;
  /** For people. Of a failure, only its kind: the route is public. */
  readonly detail: string | undefined;
  readonly ms: number;
}

export interface ReadinessOptions {
  readonly checks: Readonly<Record<string, Check>>;
  /** The names of the checks without which the service still answers (none). */
  readonly degrading?: readonly string[];
  /** Time limit of each check, ms. */
  readonly deadlineMs: number;
  /** Called with the error of a check that has just begun to fail. */
  readonly onFailure: (name: string, error: unknown) => void;
  /** Monotonic clock, ms. */
  readonly now: () => number;
}

/** The error of a check whose message is public. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Runs all checks concurrently. Callers in the meantime share the results, so frequent probes cost nothing. */
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
      return { name, ok: false, needed, detail: publicReason(error), ms: now() - from };
    }
  }
}

function publicReason(error: unknown): string {
  if (error instanceof NotReady) return error.message;
  return error instanceof Error ? error.name : 'failed';
}
