import type { components } from './openapi.ts';

export type Problem = components['schemas']['Problem'];

/** The stable codes of problems. A newer server may have more. */
export type ProblemCode = Problem['code'] | (string & {});

/** Every error that this package throws on purpose. One that the caller's own AbortSignal causes is that signal's reason. */
export abstract class RecencyError extends Error {}

/** The API refused the request, with problem details (RFC 9457), and repeating it did not help or is not allowed. */
export class RecencyProblem extends RecencyError {
  override readonly name = 'RecencyProblem';
  /** As the API sent it: every invalid field is in `errors`. */
  readonly problem: Problem;
  /** How long the API asks to wait before the next attempt, ms; undefined: it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Problem, retryAfterMs: number | undefined) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`);
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  /** Stable: branch on this. */
  get code(): ProblemCode {
    return this.problem.code;
  }

  get status(): number {
    return this.problem.status;
  }

  /** The first invalid field; undefined: the problem concerns none. */
  get field(): string | undefined {
    return this.problem.field;
  }

  /** By which the API's log finds the request. */
  get requestId(): string {
    return this.problem.request_id;
  }
}

/** No answer came: the connection was refused, broken or never made. The cause says why. */
export class RecencyUnreachable extends RecencyError {
  override readonly name = 'RecencyUnreachable';

  constructor(url: string, cause: unknown) {
    super(`no answer from ${url}: ${reasonOf(cause)}`, { cause });
  }
}

/** The call's deadline passed before an answer came. The cause is the failure of the attempt before, if there was one. */
export class RecencyDeadlineExceeded extends RecencyError {
  override readonly name = 'RecencyDeadlineExceeded';

  constructor(deadlineMs: number, cause: unknown) {
    super(`no answer within ${deadlineMs} ms`, { cause });
  }
}

/** An answer that is not the API's: a proxy's error page, a redirect, JSON that was cut off. */
export class RecencyUnexpectedReply extends RecencyError {
  override readonly name = 'RecencyUnexpectedReply';
  readonly status: number;
  /** As for {@link RecencyProblem}: a proxy may say it too. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, what: string, retryAfterMs?: number) {
    super(`the answer (status ${status}) is not one of the Recency API: ${what}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** 304: the caller has the answer already whose entity tag it sent as If-None-Match. */
export class RecencyNotModified extends RecencyError {
  override readonly name = 'RecencyNotModified';

  constructor() {
    super('the answer is the one that If-None-Match names');
  }
}

/** A value that the caller gave is wrong; nothing was sent or written. The message names the field. */
export class InvalidArgument extends RecencyError {
  override readonly name = 'InvalidArgument';
  /** The field at fault: `user`, `contact`, `version`. */
  readonly field: string;

  constructor(field: string, what: string) {
    super(`${field} ${what}`);
    this.field = field;
  }
}

/** The message of the innermost cause: fetch itself says no more than "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || error.name;
}
