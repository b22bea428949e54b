import process from 'node:process';
import { describe, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/mysql/migrate.ts';
import { forcedOrigin } from '../../src/tools/devservers/given.ts';
import { findDocker } from '../../src/tools/devservers/launch/container.ts';
import { FailoverSite } from '../support/failover-site.ts';
import { GroupReplication } from '../support/group-replication.ts';
import { freshName, sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

const hasContainers = forcedOrigin(process.env) !== 'programs' && typeof (await findDocker()) !== 'string';

describe.runIf(hasContainers)(
  'Group Replication, three members (containers: MariaDB has none)',
  { timeout: 600_000 },
  () => {
    it('0 wrong: the primary is killed, the others choose another, it comes back, and the primary is moved to it', async () => {
      const group = await GroupReplication.start();
      onTestFinished(() => group[Symbol.asyncDispose]());
      const name = freshName();
      const urlOf = ({ url }: { url: string }) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
      const first = await group.primaryOf(group.members);
      await sql(first.url, `CREATE DATABASE ${name}`);
      await migrate({ url: urlOf(first) });
      await using proxy = await TcpProxy.before(urlOf(first));
      const site = await FailoverSite.open({ settings: { ...(await serviceSettings()), MYSQL_URL: proxy.url } });
      await site.more(30);

      const killed = Date.now();
      await first.kill();
      const second = await group.primaryOf(group.members.filter((member) => member !== first));
      proxy.leadTo(urlOf(second));
      const chosen = ((Date.now() - killed) / 1_000).toFixed(1);
      await site.restored(`Group Replication, the primary killed, another one chosen after ${chosen} s`, killed);
      await site.more(30);
      await first.restart();
      await group.join(first);
      await site.more(30);

      const moved = Date.now();
      const [{ id } = { id: '' }] = await sql(first.url, 'SELECT @@server_uuid AS id');
      await sql(second.url, `SELECT group_replication_set_as_primary('${id}')`);
      proxy.leadTo(urlOf(await group.primaryOf([first])));
      await site.restored('Group Replication, the primary moved back', moved);
      await site.more(30);
      await site.finish('Group Replication');
    });
  },
);
