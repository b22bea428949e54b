import { type Config, loadConfig } from '../config/config.ts';
import type { Database } from '../mysql/database.ts';
import { openPrimary, untilMysqlAnswers } from './open-mysql.ts';

const never = new AbortController().signal;

/** Does some work on the primary, and closes it. @throws ConfigError, StartError, what the work throws */
export async function withPrimary<T>(
  work: (opened: { config: Config; primary: Database }) => Promise<T>,
  signal: AbortSignal = never,
): Promise<T> {
  const config = loadConfig();
  const primary = openPrimary(config);
  try {
    const { mysqlUrl: url, startTimeoutMs: timeoutMs } = config;
    await untilMysqlAnswers(primary, { url, setting: 'RECENCY_MYSQL_URL', timeoutMs, signal });
    return await work({ config, primary });
  } finally {
    await primary.close();
  }
}
