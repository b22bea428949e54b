import { type FieldError, PROBLEMS, type ProblemCode } from '../contracts/problem.ts';
import { DatabaseBusy, DatabaseUnavailable, HeavyQueriesBusy, StatementTooSlow } from '../mysql/database.ts';
import { isRefused } from '../mysql/faults.ts';
import { isWithoutRedis } from '../redis/unavailable.ts';
import { DeadlineExceeded } from '../timing/deadline.ts';

interface ProblemParts {
  /** Replaces the code's default detail. Clients see it, so it must not expose internals. */
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only. */
  readonly cause?: unknown;
}

/** A request that fails with a problem of the contract (RFC 9457). */
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

/** Errors of the lower layers, which know nothing of HTTP. The order matters: some are subclasses of the next. */
const UNAVAILABLE: readonly [new (...args: never[]) => Error, ProblemCode][] = [
  [HeavyQueriesBusy, 'plain_query_limit'],
  [DatabaseBusy, 'database_busy'],
  [DatabaseUnavailable, 'database_unavailable'],
  [StatementTooSlow, 'deadline_exceeded'],
  [DeadlineExceeded, 'deadline_exceeded'],
];

/** Errors of express and its body parser, by `type`. */
const OF_EXPRESS: Readonly<Record<string, ProblemCode>> = {
  'entity.parse.failed': 'malformed_json',
  'entity.too.large': 'body_too_large',
  'encoding.unsupported': 'unsupported_media_type',
  'charset.unsupported': 'unsupported_media_type',
};

/** Errors of express without a known `type`. */
const OF_STATUS: Readonly<Record<number, ProblemCode>> = { 413: 'body_too_large', 415: 'unsupported_media_type' };

const RETRY_SECONDS = 1;

/** Maps an error to its HTTP problem; this is the only place that does. Unknown errors are our own fault: `internal`. */
export function problemOf(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const unavailable = UNAVAILABLE.find(([kind]) => error instanceof kind);
  if (unavailable) return unavailableProblem(unavailable[1], error);
  if (isWithoutRedis(error)) return unavailableProblem('redis_unavailable', error);
  const code = isRefused(error) ? 'database_refused' : codeOfExpress(error);
  return new HttpProblem(code ?? 'internal', { cause: error });
}

/** A 503 with Retry-After. */
export function unavailableProblem(code: ProblemCode, cause?: unknown, retrySeconds = RETRY_SECONDS): HttpProblem {
  return new HttpProblem(code, { headers: { 'Retry-After': String(retrySeconds) }, cause });
}

function codeOfExpress(error: unknown): ProblemCode | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type, status } = error as Error & { type?: unknown; status?: unknown };
  const known = typeof type === 'string' ? OF_EXPRESS[type] : undefined;
  if (known !== undefined || typeof status !== 'number') return known;
  return OF_STATUS[status] ?? (status >= 400 && status < 500 ? 'malformed_request' : undefined);
}
