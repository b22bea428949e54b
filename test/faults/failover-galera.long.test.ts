import { describe, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/mysql/migrate.ts';
import { FailoverSite } from '../support/failover-site.ts';
import { canStartGalera, Galera } from '../support/galera.ts';
import { freshName, sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

/** A cluster with a migrated database. Returns the database's URL on each node. */
async function startGalera() {
  const galera = await Galera.start();
  onTestFinished(() => galera[Symbol.asyncDispose]());
  const name = freshName();
  const urls = galera.nodes.map(({ url }) => Object.assign(new URL(url), { pathname: `/${name}` }).href);
  const [first = '', second = '', third = ''] = urls;
  await sql(galera.nodes[0]?.url ?? '', `CREATE DATABASE ${name}`);
  await migrate({ url: first });
  await galera.untilJoined();
  return { galera, first, second, third };
}

describe.runIf(canStartGalera())(
  'Galera, three nodes (programs: it needs mariadbd and galera-4)',
  { timeout: 600_000 },
  () => {
    it('0 wrong: the one that is written to is killed, another takes its place, and it comes back', async () => {
      const { galera, second, third } = await startGalera();
      const [first, killed] = galera.nodes;
      await using proxy = await TcpProxy.before(second);
      const settings = { ...(await serviceSettings()), MYSQL_URL: proxy.url };
      const site = await FailoverSite.open({ settings });
      await site.more(30);
      let since = Date.now();
      await killed?.kill();
      proxy.leadTo(third);
      await site.restored('Galera, its writer killed', since);
      await site.more(30);
      await killed?.restart();
      await galera.untilJoined();
      since = Date.now();
      proxy.leadTo(second);
      await site.restored('Galera, back to the node that was killed', since);
      await site.more(30);
      since = Date.now();
      proxy.leadTo(first === undefined ? '' : third.replace(new URL(third).host, new URL(first.url).host));
      await site.restored('Galera, a node replaced by another, both in service', since);
      await site.more(30);
      await site.finish('Galera with one writer');
    });

    it('0 wrong: the site writes to two at once, and Recency uses one of them', async () => {
      const { first, second } = await startGalera();
      const settings = { ...(await serviceSettings()), MYSQL_URL: first };
      const setUp = 'SET SESSION wsrep_sync_wait = 1';
      const site = await FailoverSite.open({ settings, writeTo: [first, second], setUp });
      await site.more(100);
      await site.finish('Galera with two writers');
    });
  },
);
