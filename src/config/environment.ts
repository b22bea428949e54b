import { readFileSync } from 'node:fs';
import type { SettingProblem } from './config-error.ts';
import { nearestName } from './nearest-name.ts';
import { isSecret, PREFIX, SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The text of one setting. `origin` is where it came from, for people. */
export interface SettingText {
  readonly text: string | undefined;
  readonly origin: string;
}

/** An empty value counts as none: that is how compose files and shells pass on what is not set. */
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

/** A mistyped name would otherwise leave its default in force without a word. */
export function unknownNames(environment: Environment): SettingProblem[] {
  const known = SETTING_NAMES.flatMap((name) => [PREFIX + name, ...(isSecret(name) ? [`${PREFIX + name}_FILE`] : [])]);
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      return { name, message: `is not a setting${nearest === undefined ? '' : `. Did you mean ${nearest}?`}` };
    });
}
