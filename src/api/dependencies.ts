import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AccessToken } from '../config/access-tokens.ts';
import type { Id } from '../contracts/id.ts';
import type { RebuildReport } from '../index/rebuild.ts';
import type { Explanation } from '../query/explain.ts';
import type { IndexInspection } from '../query/inspect-index.ts';
import type { RecentContacts } from '../query/recent-contacts.ts';
import type { RecentPhotos } from '../query/recent-photos.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { MeasuredParts } from './metrics.ts';
import type { Check } from './readiness.ts';
import type { AcceptTasks } from './routes/post-tasks.ts';

/** What the API is made of; the composition root brings it. */
export interface ApiDependencies extends MeasuredParts {
  readonly recentContacts: Pick<RecentContacts, 'find'>;
  readonly recentPhotos: Pick<RecentPhotos, 'find'>;
  readonly explain: (user: Id, contact: Id, deadline?: Deadline) => Promise<Explanation>;
  readonly inspect: (user: Id, deadline?: Deadline) => Promise<IndexInspection>;
  readonly rebuild: (user: Id, deadline?: Deadline) => Promise<RebuildReport>;
  /** Drops the user's index and pending work. */
  readonly forget: (user: Id) => Promise<void>;
  /** Resolves once the transport has the tasks. What it rejects with is answered with 503 and logged. */
  readonly accept: AcceptTasks;
  /** None: everything is allowed, so the API must listen on loopback only (`checkHost`). */
  readonly tokens: readonly AccessToken[];
  /** What must be there for requests to be sent here, by name. */
  readonly checks: Readonly<Record<string, Check>>;
  /** Those of the checks without which requests can be answered all the same. */
  readonly degrading: readonly string[];
  /** ms that each check may take. */
  readonly checkDeadlineMs: number;
  /** Until then only the routes of the service itself answer. */
  readonly hasStarted: () => boolean;
  /** Requests a second from one address; 0: no limit. */
  readonly rateLimit: number;
  /** The proxies whose X-Forwarded-For is believed: their addresses, or how many there are in a row. Undefined: none. */
  readonly trustProxy?: number | readonly string[] | undefined;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Requests that take longer are logged, ms. */
  readonly slowMs: number;
  /** For one request, ms: what is not answered then is a 503. */
  readonly deadlineMs: number;
  /** Of Recency, for the document. */
  readonly version: string;
  /** ms, monotonic. */
  readonly now: () => number;
  /** A fresh id for a request or a task. */
  readonly freshId: () => string;
}
