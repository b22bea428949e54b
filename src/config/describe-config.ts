import { camelCase, type ReadConfig } from './config.ts';
import { PREFIX, SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

/** One setting in force, fit to be shown. */
export interface SettingDescription {
  readonly name: string;
  /** Without its secrets; '' when there is no value. */
  readonly value: string;
  readonly origin: string;
  readonly says: string;
}

/** Every setting in force, where it came from, secrets hidden. */
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

/** The addresses, comma-separated, without what is secret in them. Fit for logs and messages. */
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
