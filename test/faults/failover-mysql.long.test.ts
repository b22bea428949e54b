import { describe, it, onTestFinished } from 'vitest';
import { bumpEpoch } from '../../src/index/epoch.ts';
import { Database } from '../../src/mysql/database.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { CONTACTS, FailoverSite } from '../support/failover-site.ts';
import { ReplicatedMysql } from '../support/replicated-mysql.ts';
import { freshName } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

/** What changes before the failover, and what changes after it: what arrives later is then no conflict of the site's own rows. */
const [BEFORE, AFTER] = [CONTACTS.slice(0, 7), CONTACTS.slice(7)];

/** A site on the primary, behind an address that can lead to the replica. */
async function openSite(servers: ReplicatedMysql) {
  const urls = await servers.createDatabase(freshName());
  await migrate({ url: urls.primary });
  const proxy = await TcpProxy.before(urls.primary);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const site = await FailoverSite.open({ settings: { ...(await serviceSettings()), MYSQL_URL: proxy.url } });
  await servers.catchUp();
  await site.changeOnly(BEFORE);
  return { ...urls, proxy, site };
}

function openDatabase(url: string): Database {
  const database = new Database(url, { connections: 1, queue: 10, deadlineMs: 60_000 });
  onTestFinished(() => database.close());
  return database;
}

describe('a replica that takes writes before it has applied what it has received', { timeout: 600_000 }, () => {
  const servers = new ReplicatedMysql();

  it('0 wrong, also when it applies that', async () => {
    const { replica, proxy, site } = await openSite(servers);
    await servers.hold();
    await site.more(30);
    await site.changeOnly([]);
    const since = Date.now();
    proxy.leadTo(replica);
    await site.changeOnly(AFTER);
    await site.restored('a replica with a backlog', since);
    await site.more(30);
    const released = Date.now();
    await servers.release();
    await servers.catchUp();
    await site.restored('a replica with a backlog, which it applies', released);
    await site.more(30);
    await site.finish('a replica with a backlog');
  });
});

describe('of two masters one is killed before the other has received everything', { timeout: 600_000 }, () => {
  const servers = new ReplicatedMysql();

  it('0 wrong, also when it comes back, and when it is written to again', async () => {
    const { primary, replica, proxy, site } = await openSite(servers);
    await servers.followEachOther();
    await servers.cutOff();
    await bumpEpoch(openDatabase(primary), 'an epoch of the half that dies');
    await site.more(30);
    await site.changeOnly([]);
    const killed = Date.now();
    await servers.primary.kill();
    proxy.leadTo(replica);
    await site.changeOnly(AFTER);
    await site.restored('two masters, one killed', killed);
    await site.more(30);
    const back = Date.now();
    await servers.primary.restart();
    await servers.catchUp();
    await site.restored('two masters, what the dead one had arrives', back);
    await site.more(30);
    const again = Date.now();
    proxy.leadTo(primary);
    await site.restored('two masters, back to the first', again);
    await site.more(30);
    await site.finish('two masters');
  });
});
