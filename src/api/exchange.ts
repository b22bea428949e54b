import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { ProblemCode } from '../contracts/problem.ts';
import { Deadline } from '../timing/deadline.ts';
import type { HttpProblem } from './http-problem.ts';
import type { ApiMetrics } from './metrics.ts';
import { problemReply, type Reply, send } from './reply.ts';

/** What is known of a request while it is in work. */
interface Exchange {
  readonly requestId: string;
  /** ms, monotonic. */
  readonly startedAt: number;
  /** The pattern of its route. */
  route: string;
}

export interface ExchangeOptions {
  readonly metrics: Pick<ApiMetrics, 'observe'>;
  readonly logger: Logger;
  readonly slowMs: number;
  /** For one request, ms. */
  readonly deadlineMs: number;
  readonly now: () => number;
  readonly freshId: () => string;
}

/** A label must have few values, so whatever nobody knows has one for all. */
const NO_ROUTE = 'none';

/** What nginx counts such requests as; it is never sent. */
const CLIENT_GONE = 499;
/** ms between two log lines about one kind of 503. */
const UNAVAILABLE_EVERY_MS = 1_000;

/** The beginning and the end of every request: its id, its answer, its time, and a line in the log when it is worth one. */
export class Exchanges {
  readonly #options: ExchangeOptions;
  readonly #unavailable = new Map<ProblemCode, { readonly at: number; leftOut: number }>();

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  readonly begin: RequestHandler = (request, response, next) => {
    const { now, freshId } = this.#options;
    const exchange: Exchange = { requestId: requestIdOf(request, freshId), startedAt: now(), route: NO_ROUTE };
    Object.assign(response.locals, exchange);
    next();
  };

  /** @param route its pattern, once it is known */
  name(response: Response, route: string): void {
    exchangeOf(response).route = route;
  }

  /** Of a request whose answer is about to be worked out. */
  deadlineOf(response: Response): Deadline {
    const { now, deadlineMs } = this.#options;
    const deadline = new Deadline(exchangeOf(response).startedAt + deadlineMs - now());
    response.once('close', () => deadline.cancel()); // when it is answered, too: then nothing is left to be ended
    return deadline;
  }

  /** The client has disconnected: there is nobody to be told. */
  abandon(request: Request, response: Response): void {
    const { startedAt, route } = exchangeOf(response);
    this.#options.metrics.observe(route, request.method, CLIENT_GONE, this.#options.now() - startedAt);
  }

  answer(request: Request, response: Response, reply: Reply): void {
    const { requestId, startedAt, route } = exchangeOf(response);
    const { metrics, logger, slowMs, now } = this.#options;
    send(response, reply, requestId);
    const ms = now() - startedAt;
    metrics.observe(route, request.method, reply.status, ms);
    if (ms > slowMs && reply.status !== 503)
      logger.warn({ requestId, method: request.method, route, status: reply.status, ms }, 'slow request');
  }

  /** Answers with a problem. What is the service's own fault is logged, with what nobody else is told. */
  refuse(request: Request, response: Response, problem: HttpProblem): void {
    const { requestId, route, startedAt } = exchangeOf(response);
    const { method } = request;
    const { status, code } = problem;
    const told = { requestId, method, route, status, code };
    if (status === 503) this.#logUnavailable({ ...told, ms: this.#options.now() - startedAt }, problem.cause);
    else if (status >= 500) this.#options.logger.error({ ...told, err: problem.cause }, 'request failed');
    this.answer(request, response, problemReply(problem, requestId));
  }

  /** Under overload there are thousands a second, all alike: one a second of each code is logged, and how many were left out. */
  #logUnavailable(told: { readonly code: ProblemCode; readonly ms: number }, cause: unknown): void {
    const { logger, now } = this.#options;
    const last = this.#unavailable.get(told.code);
    if (last !== undefined && now() - last.at < UNAVAILABLE_EVERY_MS) {
      last.leftOut += 1;
      return;
    }
    this.#unavailable.set(told.code, { at: now(), leftOut: 0 });
    const leftOut = last?.leftOut ?? 0;
    logger.warn({ ...told, reason: reasonOf(cause), ...(leftOut > 0 ? { leftOut } : {}) }, 'request failed');
  }
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

/** Fit for a header, a log line and a search in one. */
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The id that the caller gave the request in X-Request-Id, when it is sane; otherwise a fresh one. */
export function requestIdOf(request: IncomingMessage, fresh: () => string): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : fresh();
}
