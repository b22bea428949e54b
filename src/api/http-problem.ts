import { type FieldError, PROBLEMS, type ProblemCode } from '../contracts/problem.ts';

export interface ProblemParts {
  /** Instead of the code's own words. Nothing of what went wrong inside. */
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log. */
  readonly cause?: unknown;
}

/** A request that cannot be answered as it was meant, in the words of the contract. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, { detail, errors = [], headers = {}, cause }: ProblemParts = {}) {
    const [status, words] = PROBLEMS[code];
    super(detail ?? words, { cause });
    this.code = code;
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }
}
