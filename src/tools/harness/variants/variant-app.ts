import { randomUUID } from 'node:crypto';
import express, { type Express } from 'express';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { Access } from '../../../api/authorize.ts';
import { Exchanges } from '../../../api/exchange.ts';
import { ApiMetrics, type MeasuredParts } from '../../../api/metrics.ts';
import { register } from '../../../api/route.ts';
import { recentContactsRoute } from '../../../api/routes/recent-contacts.ts';
import { CONTACTS } from '../../../contracts/kind.ts';
import { FreshReads } from '../../../query/fresh-reads.ts';
import type { RecentContacts } from '../../../query/recent-contacts.ts';
import { RefreshNow } from '../../../query/refresh-now.ts';
import { USUAL_SITE } from '../../../site/site.ts';

const NOTHING: MeasuredParts = {
  plainQueries: { running: 0, queued: 0, refused: 0 },
  coldBuilds: [],
  fresh: { counts: { refreshed: 0, behind: 0, not_refreshed: 0, redis_unavailable: 0 } },
  applyNow: { counts: { applied: 0, published: 0 } },
  streams: { open: 0, counts: { told: 0, same: 0, failed: 0, slow: 0 } },
};

const now = () => performance.now();

const NO_REDIS = { isTrusted: () => false, during: () => Promise.reject(new Error('there is no index')) };

/** No change can be named: the variants answer from what they have. */
const NO_KINDS = new FreshReads({ refreshNow: new RefreshNow({ kinds: [], watch: NO_REDIS, now }), now });

const SLOW_MS = 60_000;
const DEADLINE_MS = 60_000;

/** The API's own application with another answer to the recency list, so that only the answer differs. */
export function variantApp(variant: Pick<RecentContacts, 'find'>, logger: Logger): Express {
  const metrics = new ApiMetrics(new Registry(), NOTHING);
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
  register(
    app,
    [recentContactsRoute(CONTACTS, variant, { fresh: NO_KINDS, site: USUAL_SITE }, metrics)],
    exchanges,
    new Access([]),
  );
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
