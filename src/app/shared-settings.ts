import type { Config } from '../config/config.ts';
import { PREFIX } from '../config/settings.ts';
import { StartError } from '../config/start-error.ts';
import { bumpEpoch } from '../index/epoch.ts';
import type { Database } from '../mysql/database.ts';
import { readEpoch } from '../mysql/epoch.ts';
import { isSuspended } from '../mysql/epoch-token.ts';
import {
  type DifferingSetting,
  differing,
  type RememberedSettings,
  readRememberedSettings,
  rememberSettings,
} from '../mysql/settings.ts';
import { forgetStreams } from '../mysql/stream-record.ts';
import { databaseNumberOf } from '../redis/sentinel.ts';
import { siteOf } from '../site/site.ts';
import { pause } from '../timing/loop.ts';
import { mysqlAddress } from './open-mysql.ts';
import type { ProcessContext } from './run-process.ts';
import { otherSizes, refuseSizes, sizesOf } from './shared-sizes.ts';

/** Compares these settings with the remembered ones; changes nothing. @throws DatabaseUnavailable */
export async function compareSettings(database: Database, config: Config): Promise<DifferingSetting[]> {
  return differences(config, await readRememberedSettings(database));
}

/**
 * Remembers settings that are new. This is the last step of a start, so that a failed start does not bind the next ones to its
 * mistake.
 * @throws StartError when others use other settings, DatabaseUnavailable
 */
export async function agreeOnSettings(database: Database, config: Config): Promise<void> {
  await rememberSettings(database, (remembered) => {
    requireAgreed(config, remembered);
    const settings = new Map([...locations(config), ...sizesOf(config)]);
    return new Map([...settings].filter(([name]) => !remembered.has(name)));
  });
}

/**
 * As `agreeOnSettings`, but remembers nothing: for a command that only reads, and for a start that may still fail.
 * @throws StartError when others use other settings, DatabaseUnavailable
 */
export async function agreedSettings(database: Database, config: Config): Promise<void> {
  requireAgreed(config, await readRememberedSettings(database));
}

function requireAgreed(config: Config, remembered: RememberedSettings): void {
  requireSame(config, remembered);
  refuseSizes(otherSizes(config, remembered));
}

function requireSame(config: Config, remembered: RememberedSettings): void {
  const found = differences(config, remembered);
  if (found.length > 0) throw refusal(found);
}

/** Remembers where indexes and tasks are, whatever was remembered before. @throws DatabaseUnavailable */
export async function adoptSettings(database: Database, config: Config): Promise<void> {
  await rememberSettings(database, () => locations(config));
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

/** Where indexes and tasks are elsewhere for this process: by names with the prefix RECENCY_. It is refused. */
export function differences(config: Config, rememberedSettings: RememberedSettings): DifferingSetting[] {
  return differing(locations(config), rememberedSettings).map(({ name, ...values }) => {
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

/** As {@link agreedSettings}, for a process that runs: it keeps its sizes. @throws StartError when others were adopted; DatabaseUnavailable */
export async function admitSettings(primary: Database, config: Config): Promise<void> {
  requireSame(config, await readRememberedSettings(primary));
}

const WATCH_INTERVAL_MS = 10_000;

/** Watches the remembered settings until aborted. @throws StartError when others were adopted: this process must end */
export async function watchSettings(
  { config, logger }: Pick<ProcessContext, 'config' | 'logger'>,
  primary: Database,
  signal: AbortSignal,
  intervalMs = WATCH_INTERVAL_MS,
): Promise<void> {
  while (!signal.aborted) {
    await pause(intervalMs, signal);
    await admitSettings(primary, config).catch((error: unknown) => {
      if (error instanceof StartError) throw error;
      logger.debug({ err: error }, 'the shared settings could not be compared');
    });
  }
}

/** The result of `config adopt`. */
export interface Adopted {
  readonly changed: readonly DifferingSetting[];
  /** Token of the epoch in force. */
  readonly epoch: string;
  /** The consumers must first catch up with lost tasks, so no index is built yet. */
  readonly suspended: boolean;
}

/**
 * Makes these settings the ones that all processes must share, and begins a new epoch: indexes that were built before, perhaps
 * from tasks sent elsewhere, are cold. Settings that are remembered already change nothing. A suspended epoch ends, because nobody
 * will catch up in the old location.
 *
 * The epoch begins before and after the settings change: before, because a run that is killed midway finds nothing to adopt when
 * it is repeated; after, because a process that was left running may have built an index in between.
 * @throws DatabaseUnavailable, EpochMissing
 */
export async function adopt(primary: Database, config: Config): Promise<Adopted> {
  const changed = await compareSettings(primary, config);
  if (changed.length === 0) {
    await adoptSettings(primary, config); // those that no process has remembered yet
    const { token } = await readEpoch(primary);
    return { changed, epoch: token, suspended: isSuspended(token) };
  }
  const changes = changed.map(({ name, remembered, here }) => `${name} ${remembered} → ${here}`).join(', ');
  await bumpEpoch(primary, `settings to be adopted: ${changes}`);
  await adoptSettings(primary, config);
  await forgetStreams(primary); // otherwise the consumers would report that the new ones lack what was published to the old ones
  const epoch = await bumpEpoch(primary, `settings adopted: ${changes}`);
  return { changed, epoch, suspended: isSuspended(epoch) };
}
