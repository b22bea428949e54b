import type { ApiDependencies } from '../api/dependencies.ts';
import type { Id } from '../contracts/id.ts';
import type { ContactIndex, Epoch } from '../index/contact-index.ts';
import { trustedReads } from '../index/epoch-watch.ts';
import type { Limits } from '../index/limits.ts';
import { run } from '../index/protocol.ts';
import { type RebuildReport, rebuild } from '../index/rebuild.ts';
import type { Database } from '../mysql/database.ts';
import { isSuspended, readPairs } from '../mysql/pairs.ts';
import { ColdBuilds, NOTHING, REFUSED } from '../query/cold-builds.ts';
import { explain } from '../query/explain.ts';
import { inspectIndex } from '../query/inspect-index.ts';
import { PlainQueryLimit } from '../query/plain-query-limit.ts';
import { RecentContacts, type RecentContactsOptions } from '../query/recent-contacts.ts';
import { RecentPhotos } from '../query/recent-photos.ts';
import { WarmUp, type WarmUpOptions } from '../query/warm-up.ts';
import type { Stores } from './open-stores.ts';
import type { ProcessContext } from './run-process.ts';

type Queries = Pick<
  ApiDependencies,
  'recentContacts' | 'recentPhotos' | 'explain' | 'inspect' | 'rebuild' | 'forget' | 'plainQueries' | 'coldBuilds'
>;

/** Builds that wait for their turn; who finds no room is built at the next read. */
const COLD_QUEUE = 1_000;

/** Users whose indexes are built again, unasked, when many are lost: 2 MB of ids. */
const REMEMBERED = 20_000;

const now = () => performance.now();

/** What the API asks of the stores, and does with them. @param reading the primary, or a replica */
export function apiQueries(
  { config, logger, resources }: Pick<ProcessContext, 'config' | 'logger' | 'resources'>,
  { primary, index, steps, delayed, watch }: Stores,
  reading: Database,
): Queries {
  const plainQueries = new PlainQueryLimit({
    concurrency: config.plainConcurrency,
    queue: config.plainQueue,
    waitMs: config.mysqlTimeoutMs,
  });
  // What takes too long here is left to the consumers, who have more time.
  const build = async (user: Id, asked: boolean): Promise<RebuildReport> => {
    const report = await run(rebuild([user], asked), steps);
    if (report.slow.length > 0) await delayed.askForRebuild(user);
    return report;
  };
  // A build is a plain query as well, for the primary.
  const coldBuilds = new ColdBuilds({
    build: async (user) => {
      const { suspended, rebuilt, unknown } = await build(user, false);
      if (suspended.length > 0) return REFUSED;
      return unknown.length > 0 ? NOTHING : rebuilt.length > 0;
    },
    concurrency: Math.ceil(config.plainConcurrency / 2),
    queue: COLD_QUEUE,
    isBusy: () => plainQueries.queued > 0,
    onError: (err) => logger.warn({ err }, 'the index of a cold user was not built; the next read asks again'),
  });
  resources.defer(() => coldBuilds.drain());

  const limitPlain = plainQueries.run;
  const asked = { index: trustedReads(index, watch), reading, primary, limits: config, limitPlain };
  const warmUp = new WarmUp({
    coldOf: coldAmong(asked),
    builds: coldBuilds,
    concurrency: Math.ceil(config.plainConcurrency / 4),
    remembered: REMEMBERED,
    onRound: (built) => {
      if (built === undefined) logger.debug('an index that was answered from is cold: looking whose are as well');
      else if (built > 0) logger.info({ built }, 'indexes of users who were read recently are built again');
    },
  });
  resources.defer(() => warmUp.stop()); // before the builds are: what is deferred last ends first
  const recentContacts = recentContactsOf(asked, {
    onServed: (user) => warmUp.served(user),
    onCold: (user) => {
      coldBuilds.request(user);
      warmUp.cold(user);
    },
    onLow: (user) => {
      delayed.askForRebuild(user).catch((err: unknown) => logger.warn({ err }, 'a rebuild could not be asked for'));
    },
    touch: true,
  });
  return {
    recentContacts,
    recentPhotos: new RecentPhotos({ recent: recentContacts, database: reading, now }),
    explain: explainer(asked),
    inspect: (user) => inspectIndex({ index, database: primary }, user),
    rebuild: (user) => build(user, true),
    forget: async (user) => {
      warmUp.forget(user);
      await steps.forget([user]);
    },
    plainQueries,
    coldBuilds,
  };
}

interface Asked {
  readonly index: Pick<ContactIndex, 'read'>;
  /** Where answers come from: the primary, or a replica. */
  readonly reading: Database;
  readonly primary: Database;
  readonly limits: Limits;
  readonly limitPlain: <T>(query: () => Promise<T>) => Promise<T>;
}

type Effects = Pick<RecentContactsOptions, 'onServed' | 'onCold' | 'onLow' | 'touch'>;

async function epochOf(primary: Database): Promise<Epoch> {
  return (await readPairs(primary, [])).epoch; // of no pair: the epoch alone
}

/** Those of the users who have no index of the epoch in force, and for whom none is being built; undefined: none may be. */
function coldAmong({ index, primary }: Pick<Asked, 'index' | 'primary'>): WarmUpOptions['coldOf'] {
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

function recentContactsOf({ index, reading, primary, limits, limitPlain }: Asked, effects: Effects): RecentContacts {
  return new RecentContacts({
    ...effects,
    index,
    database: reading,
    fromReplica: reading !== primary,
    min: limits.min,
    max: limits.max,
    limitPlain,
    now,
  });
}

const nothing = () => undefined;

/** Explains by the answer that a client would get now, without building or prolonging anything. */
export function explainer(asked: Asked): ApiDependencies['explain'] {
  const recent = recentContactsOf(asked, { onCold: nothing, onLow: nothing, touch: false });
  const { index, primary: database, limits, limitPlain } = asked;
  return (user, contact) => explain({ index, database, recent, limits, limitPlain }, user, contact);
}
