import type { Config } from '../config/config.ts';
import { kindsNamed } from '../contracts/kind.ts';
import { bumpEpoch, bumpKeepingSuspension } from '../index/epoch.ts';
import type { Database } from '../mysql/database.ts';
import { isSuspended } from '../mysql/epoch.ts';
import { type RememberedSettings, readRememberedSettings, rememberSettings } from '../mysql/remembered-settings.ts';
import { pause } from '../timing/backoff.ts';
import type { ProcessContext } from './run-process.ts';
import { StartError } from './start-error.ts';

/**
 * Settings that all processes of a database must share, because they say where indexes and tasks are. They are remembered in
 * the database. With two key prefixes, or two transports, a change would reach only one of them, and the indexes of the other
 * would silently be wrong. A consumer that does not know a kind skips its tasks, and one that takes contacts for users leaves out pairs of equal ids. A process with another value is refused.
 */
const LOCATIONS = ['KEY_PREFIX', 'TRANSPORT', 'TOPIC', 'KAFKA_GROUP', 'STREAMS_URL', 'KINDS', 'SEPARATE_IDS'] as const;

/**
 * Shared settings that say how large an index is. An index of another size is still right: one that is too large is trimmed at
 * its next write, and one that is too small is filled when it is read. A process with another value starts, with a warning.
 */
const SIZES = ['MAX', 'MIN'] as const;

/** A shared setting whose value here is not the remembered one. */
export interface SettingDifference {
  /** With the prefix RECENCY_. */
  readonly name: string;
  readonly here: string;
  readonly remembered: string;
  /** Whether a process with this value is refused. */
  readonly refused: boolean;
}

/** Compares these settings with the remembered ones; changes nothing. @throws DatabaseUnavailable */
export async function compareSettings(database: Database, config: Config): Promise<SettingDifference[]> {
  return differences(config, await readRememberedSettings(database));
}

/**
 * Remembers settings that are new, and sizes that have changed. This is the last step of a start, so that a failed start does
 * not bind the next ones to its mistake.
 * @returns the sizes that have changed
 * @throws StartError when indexes or tasks are elsewhere for this process, DatabaseUnavailable
 */
export async function agreeOnSettings(database: Database, config: Config): Promise<SettingDifference[]> {
  let changed: SettingDifference[] = [];
  await rememberSettings(database, (remembered) => {
    changed = agreed(differences(config, remembered));
    return new Map([...sharedSettings(config)].filter(([name, value]) => remembered.get(name) !== value));
  });
  return changed;
}

/**
 * As `agreeOnSettings`, but remembers nothing: for a command that only reads, and for a start that may still fail.
 * @returns the sizes that differ
 * @throws StartError when indexes or tasks are elsewhere for this process, DatabaseUnavailable
 */
export async function agreedSettings(database: Database, config: Config): Promise<SettingDifference[]> {
  return agreed(await compareSettings(database, config));
}

function agreed(found: SettingDifference[]): SettingDifference[] {
  const refused = found.filter((difference) => difference.refused);
  if (refused.length > 0) throw refusal(refused);
  return found;
}

/** Remembers these settings, whatever was remembered before. A new epoch must follow. @throws DatabaseUnavailable */
export async function adoptSettings(database: Database, config: Config): Promise<SettingDifference[]> {
  let changed: SettingDifference[] = [];
  await rememberSettings(database, (remembered) => {
    changed = differences(config, remembered);
    return sharedSettings(config);
  });
  return changed;
}

function sharedSettings(config: Config): Map<string, string> {
  return new Map([
    ['KEY_PREFIX', config.keyPrefix],
    ['TRANSPORT', config.transport],
    ['TOPIC', config.topic],
    ['KAFKA_GROUP', config.kafkaGroup],
    // Not the address: it may hold a password and differ from host to host. The run_id of the server is compared as well.
    ['STREAMS_URL', config.transport === 'streams' && config.streamsUrl !== undefined ? 'set' : 'not set'],
    [
      'KINDS',
      kindsNamed(config.kinds)
        .map(({ name }) => name)
        .join(','),
    ],
    ['SEPARATE_IDS', config.separateIds],
    ['MAX', String(config.max)],
    ['MIN', String(config.min)],
  ] satisfies [(typeof LOCATIONS)[number] | (typeof SIZES)[number], string][]);
}

function differences(config: Config, rememberedSettings: RememberedSettings): SettingDifference[] {
  return [...sharedSettings(config)].flatMap(([name, here]) => {
    const remembered = rememberedSettings.get(name);
    if (remembered === undefined || remembered === here) return [];
    return [{ name: `RECENCY_${name}`, here, remembered, refused: (LOCATIONS as readonly string[]).includes(name) }];
  });
}

/** Why a process must not start with these settings, and what to do. */
export function refusal(refused: readonly SettingDifference[]): StartError {
  const lines = [
    ...refused.map(({ name, here, remembered }) => {
      return `${name} is "${here}" here, but the processes of this database use "${remembered}".`;
    }),
    'With both, changes would reach only one set of indexes. Use the same value everywhere. To change it, stop every process,',
    'run `recency config adopt` with the new settings (this begins a new epoch, so all indexes are rebuilt), and start them again.',
  ];
  return new StartError(lines.join('\n'));
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
    const differences = await compareSettings(primary, config).catch((error: unknown) => {
      logger.debug({ err: error }, 'the shared settings could not be compared');
      return [];
    });
    const refused = differences.filter((difference) => difference.refused);
    if (refused.length > 0) throw refusal(refused);
  }
}

/** The result of `config adopt`. */
export interface Adopted {
  readonly changed: readonly SettingDifference[];
  /** Token of the epoch in force. */
  readonly epoch: string;
  /** The consumers must first catch up with lost tasks, so no index is built yet. */
  readonly suspended: boolean;
}

/**
 * Makes these settings the ones that all processes must share, and then begins a new epoch: indexes that were built before,
 * perhaps from tasks sent elsewhere, are cold. A suspended epoch stays suspended unless tasks are elsewhere now, because nobody
 * will catch up in the old location.
 * @throws DatabaseUnavailable, EpochMissing
 */
export async function adopt(primary: Database, config: Config): Promise<Adopted> {
  const changed = await adoptSettings(primary, config);
  const changes = changed.map(({ name, remembered, here }) => `${name} ${remembered} → ${here}`).join(', ');
  const begin = changed.some(({ refused }) => refused) ? bumpEpoch : bumpKeepingSuspension;
  const epoch = await begin(primary, `settings adopted: ${changes || 'none had changed'}`);
  return { changed, epoch, suspended: isSuspended(epoch) };
}
