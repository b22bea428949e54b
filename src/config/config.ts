import process from 'node:process';
import { DEFAULT_LIMIT } from '../contracts/http.ts';
import { ConfigError, type SettingProblem } from './config-error.ts';
import { connectionContradictions } from './connection-rules.ts';
import { type Environment, textOf, unknownNames } from './environment.ts';
import { type Config, PREFIX, SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

export type { Config } from './settings.ts';

export interface ReadConfig {
  readonly config: Config;
  /** Where each came from: `default`, `environment` or `file …`. */
  readonly origins: Readonly<Record<SettingName, string>>;
}

/** @throws ConfigError naming every setting that is wrong; it shows no secret */
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
  const config = values as Config;
  if (problems.length === 0) problems.push(...contradictions(config), ...connectionContradictions(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return { config: deepFreeze(config), origins };
}

function parse(name: SettingName, text: string, problems: SettingProblem[]): unknown {
  const parsed = SETTINGS[name].schema.safeParse(text);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  problems.push({ name: PREFIX + name, message: issue?.message ?? 'is wrong' });
  return undefined;
}

/** Settings that are right by themselves and wrong together. */
function contradictions({ min, max, plainConcurrency, mysqlConnections }: Config): SettingProblem[] {
  const problems: SettingProblem[] = [];
  if (min >= max) problems.push({ name: `${PREFIX}MIN`, message: `must be less than ${PREFIX}MAX (${min} ≥ ${max})` });
  if (plainConcurrency >= mysqlConnections) {
    const message = `must be less than ${PREFIX}MYSQL_CONNECTIONS (${plainConcurrency} ≥ ${mysqlConnections}), or heavy queries keep all others waiting`;
    problems.push({ name: `${PREFIX}PLAIN_CONCURRENCY`, message });
  }
  if (min < DEFAULT_LIMIT) {
    const message = `must be at least ${DEFAULT_LIMIT}, the number of contacts that an answer has by default`;
    problems.push({ name: `${PREFIX}MIN`, message });
  }
  return problems;
}

export function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
