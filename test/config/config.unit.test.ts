import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, test } from '@fast-check/vitest';
import { afterAll, describe, expect, it } from 'vitest';
import { describeConfig, loadConfig, readConfig, withoutPasswords } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/environment.ts';
import { SETTING_NAMES } from '../../src/config/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'recency-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function refused(environment: Record<string, string>): string {
  try {
    loadConfig(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('these settings were accepted');
}

describe('the settings', () => {
  it('have the documented defaults', () => {
    expect(loadConfig({})).toMatchObject({
      mysqlUrl: 'mysql://root@127.0.0.1:3306/recency',
      redisUrl: 'redis://127.0.0.1:6379',
      transport: 'streams',
      kafkaBrokers: ['127.0.0.1:9092'],
      kafkaGroup: 'recency',
      topic: 'recency.tasks',
      keyPrefix: 'recency',
      max: 24,
      min: 12,
      idleDays: 30,
      host: '127.0.0.1',
      port: 8470,
      logLevel: 'info',
    });
    expect(loadConfig({}).tokens).toBeUndefined();
    expect(loadConfig({}).mysqlReplicaUrl).toBeUndefined();
  });

  it('name bits, each once, and nothing that a relation is called already', () => {
    expect(loadConfig({ RECENCY_RELATIONS: 'bell:0, close_friend:30' }).relations).toEqual([
      'bell:0',
      'close_friend:30',
    ]);
    const nine = Array.from({ length: 9 }, (_, i) => `r${i}:${i}`).join(',');
    for (const wrong of [
      'bell',
      'bell:',
      'bell:31',
      'Bell:0',
      'any:0',
      'friend:0',
      'a:0,a:1',
      'a:0,b:0',
      'a:0,',
      nine,
    ]) {
      expect(refused({ RECENCY_RELATIONS: wrong }), wrong).toMatch(
        /^RECENCY_RELATIONS must be up to 8 names and bits, each once/,
      );
    }
  });

  it('name the kinds in use, each once', () => {
    expect(loadConfig({}).kinds).toEqual(['contacts']);
    expect(loadConfig({ RECENCY_KINDS: 'contacts, groups' }).kinds).toEqual(['contacts', 'groups']);
    for (const wrong of ['contact', 'contacts,', 'groups,groups', 'contacts groups', 'stores']) {
      expect(refused({ RECENCY_KINDS: wrong })).toBe(
        `RECENCY_KINDS must be one or more of contacts, groups, each once, separated by commas; it is "${wrong}"`,
      );
    }
  });

  it('show the text that is refused, also where it ends as the rule does', () => {
    expect(refused({ RECENCY_WATCHES_PER_USER: '0' })).toBe(
      'RECENCY_WATCHES_PER_USER must be a whole number from 1 to 100000; it is "0"',
    );
  });

  it('come from the environment', () => {
    const config = loadConfig({
      RECENCY_KAFKA_BROKERS: 'a:1, b.example:2,[::1]:3',
      RECENCY_MAX: '127',
      RECENCY_MIN: '126',
      OTHER: 'x',
    });
    expect(config.kafkaBrokers).toEqual(['a:1', 'b.example:2', '[::1]:3']);
    expect([config.max, config.min]).toEqual([127, 126]);
  });

  it('cannot be changed afterwards, at any depth', () => {
    const config = loadConfig({ RECENCY_TOKENS: 'secret-1:read' });
    expect(() => Object.assign(config, { max: 1 })).toThrow(TypeError);
    expect(() => (config.kafkaBrokers as string[]).push('x:1')).toThrow(TypeError);
    expect(() => Object.assign(config.tokens?.[0]?.scopes ?? {}, ['admin'])).toThrow(TypeError);
  });

  it('count an empty value as none', () => {
    expect(loadConfig({ RECENCY_PORT: '', RECENCY_TOKENS: '', RECENCY_TOKENS_FILE: '' }).port).toBe(8470);
  });
});

describe('secrets from files', () => {
  it('are read without the line end', () => {
    const RECENCY_TOKENS_FILE = file('tokens', 'secret-one:read,write\nsecret:two:admin\n');
    expect(loadConfig({ RECENCY_TOKENS_FILE }).tokens).toEqual([
      { token: 'secret-one', scopes: ['read', 'write'] },
      { token: 'secret:two', scopes: ['admin'] },
    ]);
    const RECENCY_MYSQL_URL_FILE = file('mysql', 'mysql://u:p@h/d\n');
    expect(loadConfig({ RECENCY_MYSQL_URL_FILE }).mysqlUrl).toBe('mysql://u:p@h/d');
  });

  it('are refused when the file is missing or empty, or when the setting is there as well', () => {
    expect(refused({ RECENCY_TOKENS_FILE: join(folder, 'none') })).toMatch(/^RECENCY_TOKENS_FILE .*ENOENT/);
    expect(refused({ RECENCY_TOKENS_FILE: file('empty', '\n') })).toMatch(/^RECENCY_TOKENS_FILE .*empty/);
    const both = { RECENCY_TOKENS_FILE: file('both', 'secret-1:read'), RECENCY_TOKENS: 'secret-2:read' };
    expect(refused(both)).toMatch(/^RECENCY_TOKENS is set, and so is RECENCY_TOKENS_FILE/);
  });

  it('only: a setting that is no secret has no file', () => {
    expect(refused({ RECENCY_PORT_FILE: '/x' })).toMatch(/^RECENCY_PORT_FILE is not a setting/);
  });
});

describe('an unknown name', () => {
  it.each([
    ['RECENCY_PROT', 'RECENCY_PORT'],
    ['RECENCY_MYSQLURL', 'RECENCY_MYSQL_URL'],
    ['RECENCY_TOKEN', 'RECENCY_TOKENS'],
    ['RECENCY_REDIS_URLS', 'RECENCY_REDIS_URL'],
    ['RECENCY_TOKENS_FIEL', 'RECENCY_TOKENS_FILE'],
    ['RECENCY_kafka_brokers', 'RECENCY_KAFKA_BROKERS'],
  ])('%s is refused with the nearest known one', (name, meant) => {
    expect(refused({ [name]: 'secret-value' })).toBe(`${name} is not a setting. Did you mean ${meant}?`);
  });

  it('that is like no other is refused without a guess', () => {
    expect(refused({ RECENCY_QUITE_ANOTHER_THING: '1' })).toBe('RECENCY_QUITE_ANOTHER_THING is not a setting');
  });
});

describe('a budget of heavy queries', () => {
  it('that could take every connection is refused, and one that leaves one is not', () => {
    expect(refused({ RECENCY_PLAIN_CONCURRENCY: '10' })).toMatch(
      /^RECENCY_PLAIN_CONCURRENCY must be less than RECENCY_MYSQL_CONNECTIONS \(10 ≥ 10\)/,
    );
    expect(refused({ RECENCY_MYSQL_CONNECTIONS: '1', RECENCY_PLAIN_CONCURRENCY: '1' })).toContain('MYSQL_CONNECTIONS');
    expect(loadConfig({ RECENCY_PLAIN_CONCURRENCY: '9' }).plainConcurrency).toBe(9);
  });
});

describe('a wrong value', () => {
  it.each([
    ['RECENCY_MAX', '128'],
    ['RECENCY_MAX', '0'],
    ['RECENCY_MAX', '1e1'],
    ['RECENCY_MAX', '24.5'],
    ['RECENCY_MAX', '２４'],
    ['RECENCY_MIN', '-1'],
    ['RECENCY_PORT', '65536'],
    ['RECENCY_REDIS_TIMEOUT_MS', '0'],
    ['RECENCY_MYSQL_TIMEOUT_MS', '0'],
    ['RECENCY_CONNECT_TIMEOUT_MS', '0'],
    ['RECENCY_KAFKA_TIMEOUT_MS', '0'],
    ['RECENCY_SHUTDOWN_TIMEOUT_MS', '0'],
    ['RECENCY_START_TIMEOUT_MS', '0'],
    ['RECENCY_TRANSPORT', 'rabbit'],
    ['RECENCY_KAFKA_BROKERS', 'a:1,'],
    ['RECENCY_KAFKA_BROKERS', 'localhost'],
    ['RECENCY_KEY_PREFIX', 'a{b}'],
    ['RECENCY_TOPIC', 'a topic'],
    ['RECENCY_HOST', 'a b'],
    ['RECENCY_LOG_LEVEL', 'loud'],
    ['RECENCY_MYSQL_URL', 'mysql://h'],
    ['RECENCY_MYSQL_URL', 'postgres://h/d'],
    ['RECENCY_REDIS_URL', 'redis://a:1,b:2'],
    ['RECENCY_TOKENS', 'secret-1'],
    ['RECENCY_TOKENS', 'secret-1:'],
    ['RECENCY_TOKENS', 'secret-1:root'],
    ['RECENCY_TOKENS', 'short:read'],
    ['RECENCY_TOKENS', 'secret-1:read secret-1:write'],
  ])('%s=%s is refused by its name', (name, value) => {
    const message = refused({ [name]: value });
    expect(message).toMatch(new RegExp(`^${name} (must be|is wrong)`));
    expect(message).not.toContain('secret-1');
  });

  it('is told with all the others', () => {
    const message = refused({ RECENCY_MAX: '0', RECENCY_PORT: 'x', RECENCY_NONE: '1' });
    expect(message.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'RECENCY_NONE',
      'RECENCY_MAX',
      'RECENCY_PORT',
    ]);
  });

  it('is a min that is not below max, or below the default limit', () => {
    expect(refused({ RECENCY_MIN: '24' })).toMatch(/^RECENCY_MIN must be less than RECENCY_MAX/);
    expect(refused({ RECENCY_MAX: '12' })).toMatch(/^RECENCY_MIN must be less than RECENCY_MAX/);
    expect(refused({ RECENCY_MIN: '9' })).toMatch(/^RECENCY_MIN must be at least 10/);
    expect(loadConfig({ RECENCY_MIN: '10', RECENCY_MAX: '11' }).min).toBe(10);
  });
});

describe('what is shown', () => {
  it('is every setting, its value, and where it came from', () => {
    const rows = describeConfig(
      readConfig({ RECENCY_PORT: '99', RECENCY_MYSQL_URL_FILE: file('m', 'mysql://u:p%40ss@h/d') }),
    );
    expect(rows).toHaveLength(SETTING_NAMES.length);
    const row = (name: string) => rows.find((one) => one.name === name);
    expect(row('RECENCY_PORT')).toMatchObject({ value: '99', origin: 'environment' });
    expect(row('RECENCY_MAX')).toMatchObject({ value: '24', origin: 'default' });
    expect(row('RECENCY_MYSQL_URL')).toMatchObject({ value: 'mysql://u:***@h/d', origin: `file ${join(folder, 'm')}` });
    expect(row('RECENCY_TOKENS')).toMatchObject({ value: '', origin: 'default' });
  });

  const secret = fc.stringMatching(/^[A-Za-z0-9]{12,30}$/);
  test.prop([secret])('holds no secret', (text) => {
    const rows = describeConfig(
      readConfig({
        RECENCY_TOKENS: `${text}:read`,
        RECENCY_MYSQL_URL: `mysql://u:${text}@h/d?password=${text}`,
        RECENCY_REDIS_URL: `redis://:${text}@a:1,rediss://u:${text}@b:2`,
      }),
    );
    expect(JSON.stringify(rows)).not.toContain(text);
  });

  test.prop([secret, fc.constantFrom('RECENCY_TOKENS', 'RECENCY_MYSQL_URL', 'RECENCY_REDIS_URL')])(
    'of a refusal is no secret',
    (text, name) => {
      expect(refused({ [name]: text })).not.toContain(text);
    },
  );

  test.prop([fc.string()])('never throws on what is no address', (text) => {
    expect(typeof withoutPasswords(text)).toBe('string');
  });
});

describe('.env.example', () => {
  const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
  const given = [...text.matchAll(/^(?:# )?(RECENCY_[A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);

  it('names every setting with its default', () => {
    expect(given.map(([name]) => name)).toEqual(SETTING_NAMES.map((name) => `RECENCY_${name}`));
    expect({ ...loadConfig(Object.fromEntries(given)), given: [] }).toEqual(loadConfig({}));
  });
});
