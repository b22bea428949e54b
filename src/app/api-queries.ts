import type { ApiDependencies, KindIndexes } from '../api/dependencies.ts';
import type { Id } from '../contracts/id.ts';
import type { ContactIndex, Limits } from '../index/contact-index.ts';
import type { RedisTrust } from '../index/epoch-watch.ts';
import { FanOutProgress } from '../index/redis/fan-out-progress.ts';
import { trustedReads } from '../index/trusted-reads.ts';
import type { Database } from '../mysql/database.ts';
import type { ReplicaWaits } from '../mysql/replica-waits.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { ApplyNow } from '../query/apply-now.ts';
import { buildOn } from '../query/cold-builds.ts';
import { explain } from '../query/explain.ts';
import { FreshReads } from '../query/fresh-reads.ts';
import { inspectIndex } from '../query/inspect-index.ts';
import { MarkSeen } from '../query/mark-seen.ts';
import type { IndexLag } from '../query/recent-answer.ts';
import { RecentBatch } from '../query/recent-batch.ts';
import { RecentContacts, type RecentContactsOptions } from '../query/recent-contacts.ts';
import { RecentPhotos } from '../query/recent-photos.ts';
import { type RefreshedKind, RefreshNow } from '../query/refresh-now.ts';
import { type SmallUsers, smallUsersOf } from '../query/small-users.ts';
import { SourcePhotos } from '../query/source-photos.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import { openColdUsers, type QueryContext } from './cold-users.ts';
import { openReplicaWaits } from './open-mysql.ts';
import { TIMES } from './run-process.ts';
import { limitsOf } from './shared-sizes.ts';
import type { KindStores, Stores } from './stores.ts';

type Queries = Pick<
  ApiDependencies,
  'answers' | 'fresh' | 'applyNow' | 'replicaWaits' | 'seen' | 'forget' | 'fanOuts' | 'plainQueries' | 'coldBuilds'
>;

const now = () => performance.now();

interface AnswersFrom {
  /** The database that answers: the primary, or a replica. */
  readonly reading: Database;
  /** How far the indexes may be behind, ms; undefined: not known. */
  readonly lagMs: () => number | undefined;
  readonly readerDayMs?: number;
}

/** The queries and commands of the API. */
export function apiQueries(
  context: QueryContext,
  stores: Stores,
  { reading, lagMs, readerDayMs = TIMES.readerDayMs }: AnswersFrom,
): Queries {
  const { exactWithinMs } = context.config;
  const { primary, redis, kinds, unused, watch } = stores;
  const onFault = (err: unknown) =>
    context.logger.debug({ err }, 'a task could not be applied at once; it is published');
  const fanOuts = new FanOutProgress(redis, context.config.keyPrefix);
  const replicaWaits = reading === primary ? undefined : openReplicaWaits(context, reading);
  const servers = { isReplica: reading !== primary, reading, lag: { lagMs, exactWithinMs }, watch, readerDayMs };
  const queries = kinds.map((parts) => kindQueries(context, parts, servers));
  return {
    answers: queries,
    ...readYourWrites({ kinds, primary, watch, onFault }, replicaWaits),
    replicaWaits,
    seen: new MarkSeen({ database: primary }),
    fanOuts: (deadline) => withinDeadline(deadline, fanOuts.list(Date.now())),
    forget: async (user) => {
      for (const { forget } of queries) await forget(user);
      for (const { steps } of unused) await steps.forget([user]);
    },
    coldBuilds: queries.map(({ coldBuilds }) => coldBuilds),
    plainQueries: primary.heavy,
  };
}

interface AnsweringServers extends Pick<AnswersFrom, 'reading'> {
  readonly lag: IndexLag;
  readonly isReplica: boolean;
  readonly readerDayMs: number;
  readonly watch: Stores['watch'];
}

/** The queries and commands about one kind. */
function kindQueries(
  context: QueryContext,
  parts: KindStores,
  { isReplica, readerDayMs, watch, lag, ...servers }: AnsweringServers,
) {
  const { config, logger } = context;
  const { kind, primary, index, steps, delayed } = parts;
  const reading = isReplica ? { server: servers.reading, statements: primary.statements } : primary;
  const trusted = trustedReads(index, watch);
  const small = smallUsersOf(reading, config);
  const { mysqlTimeoutMs } = config;
  const build = buildOn({ steps, delayed }, { mysqlTimeoutMs, onSmall: (user) => small?.note(user) });
  const sources = { index: trusted, reading, primary, limits: limitsOf(config), lag, small };
  const cold = { index: trusted, primary, build, isReplica, readerDayMs };
  const { coldBuilds, effects, forget } = openColdUsers(context, cold);
  const recentContacts = recentContactsOf(sources, {
    ...effects,
    onLow: (user) => {
      delayed.askForRebuild(user).catch((err: unknown) => logger.warn({ err }, 'a rebuild could not be requested'));
    },
    touch: true,
  });
  const recentPhotos = new RecentPhotos({ recent: recentContacts, database: reading, primary, now });
  const answered = { index: trusted, database: reading, recent: recentContacts, small };
  const recentBatch = new RecentBatch({ ...answered, ...lag, onServed: effects.onServed, now });
  return {
    kind,
    recentContacts,
    recentPhotos,
    recentBatch,
    sourcePhotos: new SourcePhotos({ database: reading, primary, now }),
    explain: explainer(sources),
    inspect: (user: Id, deadline?: Deadline) =>
      withinDeadline(
        deadline,
        inspectIndex({ index, database: primary.server, steps, hasIndexes: config.keep > 0 }, user),
      ),
    rebuild: (user: Id, deadline?: Deadline) => build(user, { deadline, asked: true }),
    forget: async (user: Id) => {
      forget(user);
      await steps.forget([user]);
    },
    coldBuilds,
  };
}

interface QuerySources {
  readonly index: Pick<ContactIndex, 'read'>;
  /** The database that answers: the primary, or a replica. */
  readonly reading: KindDatabase;
  readonly primary: KindDatabase;
  readonly limits: Limits;
  readonly lag: IndexLag;
  readonly small?: SmallUsers | undefined;
}

type Effects = Pick<RecentContactsOptions, 'onServed' | 'coldAnswers' | 'onCold' | 'onLow' | 'touch'>;

function recentContactsOf(
  { index, reading, primary, limits, lag, small }: QuerySources,
  effects: Effects,
): RecentContacts {
  return new RecentContacts({
    ...effects,
    ...lag,
    index,
    small,
    database: reading,
    primary,
    min: limits.min,
    max: limits.max,
    now,
  });
}

const nothing = () => undefined;

/** Explains the answer that a client would get now, without building an index or prolonging its life. */
export function explainer(asked: QuerySources): KindIndexes['explain'] {
  const recent = recentContactsOf(asked, { onCold: nothing, onLow: nothing, touch: false });
  const { index, primary: database, limits } = asked;
  return (user, contact, deadline) => explain({ index, database, recent, limits }, user, contact, deadline);
}

interface PromptSources {
  /** Those in use. */
  readonly kinds: readonly RefreshedKind[];
  readonly primary: Database;
  readonly watch: Pick<RedisTrust, 'isTrusted' | 'during'>;
  /** Called when a task could not be applied at once because of a store. */
  readonly onFault: (error: unknown) => void;
}

/** What shows or applies named changes at once. @param waits undefined: the API reads the primary */
export function readYourWrites(
  { kinds, primary, watch, onFault }: PromptSources,
  waits?: Pick<ReplicaWaits, 'after'>,
): { fresh: FreshReads; applyNow: ApplyNow } {
  const refreshNow = new RefreshNow({ kinds: kinds.map(({ kind, steps }) => ({ kind, steps })), watch, now });
  const fresh = new FreshReads({ refreshNow, replica: waits && { primary, waits }, now });
  return { fresh, applyNow: new ApplyNow({ refreshNow, onFault }) };
}
