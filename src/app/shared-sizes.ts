import { type Config, loadConfig } from '../config/config.ts';
import { GREATEST_MAX } from '../config/index-settings.ts';
import { PREFIX } from '../config/settings.ts';
import { StartError } from '../config/start-error.ts';
import { DEFAULT_LIMIT } from '../contracts/http.ts';
import { UserError } from '../contracts/user-error.ts';
import type { Limits } from '../index/contact-index.ts';
import type { Database } from '../mysql/database.ts';
import {
  type DifferingSetting,
  differing,
  type RememberedSettings,
  readRememberedSettings,
  rememberSettings,
} from '../mysql/settings.ts';
import { openPrimary, untilMysqlAnswers } from './open-mysql.ts';
import type { ProcessContext } from './run-process.ts';

/**
 * Settings that say how large an index is, and who has one. All processes use the value in MySQL: the first one writes its own,
 * and only `recency config set` changes it. A running process keeps what it has started with, which is safe: an index of another
 * size is right, too.
 */
const SIZES = { MAX: 'max', MIN: 'min', INDEX_ABOVE: 'indexAbove', KEEP: 'keep' } as const;

type Size = keyof typeof SIZES;

const NAMES = Object.keys(SIZES) as Size[];

/** By their names without the prefix. */
export function sizesOf(config: Config): Map<string, string> {
  return new Map(NAMES.map((name) => [name, String(config[SIZES[name]])]));
}

/** MAX and MIN may have been others when an index was built, and it is as right: it takes the new size in time. */
export function limitsOf({ max, min, indexAbove }: Config): Limits {
  return { max, min, indexAbove, widest: { max: GREATEST_MAX, min: DEFAULT_LIMIT } };
}

/** A size that is not what all processes use, named with the prefix RECENCY_. */
export interface OtherSize extends DifferingSetting {
  /** The environment of this process says so; otherwise it is the default. */
  readonly given: boolean;
}

export function otherSizes(config: Config, rememberedSettings: RememberedSettings): OtherSize[] {
  return differing(sizesOf(config), rememberedSettings).map(({ name, ...values }) => {
    return { name: PREFIX + name, ...values, given: config.given.includes(name as Size) };
  });
}

/** Why a process must not start with this size, and what to do. */
export function sizeText({ name, here, remembered, given }: OtherSize): string {
  const text = `${name} is ${here} here, but ${remembered} for all processes.`;
  if (!given) return `${text} It could not be read, or was changed, while this process started: start it again.`;
  const argument = `${name.slice(PREFIX.length).toLowerCase()} ${here}`;
  return `${text} Remove it from the environment; or change it for all: \`recency config set ${argument}\`, and restart them.`;
}

/** @throws StartError */
export function refuseSizes(others: readonly OtherSize[]): void {
  if (others.length > 0) throw new StartError(others.map(sizeText).join('\n'));
}

/** These settings, with the sizes that all processes use. @throws ConfigError when those cannot be used */
export function withSizes(config: Config, remembered: RememberedSettings): Config {
  const shared = loadConfig(environmentOf(remembered));
  const known = NAMES.filter((name) => remembered.has(name) && !config.given.includes(name));
  return { ...config, ...Object.fromEntries(known.map((name) => [SIZES[name], shared[SIZES[name]]])) };
}

function environmentOf(settings: RememberedSettings): Record<string, string> {
  return Object.fromEntries(
    [...settings].filter(([name]) => name in SIZES).map(([name, text]) => [PREFIX + name, text]),
  );
}

/**
 * The same context, with the sizes that all processes use. Call it before anything is built from the settings.
 * @param timeoutMs how long it waits for MySQL (START_TIMEOUT_MS)
 * @throws StartError when MySQL does not answer. What else is wrong with it, the checks of a start say better
 */
export async function inForce<C extends Pick<ProcessContext, 'config' | 'signal'>>(
  context: C,
  timeoutMs = context.config.startTimeoutMs,
): Promise<C> {
  const { config, signal } = context;
  const primary = openPrimary(config, { connections: 1 });
  signal.addEventListener('abort', () => primary.giveUp(), { once: true });
  try {
    await untilMysqlAnswers(primary, { url: config.mysqlUrl, setting: 'RECENCY_MYSQL_URL', timeoutMs, signal });
    const remembered = await readRememberedSettings(primary).catch(() => new Map());
    return { ...context, config: withSizes(config, remembered) };
  } finally {
    await primary.close();
  }
}

/** No such setting is shared. */
class NotShared extends UserError {
  override readonly name = 'NotShared';
  override get kind() {
    return 'wrong_use' as const;
  }
}

/** The result of `config set`. */
export interface SetSize {
  /** With the prefix. */
  readonly name: string;
  readonly value: string;
  /** Null: no process has started yet. */
  readonly before: string | null;
}

/**
 * Changes a size for all processes.
 * @param asked its name, with or without the prefix, in capitals or not
 * @throws NotShared, ConfigError when it is not such a value or contradicts the others, DatabaseUnavailable
 */
export async function setSize(primary: Database, asked: string, text: string): Promise<SetSize> {
  const name = NAMES.find((known) => known === asked.toUpperCase().replace(PREFIX, ''));
  if (name === undefined) {
    throw new NotShared(`\`config set\` changes ${NAMES.join(', ')}; ${asked} is not one of them.`);
  }
  let before: string | undefined;
  let value = text;
  await rememberSettings(primary, (remembered) => {
    before = remembered.get(name);
    value = String(loadConfig({ ...environmentOf(remembered), [PREFIX + name]: text })[SIZES[name]]);
    return new Map(value === before ? [] : [[name, value]]);
  });
  return { name: PREFIX + name, value, before: before ?? null };
}
