import { type Connection, createConnection } from 'mysql2/promise';
import { CliProcess, type Settings } from '../../../../test/support/cli.ts';
import { closeAtEnd } from '../../../../test/support/servers.ts';
import { serviceSettings } from '../../../../test/support/service-settings.ts';
import { freshSitePool, type SmallSite, writeSite } from '../../../../test/support/small-site.ts';

/** `recency serve` on a database of its own with this site. No consumer and no relay run, so no task is ever applied. */
export async function runningApi(
  site: SmallSite,
  more: Settings = {},
): Promise<{ readonly baseUrl: string; readonly mysqlUrl: string; readonly connection: Connection }> {
  const settings = { ...(await serviceSettings()), ...more };
  await writeSite(freshSitePool(settings.MYSQL_URL), site);
  const serve = new CliProcess(['serve'], settings);
  closeAtEnd(() => serve[Symbol.asyncDispose]());
  await serve.says('answering at');
  const connection = await createConnection({
    uri: settings.MYSQL_URL,
    supportBigNumbers: true,
    bigNumberStrings: true,
  });
  closeAtEnd(() => connection.end());
  const baseUrl = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
  return { baseUrl, mysqlUrl: settings.MYSQL_URL, connection };
}
