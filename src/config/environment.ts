/** Settings as they are in the environment: their texts, unknown names, and the error that names what is wrong. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { nearestName, UserError } from '../contracts/user-error.ts';
import { isSecret, PREFIX, SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

/** A setting that cannot be used, and why. */
export interface SettingProblem {
  /** With the prefix. */
  readonly name: string;
  readonly message: string;
}

/** The settings cannot be used. The message names each wrong one, and contains no secret. */
export class ConfigError extends UserError {
  override readonly name = 'ConfigError';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super(problems.map((problem) => `${problem.name} ${problem.message}`).join('\n'));
    this.problems = problems;
  }

  override get kind() {
    return 'wrong_use' as const;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The text of one setting. */
interface SettingText {
  readonly text: string | undefined;
  /** Where it came from, for people. */
  readonly origin: string;
}

/**
 * The text of a setting from the environment, a file or its default. An empty value counts as none, because compose
 * files and shells pass on unset variables that way.
 * @param problems what is wrong is added here
 */
export function textOf(name: SettingName, environment: Environment, problems: SettingProblem[]): SettingText {
  const direct = environment[PREFIX + name] || undefined;
  const file = isSecret(name) ? environment[`${PREFIX + name}_FILE`] || undefined : undefined;
  if (direct !== undefined && file !== undefined) {
    problems.push({ name: PREFIX + name, message: `is set, and so is ${PREFIX + name}_FILE: keep one of them` });
  }
  if (direct !== undefined) return { text: direct, origin: 'environment' };
  if (file !== undefined) return { text: readSecret(name, file, problems), origin: `file ${file}` };
  return { text: SETTINGS[name].fallback, origin: 'default' };
}

function readSecret(name: SettingName, file: string, problems: SettingProblem[]): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text !== '') return text;
    problems.push({ name: `${PREFIX + name}_FILE`, message: `names an empty file: ${file}` });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    problems.push({ name: `${PREFIX + name}_FILE`, message: `names a file that cannot be read (${reason}): ${file}` });
  }
  return undefined;
}

/** The files whose contents are settings: secrets, certificates and keys. */
export function filesOf(environment: Environment = process.env): string[] {
  const names = SETTING_NAMES.map((name) => {
    if (isSecret(name)) return `${PREFIX + name}_FILE`;
    return /_TLS_(?:CA|CERT|KEY)$/.test(name) ? PREFIX + name : '';
  });
  return names.flatMap((name) => environment[name] || []);
}

/** Names that are not settings. Otherwise a mistyped one would silently leave its default in force. */
export function unknownNames(environment: Environment): SettingProblem[] {
  const known = SETTING_NAMES.flatMap((name) => [PREFIX + name, ...(isSecret(name) ? [`${PREFIX + name}_FILE`] : [])]);
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      return { name, message: `is not a setting${nearest === undefined ? '' : `. Did you mean ${nearest}?`}` };
    });
}

/** Did `npx` or `npm run` start this process, or a process that started it? npm says so to whatever it runs. */
export function isStartedByNpm(): boolean {
  return process.env.npm_lifecycle_event !== undefined;
}

/** The environment for another process of Recency: this process's own with no other settings than these. */
export function childEnvironment(settings: Partial<Record<SettingName, string>>): Environment {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith(PREFIX));
  const given = Object.entries(settings).map(([name, value]) => [PREFIX + name, value]);
  return Object.fromEntries([...others, ...given]);
}
