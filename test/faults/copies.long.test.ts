import { describe, it } from 'vitest';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { startProcess } from '../support/cli.ts';
import { FailoverSite, INDEXES } from '../support/failover-site.ts';
import { OwnMysql } from '../support/own-mysql.ts';
import { sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshRedis } from '../support/stores.ts';

describe('a copy of MySQL', { timeout: 600_000 }, () => {
  const mysql = new OwnMysql();

  it('0 wrong while consumers on it take the tasks of the original, and once they have gone', async () => {
    const settings = await serviceSettings();
    const site = await FailoverSite.open({ settings });
    const copy = { ...settings, ...INDEXES, MYSQL_URL: await mysql.copyOf(settings.MYSQL_URL) };
    await sql(copy.MYSQL_URL, 'DELETE FROM contacts'); // an older state: there, no task has anything to change
    await site.more(30);
    const consumer = await startProcess('consume', copy);
    await site.plain();
    await site.more(100);
    const since = Date.now();
    await consumer[Symbol.asyncDispose]();
    await site.restored('consumers on a copy of MySQL', since);
    await site.more(30);
    await site.finish('consumers on a copy of MySQL');
  });
});

describe('databases of Redis', { timeout: 600_000 }, () => {
  it('0 wrong while they are exchanged, and exchanged back', async () => {
    await using server = await startRedis();
    const redis = await freshRedis(server.url);
    const kafka = await serviceSettings('kafka');
    const site = await FailoverSite.open({ settings: { ...kafka, REDIS_URL: server.url } });
    for (const what of ['exchanged', 'back', 'exchanged again', 'back again']) {
      await site.more(30);
      const since = Date.now();
      await redis.swapdb(0, 1);
      await site.restored(`databases of Redis, ${what}`, since);
    }
    await site.more(30);
    await site.finish('databases of Redis');
  });
});
