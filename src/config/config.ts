import process from 'node:process';
import { contradictions } from './contradictions.ts';
import { ConfigError, type Environment, type SettingProblem, textOf, unknownNames } from './environment.ts';
import { type Config, isSecret, PREFIX, SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

export type { Config } from './settings.ts';

export interface ReadConfig {
  readonly config: Config;
  /** Where each came from: `default`, `environment` or `file …`. */
  readonly origins: Readonly<Record<SettingName, string>>;
}

/** @throws ConfigError which names every wrong setting */
export function loadConfig(environment: Environment = process.env): Config {
  return readConfig(environment).config;
}

/** @throws ConfigError */
export function readConfig(environment: Environment = process.env): ReadConfig {
  const problems = unknownNames(environment);
  const values: Record<string, unknown> = {};
  const origins = {} as Record<SettingName, string>;
  for (const name of SETTING_NAMES) {
    const { text, origin } = textOf(name, environment, problems);
    origins[name] = origin;
    values[camelCase(name)] = text === undefined ? undefined : parse(name, text, problems);
  }
  values.given = SETTING_NAMES.filter((name) => origins[name] !== 'default');
  const config = values as Config;
  if (problems.length === 0) problems.push(...contradictions(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return { config: deepFreeze(config), origins };
}

function parse(name: SettingName, text: string, problems: SettingProblem[]): unknown {
  const parsed = SETTINGS[name].schema.safeParse(text);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const message = issue?.message ?? 'is wrong';
  problems.push({
    name: PREFIX + name,
    message: isSecret(name) || message.endsWith(` ${text}`) ? message : `${message}; it is ${refusedText(text)}`,
  });
  return undefined;
}

/** Characters of a refused value that are shown. */
const SHOWN = 80;

function refusedText(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}

/** One setting in force, for people. */
interface SettingDescription {
  readonly name: string;
  /** Without secrets; '' when there is no value. */
  readonly value: string;
  readonly origin: string;
  readonly says: string;
}

/** Every setting in force and where it came from; secrets are hidden. */
export function describeConfig({ config, origins }: ReadConfig): SettingDescription[] {
  const values = config as Readonly<Record<string, unknown>>;
  return SETTING_NAMES.map((name) => ({
    name: PREFIX + name,
    value: shown(name, values[camelCase(name)]),
    origin: origins[name],
    says: SETTINGS[name].says,
  }));
}

function shown(name: SettingName, value: unknown): string {
  if (value === undefined) return '';
  const setting = SETTINGS[name];
  if (!('secret' in setting)) return String(value);
  return setting.secret === 'url' ? withoutPasswords(String(value)) : '(hidden)';
}

/** Comma-separated addresses without their secrets, for logs and messages. */
export function withoutPasswords(urls: string): string {
  const [, scheme, user, servers] = /^(rediss?\+sentinel:\/\/)(?:([^:@/]*):[^@/]*@)?([^@?#]*)$/.exec(urls) ?? [];
  if (scheme !== undefined) return `${scheme}${user === undefined ? '' : `${user}:***@`}${servers}`;
  return urls
    .split(',')
    .map((text) => {
      const url = URL.parse(text.trim());
      if (url === null) return '(hidden)';
      if (url.password) url.password = '***';
      url.search = url.search && '?***';
      return url.href;
    })
    .join(',');
}
