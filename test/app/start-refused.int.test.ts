import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkRedisUse } from '../../src/app/open-redis.ts';
import { failureOf } from '../../src/cli/exit-code.ts';
import { loadConfig } from '../../src/config/config.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { reply } from '../../src/redis/unavailable.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import type { Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { freshDatabase, freshName, mysqlUrl, redisUrl, sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { migratedDatabase } from '../support/stores.ts';

let settings: Settings & { MYSQL_URL: string };
beforeAll(async () => {
  settings = await serviceSettings();
});

/** Where a server is away, or may work in a moment: the start waits for it, and for those that answer as well. */
const SOON = { START_TIMEOUT_MS: '3000' };

/** A failed start exits with 1 and says in a few lines what is wrong and how to fix it. */
async function refused(command: string, changes: Settings, message: RegExp): Promise<void> {
  const { code, stderr } = await runInProcess([command], { ...settings, ...changes });
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/\n {4}at |should not have happened/);
  expect(code).toBe(1);
}

async function migrated(...statements: string[]): Promise<Settings> {
  const url = await migratedDatabase();
  await sql(url, ...statements);
  return { MYSQL_URL: url };
}

describe('MySQL', () => {
  it.each(['consume', 'relay', 'backfill', 'migrate', 'epoch show'])('is unavailable: %s', async (command) => {
    const { code, stderr } = await runInProcess(command.split(' '), {
      ...{ ...settings, ...SOON },
      MYSQL_URL: 'mysql://root@127.0.0.1:1/x',
    });
    expect(stderr).toMatch(
      /^No MySQL answers at 127\.0\.0\.1:1 \(.*ECONNREFUSED.*\)\. Start it, or set RECENCY_MYSQL_URL/,
    );
    expect(code).toBe(1);
  });

  it('refuses the password, which is not shown', async () => {
    const url = new URL(settings.MYSQL_URL);
    Object.assign(url, { username: 'nobody', password: 'secret-word' });
    const { code, stderr } = await runInProcess(['serve'], { ...settings, MYSQL_URL: url.href });
    expect(stderr).toMatch(/refuses user "nobody": wrong user or password.* Fix RECENCY_MYSQL_URL/);
    expect(stderr).not.toContain('secret-word');
    expect(code).toBe(1);
  });

  it('has no such database', async () => {
    const url = new URL(settings.MYSQL_URL);
    url.pathname = `/${freshName()}`;
    await refused('serve', { MYSQL_URL: url.href }, /has no database "t\w+"\. Run `recency migrate`/);
  });

  it("lacks Recency's tables", async () => {
    await refused('relay', { MYSQL_URL: await freshDatabase() }, /has no recency_epoch \(.*Run `recency migrate`/s);
  });

  it("has one of Recency's tables as it was before", async () => {
    const older = await migrated('ALTER TABLE recency_epoch DROP COLUMN seen_in_use');
    await refused('serve', older, /recency_epoch is of an older version \(.*seen_in_use.*\)\. Run `recency migrate`/);
  });

  it('lacks the views', async () => {
    const url = await freshDatabase();
    await migrate({ url, viewsOnly: true });
    await refused('serve', { MYSQL_URL: url }, /has no recency_contacts \(.*migrate --views-only/s);
  });

  it('has a view without a column', async () => {
    const narrow = 'CREATE OR REPLACE VIEW recency_photos AS SELECT id, owner_id, audience, uploaded_at FROM photos';
    await refused('consume', await migrated(narrow), /The view recency_photos lacks what Recency needs: .*title/);
  });

  it('has a view whose table is gone', async () => {
    await refused('consume', await migrated('DROP TABLE photos'), /The view recency_photos lacks what Recency needs/);
  });

  it('has no table of what users have seen, because it is not migrated yet', async () => {
    await refused('serve', await migrated('DROP TABLE recency_seen'), /has no recency_seen \(.*Run `recency migrate`/s);
  });

  it('has no epoch', async () => {
    await refused(
      'serve',
      await migrated('DELETE FROM recency_epoch'),
      /recency_epoch is empty. Run `recency migrate`/,
    );
  });

  it('lacks the index for the followers', async () => {
    await refused(
      'consume',
      await migrated('ALTER TABLE contacts DROP KEY contacts_followers'),
      /followers of an uploader .*no index serves it.*an index on \(contact_id, user_id/,
    );
  });

  it('lacks the index for the photos', async () => {
    await refused(
      'serve',
      await migrated('ALTER TABLE photos DROP KEY photos_newest'),
      /newest photos of an uploader .*an index on \(owner_id, audience, uploaded_at, id\)/,
    );
  });

  it('has a view that does not merge', async () => {
    const distinct =
      'CREATE OR REPLACE VIEW recency_photos AS SELECT DISTINCT id, owner_id, audience, uploaded_at, title FROM photos';
    await refused('serve', await migrated(distinct), /does not merge.*ALGORITHM=MERGE/);
  });

  it('does not allow this user to read', async () => {
    const user = freshName();
    const url = new URL(settings.MYSQL_URL);
    const database = url.pathname.slice(1);
    await sql(
      mysqlUrl(),
      `CREATE USER ${user} IDENTIFIED BY 'pw'`,
      `GRANT SELECT ON ${database}.recency_epoch TO ${user}`,
    );
    onTestFinished(async () => void (await sql(mysqlUrl(), `DROP USER ${user}`)));
    Object.assign(url, { username: user, password: 'pw' });
    await refused('relay', { MYSQL_URL: url.href }, /does not allow user "t\w+" to read recency_\w+.*GRANT SELECT/s);
  });

  it('is a replica that refuses the password', async () => {
    const url = new URL(settings.MYSQL_URL);
    Object.assign(url, { username: 'nobody', password: 'secret-word' });
    await refused('serve', { MYSQL_REPLICA_URL: url.href }, /refuses user "nobody".*RECENCY_MYSQL_REPLICA_URL/);
  });
});

describe('Redis', () => {
  it.each(['consume', 'relay', 'inspect 1', 'dlq list'])('is unavailable: %s', async (command) => {
    const away = { ...SOON, REDIS_URL: 'redis://127.0.0.1:1' };
    const { code, stderr } = await runInProcess(command.split(' '), { ...settings, ...away });
    expect(stderr).toMatch(/^No Redis answers at redis:\/\/127\.0\.0\.1:1 .*Start it, or set RECENCY_REDIS_URL/);
    expect(code).toBe(1);
  });

  it('answers but refuses commands: the error gives the reason, not that Redis is unreachable', async () => {
    await using server = await startRedis({ args: ['--maxmemory-policy', 'noeviction'] });
    const redis = new Redis(server.url);
    onTestFinished(() => redis.disconnect());
    await redis.config('SET', 'maxmemory', '1');
    const written = reply(redis.eval("return redis.call('SET', 'a', '1')", 0));
    const { message } = failureOf(await written.catch((error: unknown) => error));
    expect(message).toMatch(/^Redis is out of memory: OOM .*\. Raise its maxmemory, or free some of it\.$/);
    expect(await checkRedisUse(redis, loadConfig({})), 'a start goes on').toBe('full');
    await redis.config('SET', 'maxmemory', '0');
    await redis.config('SET', 'min-replicas-to-write', '1');
    await refused(
      'consume',
      { ...SOON, ...(await migrated()), REDIS_URL: server.url },
      /^Redis at redis:\/\/[\d.]+:\d+ has too few replicas to take writes \(NOREPLICAS.*\)\. Start them/m,
    );
  });

  it('requires a password, or a different one, which is not shown', async () => {
    await using server = await startRedis();
    const redis = new Redis(server.url);
    await redis.config('SET', 'requirepass', 'right-word'); // not at its start: it is looked whether it answers
    redis.disconnect();
    const { host } = new URL(server.url);
    const fresh = await migrated();
    await refused('consume', { ...fresh, REDIS_URL: server.url }, /Redis refuses this user: NOAUTH/);
    await refused(
      'consume',
      { ...fresh, REDIS_URL: `redis://:wrong-word@${host}` },
      /^Redis refuses this user: WRONGPASS(?!.*wrong-word)/,
    );
    await refused('serve', { ...fresh, REDIS_URL: server.url }, /Redis refuses this user: NOAUTH/);
  });

  it('does not allow this user to run commands', async () => {
    const rights = ['user', 'limited', 'on', '>pw', '~none:*', '+@all'];
    await using server = await startRedis({ args: ['--user', ...rights.slice(1)] });
    const url = server.url.replace('redis://', 'redis://limited:pw@');
    await refused(
      'serve',
      { ...(await migrated()), REDIS_URL: url },
      /Redis denies this user a command or a key: .*NOPERM.*ACL SETUSER/s,
    );
  });

  it('is not a cluster, but several addresses are given', async () => {
    const urls = `${settings.REDIS_URL},${settings.REDIS_URL}`;
    await refused('verify', { ...SOON, REDIS_URL: urls }, /is not a cluster\. Set RECENCY_REDIS_URL to one address\./);
  });

  it('is a replica', async () => {
    await using server = await startRedis({ args: ['--replicaof', '127.0.0.1', '1'] });
    await refused('consume', { ...(await migrated()), REDIS_URL: server.url }, /is a replica/);
  });
});

describe('the demonstration', () => {
  it('refuses a server given by the environment', async () => {
    const url = new URL(mysqlUrl());
    Object.assign(url, { username: 'nobody', password: 'secret-word' });
    const { code, stdout, stderr } = await runInProcess(['demo', '--json', '--transport', 'streams'], {
      MYSQL_URL: url.href,
      REDIS_URL: redisUrl(),
    });
    expect(stderr).toMatch(
      /^RECENCY_MYSQL_URL: the server at \S+ refuses this user \(.*\): fix its user or password, or unset/m,
    );
    expect(stdout + stderr).not.toMatch(/secret-word|\n {4}at /);
    expect(code).toBe(1);
  });
});

describe('other failures to start', () => {
  it.each(['consume', 'relay'])('no broker: %s', async (command) => {
    const kafka = { ...SOON, ...(await migrated()), TRANSPORT: 'kafka', KAFKA_BROKERS: '127.0.0.1:1' };
    await refused(
      command,
      kafka,
      /^No Kafka broker answers at 127\.0\.0\.1:1 .*RECENCY_KAFKA_BROKERS.*RECENCY_TRANSPORT=streams/m,
    );
  });

  it.each(['consume', 'relay'])('the broker address belongs to something else: %s', async (command) => {
    const kafka = { ...SOON, ...(await migrated()), TRANSPORT: 'kafka', KAFKA_BROKERS: new URL(redisUrl()).host };
    await refused(command, kafka, /^No Kafka broker answers at .*RECENCY_KAFKA_BROKERS/m);
  });

  it('a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const port = String((server.address() as { port: number }).port);
    await refused('serve', { PORT: port }, /port \d+ on 127\.0\.0\.1 is in use.*RECENCY_PORT/);
  });

  it('a public listen address without tokens', async () => {
    await refused('serve', { HOST: '0.0.0.0' }, /Without tokens.*loopback only.*RECENCY_TOKENS/);
  });

  it.each(['consume', 'relay'])('a failed start records no shared settings: %s', async (command) => {
    const fresh = await migrated();
    const mistake = { ...SOON, ...fresh, TRANSPORT: 'kafka', KAFKA_BROKERS: '127.0.0.1:1' };
    await refused(command, mistake, /^No Kafka broker answers/m);
    expect((await runInProcess(['verify'], { ...settings, ...fresh })).code).toBe(0);
  });

  it("settings that differ from the other processes'", async () => {
    const remembers = "INSERT INTO recency_settings (name, value) VALUES ('setting:KEY_PREFIX', 'theirs')";
    await refused(
      'consume',
      { ...(await migrated(remembers)), KEY_PREFIX: 'another' },
      /RECENCY_KEY_PREFIX is "another" here.*recency config adopt/s,
    );
  });
});
