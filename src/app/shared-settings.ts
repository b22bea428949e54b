import type { Config } from '../config/config.ts';
import { PREFIX } from '../config/settings.ts';
import { StartError } from '../config/start-error.ts';
import type { Database } from '../mysql/database.ts';
import { beginEpoch, lockEpoch, type NextEpoch } from '../mysql/epoch.ts';
import { serverOn } from '../mysql/epoch-token.ts';
import {
  type DifferingSetting,
  differing,
  type RememberedSettings,
  readRememberedSettings,
  rememberSettings,
} from '../mysql/settings.ts';
import { databaseNumberOf } from '../redis/sentinel.ts';
import { siteOf } from '../site/site.ts';
import { pause } from '../timing/loop.ts';
import type { Transport } from '../transport/transport.ts';
import { mysqlAddress } from './open-mysql.ts';
import type { ProcessContext } from './run-process.ts';
import { otherSizes, refuseSizes, sizesOf } from './shared-sizes.ts';

/** Says which cluster of Kafka it is; left out: it is not known yet. */
export type Located = Pick<Transport, 'location'>;

/** Compares these settings with the remembered ones; changes nothing. @throws DatabaseUnavailable, what asking the transport throws */
export async function compareSettings(
  database: Database,
  config: Config,
  transport?: Located,
): Promise<DifferingSetting[]> {
  const location = await locationOf(config, transport);
  return differences(location, await readRememberedSettings(database));
}

/**
 * The same, for those who would adopt them: where some are remembered and one is not (a version that did not compare it has remembered
 * the others), nobody knows whether it is the same.
 */
export async function settingsToAdopt(
  database: Database,
  config: Config,
  transport?: Located,
): Promise<DifferingSetting[]> {
  const location = await locationOf(config, transport);
  const remembered = await readRememberedSettings(database);
  if (remembered.size === 0) return [];
  return differences(
    location,
    new Map([...location.keys()].map((name) => [name, remembered.get(name) ?? 'not known'])),
  );
}

/**
 * Remembers settings that are new. This is the last step of a start, so that a failed start does not bind the next ones to its
 * mistake.
 * @throws StartError when others use other settings, DatabaseUnavailable, what asking the transport throws
 */
export async function agreeOnSettings(database: Database, config: Config, transport?: Located): Promise<void> {
  const location = await locationOf(config, transport);
  await rememberSettings(database, (remembered) => {
    requireSame(location, remembered);
    refuseSizes(otherSizes(config, remembered));
    const settings = new Map([...location, ...sizesOf(config)]);
    return new Map([...settings].filter(([name]) => !remembered.has(name)));
  });
}

/**
 * As `agreeOnSettings`, but remembers nothing: for a command that only reads, and for a start that may still fail.
 * @throws StartError when others use other settings, DatabaseUnavailable
 */
export async function agreedSettings(database: Database, config: Config): Promise<void> {
  const remembered = await readRememberedSettings(database);
  requireSame(locations(config), remembered);
  refuseSizes(otherSizes(config, remembered));
}

function requireSame(location: ReadonlyMap<string, string>, remembered: RememberedSettings): void {
  const found = differences(location, remembered);
  if (found.length > 0) throw refusal(found);
}

/**
 * Remembers where indexes and tasks are, whatever was remembered before.
 * @param next an epoch that begins with it; left out: none
 * @throws DatabaseUnavailable, EpochMissing, what asking the transport throws
 */
export async function adoptSettings(
  database: Database,
  config: Config,
  transport?: Located,
  next?: NextEpoch,
): Promise<void> {
  const location = await locationOf(config, transport);
  await rememberSettings(
    database,
    () => location,
    async (connection) => {
      if (next) await beginEpoch(connection, serverOn(await lockEpoch(connection)), next);
    },
  );
}

const databaseText = (urls: string) => `database ${databaseNumberOf(urls)}`;

/**
 * Settings that all processes of a database must share, because they say where indexes and tasks are. They are remembered in
 * the database. With two key prefixes, or two transports, a change would reach only one of them, and the indexes of the other
 * would silently be wrong. A consumer that does not know a kind skips its tasks, and one that takes contacts for users leaves out
 * pairs of equal ids. Parts of an address have names of their own, because an older version remembers the others as they are. A
 * backup that is restored as another database of the server has the epoch of the first one, and both would take the same indexes
 * for theirs.
 */
function locations(config: Config): Map<string, string> {
  const streamsUrl = config.transport === 'streams' ? config.streamsUrl : undefined;
  const settings = new Map<string, string>([
    ['KEY_PREFIX', config.keyPrefix],
    ['TRANSPORT', config.transport],
    ['TOPIC', config.topic],
    ['KAFKA_GROUP', config.kafkaGroup],
    // Not the address: it may hold a password and differ from host to host. The run_id of the server is compared as well.
    ['STREAMS_URL', streamsUrl !== undefined ? 'set' : 'not set'],
    ['MYSQL_URL:database', `database ${mysqlAddress(config.mysqlUrl).database}`],
    // One server has the same run_id whichever of its databases is used.
    ['REDIS_URL:database', databaseText(config.redisUrl)],
    [
      'KINDS',
      siteOf(config)
        .kinds.map(({ name }) => name)
        .join(','),
    ],
    ['SEPARATE_IDS', config.separateIds],
  ]);
  if (config.transport === 'streams') settings.set('STREAMS_URL:database', databaseText(streamsUrl ?? config.redisUrl));
  return settings;
}

async function locationOf(config: Config, transport?: Located): Promise<Map<string, string>> {
  return new Map([...locations(config), ...((await transport?.location()) ?? [])]);
}

/** Where indexes and tasks are elsewhere for this process: by names with the prefix RECENCY_. It is refused. */
function differences(location: ReadonlyMap<string, string>, remembered: RememberedSettings): DifferingSetting[] {
  return differing(location, remembered).map(({ name, ...values }) => {
    return { name: PREFIX + name.replace(/:.*/, ''), ...values };
  });
}

/** Why a process must not start with these settings, and what to do. */
export function refusal(refused: readonly DifferingSetting[]): StartError {
  const lines = [
    ...refused.map(({ name, here, remembered }) => {
      return `${name} is "${here}" here, but the processes of this database use "${remembered}".`;
    }),
    'With both, changes would reach only one set of indexes. Use the same value everywhere. To change it, stop every process,',
    'run `recency config adopt` with the new settings (this begins a new epoch, so all indexes are rebuilt), and start them again.',
  ];
  return new StartError(lines.join('\n'));
}

/**
 * As {@link agreedSettings}, for a process that runs: it keeps its sizes.
 * @throws StartError when others were adopted; DatabaseUnavailable, what asking the transport throws
 */
export async function admitSettings(primary: Database, config: Config, transport?: Located): Promise<void> {
  const [location] = await Promise.allSettled([transport?.location() ?? new Map<string, string>()]);
  const remembered = await readRememberedSettings(primary); // last: those of now
  requireSame(locations(config), remembered);
  if (location.status === 'rejected') throw location.reason;
  requireSame(location.value, remembered);
}

const WATCH_INTERVAL_MS = 10_000;

/** Watches the remembered settings until aborted. @throws StartError when others were adopted: this process must end */
export async function watchSettings(
  { config, logger }: Pick<ProcessContext, 'config' | 'logger'>,
  { primary, transport }: { readonly primary: Database; readonly transport?: Located },
  signal: AbortSignal,
  intervalMs = WATCH_INTERVAL_MS,
): Promise<void> {
  while (!signal.aborted) {
    await pause(intervalMs, signal);
    await admitSettings(primary, config, transport).catch((error: unknown) => {
      if (error instanceof StartError) throw error;
      logger.debug({ err: error }, 'the shared settings could not be compared');
    });
  }
}
