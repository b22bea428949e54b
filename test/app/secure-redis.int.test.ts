import { copyFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkRedisUse, closeRedis, openRedisClient, untilRedisAnswers } from '../../src/app/open-redis.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { SettingName } from '../../src/config/settings.ts';
import type { RedisRole } from '../../src/mysql/redis-masters.ts';
import { readMasters } from '../../src/redis/masters.ts';
import { aclRules } from '../../src/redis/permissions.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { findProgram } from '../../src/tools/devservers/launch/machine.ts';
import { type CertificateFiles, TestCa } from '../support/certificates.ts';
import { MASTER, RedisSentinels } from '../support/redis-sentinels.ts';
import { SecureRedis } from '../support/secure-redis.ts';
import { until } from '../support/until.ts';
import { logger } from '../transport/place.ts';

type Settings = Partial<Record<SettingName, string>>;

const signal = new AbortController().signal;

/** Streams work without them, only slower. */
const HINTS = ['+spublish', '+ssubscribe', '+sunsubscribe'];

const configOf = (settings: Settings) =>
  loadConfig(Object.fromEntries(Object.entries(settings).map(([name, value]) => [`RECENCY_${name}`, value])));

async function opened(settings: Settings, role: RedisRole = 'index') {
  const config = configOf(settings);
  const client = openRedisClient(config, 'test', logger, role);
  onTestFinished(() => closeRedis(client));
  await untilRedisAnswers(client, { config, signal, logger }, role);
  return client;
}

async function refusal(settings: Settings): Promise<string> {
  const error = await opened({ START_TIMEOUT_MS: '120000', ...settings }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'StartError' });
  return (error as Error).message;
}

describe.runIf(findProgram('redis-server') !== undefined)(
  'Redis over TLS, with an account (programs: it needs redis-server on the path)',
  () => {
    let ca: TestCa;
    let redis: SecureRedis;
    let client: CertificateFiles;

    beforeAll(async () => {
      ca = await TestCa.create();
      client = await ca.issue('client', { name: 'recency' });
      redis = await SecureRedis.start(ca);
      await redis.admin.call('ACL', 'SETUSER', 'site', 'on', '>p@ss:w/rd', '~*', '+@all');
    });
    afterAll(async () => {
      await redis?.[Symbol.asyncDispose]();
      ca?.remove();
    });

    const files = () => ({ REDIS_TLS_CA: ca.file, REDIS_TLS_CERT: client.cert, REDIS_TLS_KEY: client.key });
    const LOGIN = 'site:p%40ss%3Aw%2Frd';
    const settings = (more: Settings = {}): Settings => ({ REDIS_URL: redis.url(LOGIN), ...files(), ...more });

    it('logs in as that user, also to the Redis that carries the tasks', async () => {
      const own = await opened(settings());
      expect(await own.call('ACL', 'WHOAMI')).toBe('site');
      const tasks = await opened(settings({ REDIS_URL: redis.server.url, STREAMS_URL: redis.url(LOGIN) }), 'streams');
      expect(await tasks.call('ACL', 'WHOAMI')).toBe('site');
    });

    it('a refusal names the setting and the reason, and is not retried', async () => {
      const begun = performance.now();
      expect(await refusal(settings({ REDIS_URL: redis.url('site:wrong') }))).toMatch(/WRONGPASS.*RECENCY_REDIS_URL/);
      const { REDIS_TLS_CA: _, ...noCa } = settings();
      expect(await refusal(noCa)).toMatch(
        /^The certificate of Redis at rediss:\/\/site:\*\*\*@127\.0\.0\.1:\d+ is refused: it is signed by a CA that is not known here.*RECENCY_REDIS_TLS_CA/,
      );
      expect(await refusal(settings({ REDIS_URL: redis.url(LOGIN, 'localhost') }))).toMatch(
        /it is for another host name/,
      );
      const noClient = { REDIS_URL: redis.url(LOGIN), REDIS_TLS_CA: ca.file };
      expect(await refusal(noClient)).toMatch(
        /refuses the TLS handshake: it asks for a client certificate.*RECENCY_REDIS_TLS_CERT/,
      );
      expect(performance.now() - begun).toBeLessThan(60_000);
    });

    it('connects with a certificate that was replaced meanwhile, but not with half of one', async () => {
      const own = await ca.issue('renewed', { name: 'recency' });
      const other = await TestCa.create('Another CA');
      onTestFinished(() => other.remove());
      const strange = await other.issue('strange', { name: 'recency' });
      const connection = await opened(settings({ REDIS_TLS_CERT: own.cert, REDIS_TLS_KEY: own.key }));
      const refused: string[] = [];
      connection.on('error', ({ message }: Error) => void refused.push(message));
      const again = async () => await redis.admin.call('CLIENT', 'KILL', 'USER', 'site');
      const answers = () => connection.ping().catch(() => undefined);

      copyFileSync(strange.cert, own.cert); // whose key is still the other one
      await again();
      await until(answers);
      expect(refused.filter((message) => /ALERT|alert|key/.test(message))).toEqual([]);
      copyFileSync(strange.key, own.key);
      await again();
      await until(() => refused.some((message) => /unknown ca/i.test(message)));
      await ca.issue('renewed', { name: 'recency' });
      await until(answers);
    });

    it('works on a cluster, whose other nodes are found through the first', async () => {
      await using node = await SecureRedis.start(ca, [
        ...['--cluster-enabled', 'yes', '--tls-cluster', 'yes', '--cluster-announce-ip', '127.0.0.1'],
        ...['--cluster-port', `${await freePort()}`],
      ]);
      await node.admin.call('ACL', 'SETUSER', 'site', 'on', '>p@ss:w/rd', '~*', '+@all');
      await node.admin.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16383);
      await until(async () => /cluster_state:ok/.test(String(await node.admin.call('CLUSTER', 'INFO'))));
      const url = node.url(LOGIN);
      const cluster = await opened(settings({ REDIS_URL: `${url},${url}` }));
      expect(cluster.isCluster).toBe(true);
      expect(await cluster.call('ACL', 'WHOAMI')).toBe('site');
      expect(await readMasters(cluster)).toHaveLength(1);
      await node.admin.call('ACL', 'SETUSER', 'site', '-cluster|nodes');
      const config = configOf(settings({ REDIS_URL: `${url},${url}` }));
      await expect(checkRedisUse(cluster, config)).rejects.toThrow(/Redis denies this user.* \+cluster\|nodes$/);
    });

    it('asks a Sentinel that requires TLS and a password for the master', async () => {
      const own = await ca.issue('sentinel', { name: 'sentinel', hosts: ['127.0.0.1'] });
      const tls = [`tls-ca-cert-file ${ca.file}`, `tls-cert-file ${own.cert}`, `tls-key-file ${own.key}`];
      await using sentinels = await RedisSentinels.start(1, redis.tlsPort, [
        ...['port 0', 'tls-port %PORT%', 'tls-replication yes', ...tls],
        'requirepass of-sentinel',
      ]);
      const url = `rediss+sentinel://${LOGIN}@${sentinels.addresses}/${MASTER}/3`;
      const followed = settings({ REDIS_URL: url, REDIS_SENTINEL_PASSWORD: 'of-sentinel' });
      const client = await opened(followed);
      expect(await client.call('ACL', 'WHOAMI')).toBe('site');
      expect(String(await client.call('CLIENT', 'INFO'))).toMatch(/ db=3 /);
      expect(await readMasters(client)).toMatchObject([{ address: `127.0.0.1:${redis.tlsPort}` }]);
      const wrong = { ...followed, REDIS_SENTINEL_PASSWORD: 'wrong' };
      expect(await refusal(wrong)).toMatch(
        /^The Sentinels refuse this user: .*WRONGPASS.*RECENCY_REDIS_SENTINEL_PASSWORD/,
      );
    });

    it('each command and key pattern that the user is not allowed to use is named', async () => {
      const uses = { index: true, tasks: true };
      const rules = aclRules('least', uses);
      await redis.admin.call('ACL', 'SETUSER', 'least', 'on', '>secret', ...rules);
      const least = settings({ REDIS_URL: redis.url('least:secret'), KEY_PREFIX: 'least' });
      const config = configOf(least);
      const client = await opened(least);
      const commands = rules.filter((one) => one.startsWith('+'));
      for (const rule of commands.filter((one) => !HINTS.includes(one))) {
        await redis.admin.call('ACL', 'SETUSER', 'least', `-${rule.slice(1)}`);
        const error = (await checkRedisUse(client, config).catch((thrown: unknown) => thrown)) as Error;
        expect(error, rule).toMatchObject({ name: 'StartError' });
        expect(error.message).toMatch(new RegExp(`Redis denies this user.*\\${rule.replace('|', '\\|')}( |$)`, 's'));
        await redis.admin.call('ACL', 'SETUSER', 'least', rule);
      }
      await redis.admin.call('ACL', 'SETUSER', 'least', '-info', '+info|server');
      await expect(checkRedisUse(client, config)).rejects.toThrow(/Redis denies this user.* \+info$/);
      await redis.admin.call('ACL', 'SETUSER', 'least', '+info');
      for (const rule of HINTS) await redis.admin.call('ACL', 'SETUSER', 'least', `-${rule.slice(1)}`);
      expect(await checkRedisUse(client, config), 'streams without hints').toBe('usable');
      await redis.admin.call('ACL', 'SETUSER', 'least', 'resetkeys', '~other:*');
      await expect(checkRedisUse(client, config)).rejects.toThrow(/denies this user.*~least:\*/s);
    });
  },
);
