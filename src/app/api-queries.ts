import type { ApiDependencies } from '../api/dependencies.ts';
import type { Id } from '../contracts/id.ts';
import type { ContactIndex, Epoch, Limits } from '../index/contact-index.ts';
import { trustedReads } from '../index/epoch-watch.ts';
import { run, type Steps } from '../index/protocol.ts';
import { type RebuildReport, rebuild } from '../index/rebuild.ts';
import { type Database, StatementTooSlow } from '../mysql/database.ts';
import { isSuspended } from '../mysql/epoch.ts';
import { readPairs } from '../mysql/pairs.ts';
import type { Urgency } from '../mysql/query-limiter.ts';
import { type BuildBy, ColdBuilds, isGivenUp } from '../query/cold-builds.ts';
import { explain } from '../query/explain.ts';
import { inspectIndex } from '../query/inspect-index.ts';
import { MarkSeen } from '../query/mark-seen.ts';
import { RecentBatch } from '../query/recent-batch.ts';
import { RecentContacts, type RecentContactsOptions } from '../query/recent-contacts.ts';
import { RecentPhotos } from '../query/recent-photos.ts';
import { WarmUp, type WarmUpOptions } from '../query/warm-up.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import { openReplicaWaits, promptOn } from './prompt.ts';
import type { ProcessContext } from './run-process.ts';
import type { Stores } from './stores.ts';

type Queries = Pick<
  ApiDependencies,
  | 'recentContacts'
  | 'recentBatch'
  | 'recentPhotos'
  | 'fresh'
  | 'applyNow'
  | 'replicaWaits'
  | 'seen'
  | 'explain'
  | 'inspect'
  | 'rebuild'
  | 'forget'
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
  const { config, logger } = context;
  const { primary, index, steps, delayed, watch } = stores;
  const onFault = (err: unknown) => logger.debug({ err }, 'a task could not be applied at once; it is published');
  const replicaWaits = reading === primary ? undefined : openReplicaWaits(context, reading);
  const build = buildOn({ steps, delayed }, config);
  const trusted = trustedReads(index, watch);
  const sources = { index: trusted, reading, primary, limits: config };
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
    ...(reading === primary ? { coldAnswers: answerCold } : {}),
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
  const batch = { index: trusted, database: reading, recent: recentContacts, lagMs, onServed, now };
  return {
    recentContacts,
    recentBatch: new RecentBatch(batch),
    recentPhotos: new RecentPhotos({ recent: recentContacts, database: reading, primary, now }),
    ...promptOn({ steps, primary, isTrusted: () => watch.isTrusted(), onFault }, replicaWaits),
    replicaWaits,
    seen: new MarkSeen({ database: primary, clock: Date.now }),
    explain: explainer(sources),
    inspect: (user, deadline) => withinDeadline(deadline, inspectIndex({ index, database: primary }, user)),
    rebuild: (user, deadline) => build(user, { deadline, asked: true }),
    forget: async (user) => {
      warmUp.forget(user);
      await steps.forget([user]);
    },
    plainQueries: primary.heavy,
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

interface OneBuild extends BuildBy {
  readonly urgency?: Urgency;
  /** Build the index even if it was forgotten. */
  readonly asked?: boolean;
}

/**
 * Builds one user's index. A build that takes too long is left to the consumers, who have more time; no answer is attempted then
 * in less time than was too short. A build that lost its race is left to them too if its rows have already served as the answer:
 * reading them all again would serve nobody here.
 */
export function buildOn(
  { steps, delayed }: { readonly steps: Steps; readonly delayed: Pick<Stores['delayed'], 'askForRebuild'> },
  { mysqlTimeoutMs }: Pick<ProcessContext['config'], 'mysqlTimeoutMs'>,
) {
  return async (user: Id, { deadline, onRows, urgency, asked = false }: OneBuild): Promise<RebuildReport> => {
    const heavy = deadline === undefined ? (urgency ?? 'answer') : 'answer';
    let isAnswered = false;
    const topContacts: Steps['topContacts'] = async (users) => {
      if (isAnswered) return { epoch: '', tops: [] };
      const found = await steps.topContacts(users, { deadline, heavy });
      isAnswered = onRows !== undefined && found.live !== undefined;
      if (found.live !== undefined) onRows?.(found.live);
      return found;
    };
    const running = run(rebuild([user], asked), { ...steps, topContacts });
    const report = await withinDeadline(deadline, running).catch((error: unknown) => {
      // Otherwise a user whose clients never wait long enough would stay cold for ever.
      if (isGivenUp(error)) delayed.askForRebuild(user).catch(() => undefined); // the next read tries again
      throw error;
    });
    if (report.slow.length === 0) return report;
    await delayed.askForRebuild(user);
    if (isAnswered || deadline === undefined || deadline.leftMs >= mysqlTimeoutMs) return report;
    throw new StatementTooSlow(`reading all contacts of a user takes longer than ${mysqlTimeoutMs} ms`);
  };
}

interface QuerySources {
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
  const { index, primary: database, limits } = asked;
  return (user, contact, deadline) => explain({ index, database, recent, limits }, user, contact, deadline);
}
