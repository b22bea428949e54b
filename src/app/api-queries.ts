import type { ApiDependencies } from '../api/dependencies.ts';
import type { Id } from '../contracts/id.ts';
import { CONTACTS, type Kind } from '../contracts/kind.ts';
import type { ContactIndex, Epoch, Limits } from '../index/contact-index.ts';
import { trustedReads } from '../index/epoch-watch.ts';
import { FanOutProgress } from '../index/redis/fan-out-progress.ts';
import type { Database } from '../mysql/database.ts';
import { isSuspended } from '../mysql/epoch.ts';
import { ofKind } from '../mysql/kind-database.ts';
import { readPairs } from '../mysql/pairs.ts';
import { ColdBuilds } from '../query/cold-builds.ts';
import { explain } from '../query/explain.ts';
import { inspectIndex } from '../query/inspect-index.ts';
import { MarkSeen } from '../query/mark-seen.ts';
import { RecentBatch } from '../query/recent-batch.ts';
import { RecentContacts, type RecentContactsOptions } from '../query/recent-contacts.ts';
import { RecentPhotos } from '../query/recent-photos.ts';
import { SourcePhotos } from '../query/source-photos.ts';
import { WarmUp, type WarmUpOptions } from '../query/warm-up.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import { askedAbout, batchAbout } from './asked-about.ts';
import { buildOn } from './build-on.ts';
import { openReplicaWaits, promptOn } from './prompt.ts';
import type { ProcessContext } from './run-process.ts';
import type { KindStores, Stores } from './stores.ts';

type Queries = Pick<
  ApiDependencies,
  | 'kinds'
  | 'recentContacts'
  | 'recentBatch'
  | 'recentPhotos'
  | 'sourcePhotos'
  | 'otherAnswers'
  | 'fresh'
  | 'applyNow'
  | 'replicaWaits'
  | 'seen'
  | 'explain'
  | 'inspect'
  | 'rebuild'
  | 'forget'
  | 'fanOuts'
  | 'plainQueries'
  | 'coldBuilds'
>;

/** Maximum number of builds that wait for their turn; a user beyond it is built at the next read. */
const COLD_QUEUE = 1_000;

/** Number of users whose indexes are rebuilt proactively when many are lost: 2 MB of ids. */
const REMEMBERED = 20_000;

const now = () => performance.now();

type QueryContext = Pick<ProcessContext, 'config' | 'logger' | 'resources'>;

export interface AnswersFrom {
  /** The database that answers: the primary, or a replica. */
  readonly reading: Database;
  /** How far the indexes may be behind, ms; undefined: not known. */
  readonly lagMs: () => number | undefined;
}

/** The queries and commands of the API. */
export function apiQueries(context: QueryContext, stores: Stores, { reading, lagMs }: AnswersFrom): Queries {
  const { primary, redis, kinds, unused, watch } = stores;
  const onFault = (err: unknown) =>
    context.logger.debug({ err }, 'a task could not be applied at once; it is published');
  const fanOuts = new FanOutProgress(redis, context.config.keyPrefix);
  const replicaWaits = reading === primary ? undefined : openReplicaWaits(context, reading);
  const servers = { isReplica: reading !== primary, reading, lagMs, watch };
  const queries = kinds.map((parts) => kindQueries(context, parts, servers));
  const [first] = queries;
  if (first === undefined) throw new RangeError('no kind is in use');
  return {
    ...(queries.find(({ kind }) => kind.name === CONTACTS.name) ?? first),
    kinds: kinds.map(({ kind }) => kind),
    otherAnswers: queries.filter(({ kind }) => kind.name !== CONTACTS.name),
    ...promptOn({ kinds, primary, isTrusted: () => watch.isTrusted(), onFault }, replicaWaits),
    replicaWaits,
    seen: new MarkSeen({ database: primary, clock: Date.now }),
    fanOuts: (deadline) => withinDeadline(deadline, fanOuts.list(Date.now())),
    forget: async (user) => {
      for (const { forget } of queries) await forget(user);
      for (const { steps } of unused) await steps.forget([user]);
    },
    coldBuilds: queries.map(({ coldBuilds }) => coldBuilds),
    plainQueries: primary.heavy,
  };
}

interface AnsweringServers extends AnswersFrom {
  readonly isReplica: boolean;
  readonly watch: Stores['watch'];
}

/** The queries and commands about one kind. */
function kindQueries(
  context: QueryContext,
  parts: KindStores,
  { isReplica, watch, lagMs, ...servers }: AnsweringServers,
) {
  const { config, logger } = context;
  const { kind, primary, index, steps, delayed } = parts;
  const reading = isReplica ? ofKind(servers.reading, kind) : primary;
  const build = buildOn({ steps, delayed }, config);
  const trusted = trustedReads(index, watch);
  const sources = { kind, index: trusted, reading, primary, limits: config };
  const coldBuilds = openColdBuilds(context, primary, build);
  const warmUp = openWarmUp(context, sources, coldBuilds);
  const answerCold = (user: Id, deadline?: Deadline) => {
    warmUp.cold(user);
    return coldBuilds.answer(user, deadline);
  };
  const onServed = (user: Id) => warmUp.served(user);
  const recentContacts = recentContactsOf(sources, {
    onServed,
    // Rows for a build come from the primary, so they cannot be the answer of a replica.
    ...(isReplica ? {} : { coldAnswers: answerCold }),
    onCold: (user) => {
      coldBuilds.request(user);
      warmUp.cold(user);
    },
    onLow: (user) => {
      delayed.askForRebuild(user).catch((err: unknown) => logger.warn({ err }, 'a rebuild could not be requested'));
    },
    touch: true,
    lagMs,
  });
  const recentPhotos = new RecentPhotos({ recent: recentContacts, database: reading, primary, now });
  const recentBatch = new RecentBatch({
    index: trusted,
    database: reading,
    recent: recentContacts,
    lagMs,
    onServed,
    now,
  });
  return {
    kind,
    recentContacts: askedAbout(kind, recentContacts),
    recentPhotos: askedAbout(kind, recentPhotos),
    recentBatch: batchAbout(kind, recentBatch),
    sourcePhotos: askedAbout(kind, new SourcePhotos({ database: reading, primary, now })),
    explain: explainer(sources),
    inspect: (user: Id, deadline?: Deadline) =>
      withinDeadline(deadline, inspectIndex({ index, database: primary }, user)),
    rebuild: (user: Id, deadline?: Deadline) => build(user, { deadline, asked: true }),
    forget: async (user: Id) => {
      warmUp.forget(user);
      await steps.forget([user]);
    },
    coldBuilds,
  };
}

function openColdBuilds(
  { config, logger, resources }: QueryContext,
  { heavy }: Database,
  build: ReturnType<typeof buildOn>,
): ColdBuilds {
  const coldBuilds = new ColdBuilds({
    build: async (user, by) => {
      const { suspended, rebuilt, unknown } = await build(user, { urgency: 'background', ...by });
      if (suspended.length > 0) return 'suspended';
      if (unknown.length > 0) return 'unknown_user';
      return rebuilt.length > 0 ? 'built' : 'not_built';
    },
    concurrency: config.plainConcurrency,
    queue: COLD_QUEUE,
    isBusy: () => heavy.queued > 0,
    onError: (err) => logger.warn({ err }, 'the index of a cold user was not built; the next read tries again'),
  });
  resources.defer(() => coldBuilds.drain());
  return coldBuilds;
}

function openWarmUp({ config, logger, resources }: QueryContext, sources: QuerySources, builds: ColdBuilds): WarmUp {
  const warmUp = new WarmUp({
    coldOf: coldAmong(sources),
    builds,
    concurrency: config.plainConcurrency,
    remembered: REMEMBERED,
    onRound: (built) => {
      if (built === undefined) logger.debug('an index that was in use is cold: looking for others');
      else if (built > 0) logger.info({ built }, 'rebuilt indexes of recently read users');
    },
  });
  resources.defer(() => warmUp.stop()); // ends before the builds do: last deferred, first closed
  return warmUp;
}

interface QuerySources {
  /** What the servers are asked about. */
  readonly kind: Kind;
  readonly index: Pick<ContactIndex, 'read'>;
  /** The database that answers: the primary, or a replica. */
  readonly reading: Database;
  readonly primary: Database;
  readonly limits: Limits;
}

type Effects = Pick<RecentContactsOptions, 'onServed' | 'coldAnswers' | 'onCold' | 'onLow' | 'touch' | 'lagMs'>;

async function epochOf(primary: Database): Promise<Epoch> {
  return (await readPairs(primary, [])).epoch; // without pairs: only the epoch is read
}

/** The users who have no index of the epoch in force and for whom none is being built; undefined if none may be built. */
function coldAmong({ index, primary }: Pick<QuerySources, 'index' | 'primary'>): WarmUpOptions['coldOf'] {
  return async (users) => {
    const epoch = await epochOf(primary);
    if (isSuspended(epoch)) return undefined;
    const readings = await Promise.all(users.map((user) => index.read(user, 1, false)));
    return users.filter((_user, i) => {
      const reading = readings[i];
      return reading?.state !== 'building' && !(reading?.state === 'warm' && reading.epoch === epoch);
    });
  };
}

function recentContactsOf({ index, reading, primary, limits }: QuerySources, effects: Effects): RecentContacts {
  return new RecentContacts({
    ...effects,
    index,
    database: reading,
    primary,
    min: limits.min,
    max: limits.max,
    now,
  });
}

const nothing = () => undefined;

/** Explains the answer that a client would get now, without building an index or prolonging its life. */
export function explainer(asked: QuerySources): ApiDependencies['explain'] {
  const recent = recentContactsOf(asked, { onCold: nothing, onLow: nothing, touch: false });
  const { kind, index, primary: database, limits } = asked;
  return (user, contact, deadline) => explain({ kind, index, database, recent, limits }, user, contact, deadline);
}
