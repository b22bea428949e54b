import type { Id } from '../contracts/id.ts';
import { areEndless } from '../index/allowance.ts';
import type { ContactIndex, Epoch } from '../index/contact-index.ts';
import { readProvenEpoch } from '../mysql/epoch.ts';
import { isSuspended } from '../mysql/epoch-token.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { type buildOn, ColdBuilds } from '../query/cold-builds.ts';
import { RecentReaders } from '../query/recent-readers.ts';
import { WarmUp, type WarmUpOptions } from '../query/warm-up.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { ProcessContext } from './run-process.ts';

export type QueryContext = Pick<ProcessContext, 'config' | 'logger' | 'resources'>;

interface ColdUsersSources {
  readonly index: Pick<ContactIndex, 'read'>;
  readonly primary: KindDatabase;
}

interface ColdUsersParts extends ColdUsersSources {
  readonly build: ReturnType<typeof buildOn>;
  /** Rows for a build come from the primary, so they cannot be the answer of a replica. */
  readonly isReplica: boolean;
  readonly readerDayMs: number;
}

/** Maximum number of builds that wait for their turn; a user beyond it is built at the next read. */
const COLD_QUEUE = 1_000;

/** Number of users whose indexes are rebuilt proactively when many are lost: 2 MB of ids. */
const REMEMBERED = 20_000;

/** What a process does about users whom a read finds without an index. */
export function openColdUsers(context: QueryContext, { build, isReplica, readerDayMs, ...sources }: ColdUsersParts) {
  const coldBuilds = openColdBuilds(context, sources, build);
  const warmUp = openWarmUp(context, sources, coldBuilds);
  const readers = areEndless(context.config) ? undefined : new RecentReaders(readerDayMs);
  /** @returns whether the index is worth building */
  const foundCold = (user: Id) => {
    warmUp.cold(user);
    return readers === undefined || readers.note(user);
  };
  const onServed = (user: Id) => {
    warmUp.served(user);
    readers?.note(user);
  };
  const onCold = (user: Id) => {
    if (foundCold(user)) coldBuilds.request(user);
  };
  const coldAnswers = async (user: Id, deadline?: Deadline) =>
    foundCold(user) ? await coldBuilds.answer(user, deadline) : undefined;
  const coldEffects =
    context.config.keep > 0 ? { onCold, ...(isReplica ? {} : { coldAnswers }) } : { onCold: () => undefined };
  return { coldBuilds, effects: { onServed, ...coldEffects }, forget: (user: Id) => warmUp.forget(user) };
}

function openColdBuilds(
  { config, logger, resources }: QueryContext,
  { primary }: ColdUsersSources,
  build: ReturnType<typeof buildOn>,
): ColdBuilds {
  const coldBuilds = new ColdBuilds({
    build: async (user, by) => {
      const { suspended, rebuilt, small } = await build(user, { urgency: 'background', ...by });
      if (suspended.length > 0) return 'suspended';
      if (small.length > 0) return 'small';
      return rebuilt.length > 0 ? 'built' : 'not_built';
    },
    concurrency: config.plainConcurrency,
    queue: COLD_QUEUE,
    isBusy: () => primary.server.heavy.queued > 0,
    onError: (err) => logger.warn({ err }, 'the index of a cold user was not built; the next read tries again'),
  });
  resources.defer(() => coldBuilds.drain());
  return coldBuilds;
}

function openWarmUp(
  { config, logger, resources }: QueryContext,
  sources: ColdUsersSources,
  builds: ColdBuilds,
): WarmUp {
  const warmUp = new WarmUp({
    coldOf: coldAmong(sources),
    epoch: areEndless(config) ? undefined : () => readProvenEpoch(sources.primary.server),
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

/** The users who have no index of the epoch in force and for whom none is being built; undefined if none may be built. */
function coldAmong({ index, primary }: ColdUsersSources): WarmUpOptions['coldOf'] {
  return async (users) => {
    const epoch: Epoch = await readProvenEpoch(primary.server);
    if (isSuspended(epoch)) return undefined;
    const readings = await Promise.all(users.map((user) => index.read(user, 1, false)));
    return users.filter((_user, i) => {
      const reading = readings[i];
      return reading?.state !== 'building' && !(reading?.state === 'warm' && reading.epoch === epoch);
    });
  };
}
