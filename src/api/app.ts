import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { CONTACTS, KINDS, type Kind } from '../contracts/kind.ts';
import { watchRoutes } from '../push/routes.ts';
import { RequestCancelled } from '../timing/deadline.ts';
import type { ApiDependencies, KindAnswers, KindIndexes } from './dependencies.ts';
import { Exchanges } from './exchange.ts';
import { HttpProblem, problemOf, unavailableProblem } from './http-problem.ts';
import { hostHeaderCheck } from './listen.ts';
import { ApiMetrics } from './metrics.ts';
import { Readiness } from './readiness.ts';
import { type Route, register } from './route.ts';
import { countUnseenOfAllRoute, countUnseenRoute } from './routes/count-unseen.ts';
import { deadLetterRoutes } from './routes/dead-letters.ts';
import { docsRoutes, openApiRoute } from './routes/docs.ts';
import { explainRoute } from './routes/explain.ts';
import { healthRoutes, metricsRoute } from './routes/health.ts';
import { listFanOutsRoute } from './routes/list-fan-outs.ts';
import { markSeenRoutes } from './routes/mark-seen.ts';
import { postTasksRoute } from './routes/post-tasks.ts';
import { recentContactsRoute } from './routes/recent-contacts.ts';
import { recentOfManyRoute } from './routes/recent-of-many.ts';
import { recentOverKindsRoutes } from './routes/recent-over-kinds.ts';
import { recentPhotosRoute } from './routes/recent-photos.ts';
import { sourcePhotosRoute } from './routes/source-photos.ts';
import { streamOverKindsRoute, streamRecentRoute } from './routes/stream-recent.ts';
import {
  forgetIndexRoute,
  inspectContactsRoute,
  inspectIndexRoute,
  rebuildContactsRoute,
  rebuildIndexRoute,
} from './routes/user-index.ts';

const V1 = /^\/v1(?:\/|$)/;

/** The HTTP API. It does not listen yet: see `startApi`. */
export function createApp(dependencies: ApiDependencies): Express {
  const { registry, logger, access, rateLimit, trustProxy, isAnswering } = dependencies;
  const metrics = new ApiMetrics(registry, dependencies);
  const exchanges = new Exchanges({ ...dependencies, metrics });
  const app = express();
  // Paths match exactly, and X-Forwarded-For is trusted only from the named proxies.
  app.disable('x-powered-by');
  app.set('trust proxy', trustProxy ?? false);
  for (const setting of ['strict routing', 'case sensitive routing']) app.enable(setting);
  app.set('query parser', 'simple');

  const checkHostHeader = hostHeaderCheck(access);
  // One handler for all three: express takes 0.45 µs for each that it calls.
  app.use((request, response, next) => {
    exchanges.begin(request, response);
    checkHostHeader(request);
    const isV1 = V1.test(request.path);
    if (!isAnswering() && isV1) throw unavailableProblem('starting');
    if (isV1) exchanges.trace(request, response, next);
    else next(); // probes and scrapes come every few seconds and say nothing
  });
  if (rateLimit > 0) {
    app.use(['/v1', '/console'], limitRate(rateLimit));
    app.use(['/metrics', '/readyz'], limitRate(rateLimit)); // counted separately: a busy client must not make probes fail
  }
  register(app, routesOf(dependencies, metrics), exchanges, access);
  app.use(noRoute);
  app.use(failed(exchanges));
  logger.debug('the API is ready to listen');
  return app;
}

/** All routes, the busiest first, because express tries them in order. */
function routesOf(dependencies: ApiDependencies, metrics: ApiMetrics): Route[] {
  const { site, answers, fresh, seen } = dependencies;
  const { checks, degrading, reports, checkDeadlineMs, now, logger, hasStarted, registry, version } = dependencies;
  const onFailure = (check: string, err: unknown) => logger.warn({ check, err }, 'a check for /readyz fails');
  const answersOf = ({ name }: Kind) => answers.find(({ kind }) => kind.name === name);
  const readiness = new Readiness({ checks, degrading, reports, deadlineMs: checkDeadlineMs, onFailure, now });
  const routes = [
    ...KINDS.flatMap((kind) => [
      recentContactsRoute(kind, answersOf(kind)?.recentContacts, dependencies, metrics),
      recentPhotosRoute(kind, answersOf(kind)?.recentPhotos, dependencies, metrics),
      sourcePhotosRoute(kind, answersOf(kind)?.sourcePhotos, fresh, metrics),
    ]),
    ...recentOverKindsRoutes(answers, { fresh, metrics }),
    ...KINDS.map((kind) => streamRecentRoute(kind, answersOf(kind), dependencies)),
    streamOverKindsRoute(answers, dependencies),
    recentOfManyRoute(answers, dependencies, metrics, (problem, requestId) => {
      const { status, code, cause: err } = problem;
      logger[status === 503 ? 'debug' : 'error']({ requestId, status, code, err }, 'a user of many was not answered');
    }),
    ...KINDS.map((kind) => explainRoute(kind, answersOf(kind)?.explain)),
    ...KINDS.map((kind) => countUnseenRoute(kind, answersOf(kind), dependencies, metrics)),
    countUnseenOfAllRoute(answers, fresh, metrics),
    ...markSeenRoutes(seen, site.kinds),
    postTasksRoute(dependencies),
    ...indexRoutes(dependencies, answersOf),
    ...deadLetterRoutes(dependencies.deadLetters, (facts) =>
      logger.info(facts, 'dead letters were replayed or discarded over the API'),
    ),
    ...watchRoutes(dependencies),
    ...healthRoutes(readiness, hasStarted),
    metricsRoute(registry, dependencies.readMetrics ?? (() => registry.metrics())),
    ...docsRoutes(),
  ];
  return [
    ...routes,
    openApiRoute(
      routes.map(({ operation }) => operation),
      version,
    ),
    ...(dependencies.pages?.(readiness) ?? []),
  ];
}

/** For the people who run it. */
function indexRoutes(
  { forget, fanOuts }: ApiDependencies,
  answersOf: (kind: Kind) => (KindAnswers & KindIndexes) | undefined,
): Route[] {
  return [
    inspectContactsRoute(answersOf(CONTACTS)?.inspect),
    forgetIndexRoute(forget),
    listFanOutsRoute(fanOuts),
    rebuildContactsRoute(answersOf(CONTACTS)),
    ...KINDS.flatMap((kind) => [
      inspectIndexRoute(kind, answersOf(kind)?.inspect),
      rebuildIndexRoute(kind, answersOf(kind)),
    ]),
  ];
}

const noRoute: RequestHandler = () => {
  throw new HttpProblem('not_found');
};

/** The last handler turns errors into problems. A partial answer is cut off, so that nobody takes it for a whole one. */
function failed(exchanges: Exchanges): ErrorRequestHandler {
  return (error, request, response, _next) => {
    if (error instanceof RequestCancelled) exchanges.abandon(request, response);
    else if (response.headersSent) response.destroy();
    else exchanges.refuse(request, response, problemOf(error));
  };
}

/** The prefix length of an IPv6 site, which has more addresses than could be limited one by one. */
const IPV6_SUBNET = 56;

/**
 * Limits the requests of one address. Counts in this process's memory, and lets requests through if it cannot count: a
 * limit must not cause an outage.
 * @param perSecond requests, > 0
 */
function limitRate(perSecond: number): RequestHandler {
  return rateLimit({
    windowMs: 1_000,
    limit: perSecond,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    passOnStoreError: true,
    ipv6Subnet: IPV6_SUBNET,
    validate: false,
    handler: (_request, _response, next) => next(new HttpProblem('rate_limited', { headers: { 'Retry-After': '1' } })),
  });
}
