import { randomUUID } from 'node:crypto';
import express, { type Express } from 'express';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { Exchanges } from '../../../api/exchange.ts';
import { ApiMetrics, type MeasuredParts } from '../../../api/metrics.ts';
import { register } from '../../../api/route.ts';
import { recentContactsRoute } from '../../../api/routes/recent-contacts.ts';
import type { RecentContacts } from '../../../query/recent-contacts.ts';

const NOTHING: MeasuredParts = {
  plainQueries: { running: 0, queued: 0, refused: 0 },
  coldBuilds: { counts: { built: 0, failed: 0, dropped: 0 }, underWay: 0 },
};

const SLOW_MS = 60_000;
const DEADLINE_MS = 60_000;

/** The API's own application with another answer to the recency list, so that only the answer differs. */
export function variantApp(variant: Pick<RecentContacts, 'find'>, logger: Logger): Express {
  const metrics = new ApiMetrics(new Registry(), NOTHING);
  const now = () => performance.now();
  const exchanges = new Exchanges({
    metrics,
    logger,
    slowMs: SLOW_MS,
    deadlineMs: DEADLINE_MS,
    now,
    freshId: randomUUID,
  });
  const app = express();
  for (const setting of ['x-powered-by', 'etag', 'trust proxy']) app.disable(setting);
  app.set('query parser', 'simple');
  app.use((request, response, next) => {
    exchanges.begin(request, response);
    next();
  });
  register(app, [recentContactsRoute(variant, metrics)], exchanges, []);
  return app;
}

/** Bare Express with a route that returns an empty object. */
export function emptyApp(): Express {
  const app = express();
  for (const setting of ['x-powered-by', 'etag']) app.disable(setting);
  app.get('/v1/users/:user/contacts/recent', (_request, response) => {
    response.json({});
  });
  return app;
}
