import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { ProblemCode } from '../contracts/problem.ts';
import { Deadline } from '../timing/deadline.ts';
import { LineLimit } from '../timing/line-limit.ts';
import { traceParentOf } from '../tracing/trace-parent.ts';
import { beginSpan, isTracing, type LiveSpan } from '../tracing/tracing.ts';
import type { HttpProblem } from './http-problem.ts';
import type { ApiMetrics } from './metrics.ts';
import { problemReply, type Reply, send } from './reply.ts';

/** The state of one request. */
interface Exchange {
  readonly requestId: string;
  /** Monotonic time, ms. */
  readonly startedAt: number;
  /** The path pattern of its route. */
  route: string;
  /** Undefined: tracing is off, or the request is not traced. */
  span?: LiveSpan | undefined;
}

interface ExchangeOptions {
  readonly metrics: Pick<ApiMetrics, 'observe'>;
  readonly logger: Logger;
  /** Requests that take longer are logged, ms. */
  readonly slowMs: number;
  /** Time limit of one request, ms. */
  readonly deadlineMs: number;
  readonly now: () => number;
  readonly freshId: () => string;
}

/** The metrics label of all requests without a route: a label must have few values. */
const NO_ROUTE = 'none';

/** The status under which requests of disconnected clients are counted, as nginx does. It is never sent. */
const CLIENT_GONE = 499;
/** Minimum time between two log lines about the same kind of 503, ms. */
const UNAVAILABLE_EVERY_MS = 1_000;

/** Begins and ends every request: its id, deadline, answer, duration metric and, if slow or failed, log line. */
export class Exchanges {
  readonly #options: ExchangeOptions;
  readonly #unavailable: LineLimit;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#unavailable = new LineLimit({ everyMs: UNAVAILABLE_EVERY_MS, now: options.now });
  }

  /** Gives the request its id and start time. */
  begin(request: Request, response: Response): void {
    const { now, freshId } = this.#options;
    const exchange: Exchange = { requestId: requestIdOf(request, freshId), startedAt: now(), route: NO_ROUTE };
    Object.assign(response.locals, exchange);
  }

  /**
   * Goes on with a request within a span of its own, which continues the trace that the request's headers name. The span ends
   * with the answer; that of a stream, when the stream has begun.
   */
  trace(request: Request, response: Response, next: () => void): void {
    const span = isTracing() ? this.#beginSpan(request, response) : undefined;
    if (span === undefined) next();
    else span.run(next);
  }

  /** Sets the route of a request. @param route its path pattern */
  name({ method }: Request, response: Response, route: string): void {
    const exchange = exchangeOf(response);
    exchange.route = route;
    if (exchange.span === undefined) return;
    exchange.span.rename(`${method} ${route}`);
    exchange.span.set({ 'http.route': route });
  }

  /** The deadline of a request; it is cancelled when the client disconnects. */
  deadlineOf(response: Response): Deadline {
    const { now, deadlineMs } = this.#options;
    const deadline = new Deadline(exchangeOf(response).startedAt + deadlineMs - now());
    response.once('close', () => deadline.cancel()); // also emitted after the answer, when nothing is left to end
    return deadline;
  }

  /** Counts a request whose client has disconnected. There is nobody to answer. */
  abandon(request: Request, response: Response): void {
    const { startedAt, route, span } = exchangeOf(response);
    this.#options.metrics.observe(route, request.method, CLIENT_GONE, this.#options.now() - startedAt);
    span?.fail('client_gone');
    span?.end();
  }

  /** Sends the reply, measures the request, and logs it if it was slow. */
  answer(request: Request, response: Response, reply: Reply): void {
    const { requestId, startedAt, route, span } = exchangeOf(response);
    const { metrics, logger, slowMs, now } = this.#options;
    send(response, reply, requestId);
    const ms = now() - startedAt;
    metrics.observe(route, request.method, reply.status, ms);
    if (span !== undefined) endSpan(span, reply.status);
    if (ms > slowMs && reply.status !== 503)
      logger.warn({ requestId, method: request.method, route, status: reply.status, ms }, 'slow request');
  }

  /** Answers with a problem. Logs 5xx problems with their cause, which clients do not see. */
  refuse(request: Request, response: Response, problem: HttpProblem): void {
    const { requestId, route, startedAt } = exchangeOf(response);
    const { method } = request;
    const { status, code } = problem;
    const facts = { requestId, method, route, status, code };
    if (status === 503) this.#logUnavailable({ ...facts, ms: this.#options.now() - startedAt }, problem.cause);
    else if (status >= 500) this.#options.logger.error({ ...facts, err: problem.cause }, 'request failed');
    this.answer(request, response, problemReply(problem, requestId));
  }

  #beginSpan({ method, headers, protocol }: Request, response: Response): LiveSpan | undefined {
    const exchange = exchangeOf(response);
    const { requestId } = exchange;
    exchange.span = beginSpan(method, {
      kind: 'server',
      parent: traceParentOf(headers) ?? null,
      attributes: { 'http.request.method': method, 'url.scheme': protocol, 'recency.request_id': requestId },
      logFields: { requestId },
    });
    return exchange.span;
  }

  /** Logs one 503 per second and code: under overload there are thousands, all alike. */
  #logUnavailable(facts: { readonly code: ProblemCode; readonly ms: number }, cause: unknown): void {
    const leftOut = this.#unavailable.next(facts.code);
    if (leftOut !== undefined)
      this.#options.logger.warn({ ...facts, reason: reasonOf(cause), ...leftOut }, 'request failed');
  }
}

function endSpan(span: LiveSpan, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  span.end();
}

function reasonOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const reason = `${cause.name}: ${cause.message}`;
  const deeper = cause.cause instanceof Error ? cause.cause.message : '';
  return reason.includes(deeper) ? reason : `${reason} (${deeper})`;
}

function exchangeOf(response: Response): Exchange {
  return response.locals as unknown as Exchange;
}

/** Ids that are safe in a header, a log line and a search. */
const SAFE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the caller's X-Request-Id if it is safe, otherwise a fresh id. */
export function requestIdOf(request: IncomingMessage, fresh: () => string): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SAFE_ID.test(given) ? given : fresh();
}
