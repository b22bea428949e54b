import type { Config } from '../config/config.ts';
import { bumpEpoch, bumpKeepingSuspension } from '../index/epoch.ts';
import type { Database } from '../mysql/database.ts';
import { isSuspended } from '../mysql/epoch.ts';
import { type RememberedSettings, readRememberedSettings, rememberSettings } from '../mysql/remembered-settings.ts';
import { pause } from '../timing/backoff.ts';
import type { ProcessContext } from './run-process.ts';
import { StartError } from './start-error.ts';

/**
 * Settings that every process of one database must share, remembered there.
 *
 * Those that say where indexes and tasks are: with two key prefixes, or two transports, a change would reach only one of
 * them, and the other's indexes would be wrong without a word. A process that disagrees is refused.
 */
const PLACES = ['KEY_PREFIX', 'TRANSPORT', 'TOPIC', 'KAFKA_GROUP', 'STREAMS_URL'] as const;

/**
 * Those that say how large an index is. An index of another size is still right: one that is too large is cut at its next
 * write, one that is too small is filled when it is read. A process that disagrees is let in, with a warning.
 */
const SIZES = ['MAX', 'MIN'] as const;

/** A setting that is another one here than what is remembered. */
export interface Difference {
  /** With the prefix. */
  readonly name: string;
  readonly here: string;
  readonly remembered: string;
  /** No process may start with it. */
  readonly refused: boolean;
}

/** What differs between these settings and those remembered; nothing is changed. @throws DatabaseUnavailable */
export async function compareSettings(database: Database, config: Config): Promise<Difference[]> {
  return differences(config, await readRememberedSettings(database));
}

/**
 * Remembers what is not yet remembered, and sizes that have changed. It comes last in a start: one that failed must not
 * bind the next ones to its mistake.
 * @returns the sizes that have changed
 * @throws StartError when this process would work in another place than the others, DatabaseUnavailable
 */
export async function agreeOnSettings(database: Database, config: Config): Promise<Difference[]> {
  let changed: Difference[] = [];
  await rememberSettings(database, (remembered) => {
    changed = agreed(differences(config, remembered));
    return new Map([...sharedSettings(config)].filter(([name, value]) => remembered.get(name) !== value));
  });
  return changed;
}

/**
 * For a command that only looks, and for a start that is not over: nothing is remembered.
 * @returns the sizes that differ
 * @throws StartError when this process would work in another place than the others, DatabaseUnavailable
 */
export async function agreedSettings(database: Database, config: Config): Promise<Difference[]> {
  return agreed(await compareSettings(database, config));
}

function agreed(found: Difference[]): Difference[] {
  const refused = found.filter((difference) => difference.refused);
  if (refused.length > 0) throw refusal(refused);
  return found;
}

/** Remembers these settings whatever was remembered before. A new epoch is due. @throws DatabaseUnavailable */
export async function adoptSettings(database: Database, config: Config): Promise<Difference[]> {
  let changed: Difference[] = [];
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
    // Not the address, which may have a password and another name on another host; its run_id is compared as well.
    ['STREAMS_URL', config.transport === 'streams' && config.streamsUrl !== undefined ? 'set' : 'not set'],
    ['MAX', String(config.max)],
    ['MIN', String(config.min)],
  ] satisfies [(typeof PLACES)[number] | (typeof SIZES)[number], string][]);
}

function differences(config: Config, rememberedSettings: RememberedSettings): Difference[] {
  return [...sharedSettings(config)].flatMap(([name, here]) => {
    const remembered = rememberedSettings.get(name);
    if (remembered === undefined || remembered === here) return [];
    return [{ name: `RECENCY_${name}`, here, remembered, refused: (PLACES as readonly string[]).includes(name) }];
  });
}

/** Why a process must not work with these settings, and what to do. */
export function refusal(refused: readonly Difference[]): StartError {
  const lines = [
    ...refused.map(({ name, here, remembered }) => {
      return `${name} is "${here}" here, but the processes of this database work with "${remembered}".`;
    }),
    'With both, changes would reach only one set of indexes. Set it the same everywhere. If the change is meant: stop every',
    'process, run `recency config adopt` with the new settings (a new epoch begins, so all indexes are built anew), start them again.',
  ];
  return new StartError(lines.join('\n'));
}

const INTERVAL_MS = 10_000;

/** Rejects when other settings were adopted meanwhile: this process would work where nobody looks any more. */
export async function watchSettings(
  { config, logger }: Pick<ProcessContext, 'config' | 'logger'>,
  primary: Database,
  signal: AbortSignal,
  intervalMs = INTERVAL_MS,
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

export interface Adopted {
  readonly changed: readonly Difference[];
  /** The token in force. */
  readonly epoch: string;
  /** No index is built yet: lost tasks are still to be caught up with. */
  readonly suspended: boolean;
}

/**
 * Makes these settings those that every process must share. The new epoch comes last: whatever was built until then,
 * perhaps from tasks that went elsewhere, is cold. A suspended epoch stays suspended, unless tasks are in another place
 * now: what was lost in the old one cannot be caught up with there any more.
 * @throws DatabaseUnavailable, EpochMissing
 */
export async function adopt(primary: Database, config: Config): Promise<Adopted> {
  const changed = await adoptSettings(primary, config);
  const changes = changed.map(({ name, remembered, here }) => `${name} ${remembered} → ${here}`).join(', ');
  const begin = changed.some(({ refused }) => refused) ? bumpEpoch : bumpKeepingSuspension;
  const epoch = await begin(primary, `settings adopted: ${changes || 'none had changed'}`);
  return { changed, epoch, suspended: isSuspended(epoch) };
}
