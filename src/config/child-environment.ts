import process from 'node:process';
import type { Environment } from './environment.ts';
import { PREFIX, type SettingName } from './settings.ts';

/**
 * The environment for another process of Recency: this one's own, but of the settings only these. Nothing that was meant
 * for this process reaches the other by accident.
 */
export function childEnvironment(settings: Partial<Record<SettingName, string>>): Environment {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith(PREFIX));
  const given = Object.entries(settings).map(([name, value]) => [PREFIX + name, value]);
  return Object.fromEntries([...others, ...given]);
}
