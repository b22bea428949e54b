import { withTimeout } from '../timing/deadline.ts';

/** Checks one thing that the service needs. Resolves with a public detail if it is available, otherwise rejects. */
export type Check = () => Promise<string | undefined>;

/** What is worth saying of the service, but does not decide whether it answers: a backlog, the epoch. */
export interface Reported {
  readonly state: 'fine' | 'warning' | 'problem';
  /** For people, and public. */
  readonly detail: string;
}

/** Reads what it reports. What it throws means that it is not known. */
export type Report = () => Promise<Reported>;

export interface ReportResult extends Reported {
  readonly name: string;
  readonly ms: number;
}

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  /** The service cannot answer without it. */
  readonly needed: boolean;
  /** For people. Of a failure, only its kind: the route is public. */
  readonly detail: string | undefined;
  readonly ms: number;
}

interface ReadinessOptions {
  readonly checks: Readonly<Record<string, Check>>;
  /** The names of the checks without which the service still answers (none). */
  readonly degrading?: readonly string[];
  /** By names that no check has. */
  readonly reports?: Readonly<Record<string, Report>>;
  /** Time limit of each check and report, ms. */
  readonly deadlineMs: number;
  /** Called with the error of a check or report that has just begun to fail. */
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

/** Runs all checks, or reports, concurrently. Callers in the meantime share the results, so frequent probes cost nothing. */
export class Readiness {
  readonly #options: ReadinessOptions;
  readonly #failing = new Set<string>();
  #checking: Promise<CheckResult[]> | undefined;
  #reporting: Promise<ReportResult[]> | undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  check(): Promise<readonly CheckResult[]> {
    const { checks } = this.#options;
    this.#checking ??= Promise.all(Object.entries(checks).map(([name, check]) => this.#check(name, check))).finally(
      () => {
        this.#checking = undefined;
      },
    );
    return this.#checking;
  }

  report(): Promise<readonly ReportResult[]> {
    const { reports = {} } = this.#options;
    this.#reporting ??= Promise.all(
      Object.entries(reports).map(([name, report]) => this.#report(name, report)),
    ).finally(() => {
      this.#reporting = undefined;
    });
    return this.#reporting;
  }

  async #check(name: string, check: Check): Promise<CheckResult> {
    const needed = !(this.#options.degrading ?? []).includes(name);
    const { value: detail, reason, ms } = await this.#run(name, check);
    return { name, ok: reason === undefined, needed, detail: reason ?? detail, ms };
  }

  async #report(name: string, report: Report): Promise<ReportResult> {
    const { value, reason, ms } = await this.#run(name, report);
    const { state, detail } = value ?? { state: 'problem', detail: `not known: ${reason}` };
    return { name, state, detail, ms };
  }

  async #run<T>(name: string, work: () => Promise<T>): Promise<Ran<T>> {
    const { now, deadlineMs, onFailure } = this.#options;
    const from = now();
    try {
      const value = await withTimeout(work(), deadlineMs, () => new NoAnswer(`no answer within ${deadlineMs} ms`));
      this.#failing.delete(name);
      return { value, ms: now() - from };
    } catch (error) {
      if (!this.#failing.has(name)) onFailure(name, error);
      this.#failing.add(name);
      return { reason: publicReason(error), ms: now() - from };
    }
  }
}

/** With a reason: it failed. */
interface Ran<T> {
  readonly value?: T;
  readonly reason?: string;
  readonly ms: number;
}

function publicReason(error: unknown): string {
  if (error instanceof NotReady) return error.message;
  return error instanceof Error ? error.name : 'failed';
}
