import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Id } from '../contracts/id.ts';
import type { Kind } from '../contracts/kind.ts';
import type { RebuildReport } from '../index/rebuild.ts';
import type { FanOutInProgress } from '../index/redis/fan-out-progress.ts';
import type { WatchManager } from '../push/watch-manager.ts';
import type { ApplyNow } from '../query/apply-now.ts';
import type { Explanation } from '../query/explain.ts';
import type { FreshReads } from '../query/fresh-reads.ts';
import type { IndexInspection } from '../query/inspect-index.ts';
import type { MarkSeen } from '../query/mark-seen.ts';
import type { RecentBatch } from '../query/recent-batch.ts';
import type { RecentContacts } from '../query/recent-contacts.ts';
import type { RecentPhotos } from '../query/recent-photos.ts';
import type { SourcePhotos } from '../query/source-photos.ts';
import type { Site } from '../site/site.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { DeadLetters } from '../transport/dead-letters.ts';
import type { Access } from './authorize.ts';
import type { MeasuredParts } from './metrics.ts';
import type { Check, Readiness, Report } from './readiness.ts';
import type { Route } from './route.ts';
import type { AcceptTasks } from './routes/post-tasks.ts';
import type { Streams } from './streams/streams.ts';

/** The indexes of one kind. */
export interface KindIndexes {
  readonly explain: (user: Id, contact: Id, deadline?: Deadline) => Promise<Explanation>;
  readonly inspect: (user: Id, deadline?: Deadline) => Promise<IndexInspection>;
  readonly rebuild: (user: Id, deadline?: Deadline) => Promise<RebuildReport>;
}

/** The answers about one kind. */
export interface KindAnswers {
  readonly kind: Kind;
  readonly recentContacts: Pick<RecentContacts, 'find'>;
  readonly recentPhotos: Pick<RecentPhotos, 'find'>;
  readonly recentBatch: Pick<RecentBatch, 'find'>;
  readonly sourcePhotos: Pick<SourcePhotos, 'find'>;
}

/** What the API needs from the composition root. */
export interface ApiDependencies extends MeasuredParts {
  readonly site: Site;
  /** The answers about each kind in use, and its indexes: contacts first. */
  readonly answers: readonly (KindAnswers & KindIndexes)[];
  /** Reads that show the changes that a request names. */
  readonly fresh: Pick<FreshReads, 'read' | 'kinds' | 'counts'>;
  /** Applies tasks before the reply. */
  readonly applyNow: Pick<ApplyNow, 'apply' | 'counts'>;
  readonly seen: Pick<MarkSeen, 'mark'>;
  readonly watches: Pick<WatchManager, 'create' | 'find' | 'ofUser' | 'change' | 'remove' | 'test'>;
  /** May a webhook go to a private address, and by http? */
  readonly allowPrivateWebhooks: boolean;
  readonly deadLetters: Pick<DeadLetters, 'list' | 'get' | 'replay' | 'discard'>;
  /** The open streams. The server that listens starts and ends them. */
  readonly streams: Pick<Streams, 'reply' | 'open' | 'counts'>;
  /** The large fan-outs in progress. */
  readonly fanOuts: (deadline: Deadline) => Promise<readonly FanOutInProgress[]>;
  /** Drops the user's indexes of every kind, and pending work. */
  readonly forget: (user: Id) => Promise<void>;
  /** Resolves once the transport has the tasks. A rejection is answered with 503 and logged. */
  readonly accept: AcceptTasks;
  /** Without tokens everything is allowed, so the API listens only on loopback (`checkHost`). */
  readonly access: Access;
  /** Readiness checks, by name. */
  readonly checks: Readonly<Record<string, Check>>;
  /** The names of the checks whose failure only degrades the API. */
  readonly degrading: readonly string[];
  /** What /readyz?verbose also says, by name. */
  readonly reports: Readonly<Record<string, Report>>;
  /** Routes for browsers, which are not in the OpenAPI document; left out: none. */
  readonly pages?: ((readiness: Pick<Readiness, 'check'>) => readonly Route[]) | undefined;
  /** Time limit of each check and report, ms. */
  readonly checkDeadlineMs: number;
  /** Until it returns true, /v1 answers 503. */
  readonly isAnswering: () => boolean;
  /** What /startupz says. */
  readonly hasStarted: () => boolean;
  /** Requests per second from one address; 0: no limit. */
  readonly rateLimit: number;
  /** The proxies whose X-Forwarded-For is trusted: their addresses, or the number of hops. Undefined: none. */
  readonly trustProxy?: number | readonly string[] | undefined;
  readonly registry: Registry;
  /** The text of all metrics; left out: those of the registry. */
  readonly readMetrics?: () => Promise<string>;
  readonly logger: Logger;
  /** Requests that take longer are logged, ms. */
  readonly slowMs: number;
  /** Time limit of one request, ms; then it is answered with 503. */
  readonly deadlineMs: number;
  /** Recency's version, for the OpenAPI document. */
  readonly version: string;
  /** Monotonic clock, ms. */
  readonly now: () => number;
  /** Returns a fresh id for a request or a task. */
  readonly freshId: () => string;
}
