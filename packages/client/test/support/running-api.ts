import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll } from 'vitest';
import { CliProcess, type Settings } from '../../../../test/support/cli.ts';
import { serviceSettings } from '../../../../test/support/service-settings.ts';
import { freshSitePool, type SmallSite, writeSite } from '../../../../test/support/small-site.ts';

const cleanUps: (() => Promise<unknown>)[] = [];

/** Registered when this module loads: what a hook registers while it runs is not called, and a process outlives its test. */
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** `recency serve` on a database of its own with this site. No consumer and no relay run, so no task is ever applied. */
export async function runningApi(
  site: SmallSite,
  more: Settings = {},
): Promise<{ readonly baseUrl: string; readonly mysqlUrl: string; readonly connection: Connection }> {
  const settings = { ...(await serviceSettings()), ...more };
  await writeSite(freshSitePool(settings.MYSQL_URL), site);
  const serve = new CliProcess(['serve'], settings);
  cleanUps.push(() => serve[Symbol.asyncDispose]());
  await serve.says('answering at');
  const connection = await createConnection({
    uri: settings.MYSQL_URL,
    supportBigNumbers: true,
    bigNumberStrings: true,
  });
  cleanUps.push(() => connection.end());
  const baseUrl = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
  return { baseUrl, mysqlUrl: settings.MYSQL_URL, connection };
}
