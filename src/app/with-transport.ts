import { loadConfig } from '../config/config.ts';
import type { Database } from '../mysql/database.ts';
import { openLogger } from './logger.ts';
import { openPrimary } from './open-mysql.ts';
import { openTransport } from './open-transport.ts';
import type { Transport } from './transport.ts';

/**
 * Does some work on the transport, and closes it. The primary is not connected to unless the work needs it.
 * @throws ConfigError, StartError, what the work throws
 */
export async function withTransport<T>(
  name: string,
  signal: AbortSignal,
  work: (transport: Transport, primary: Database) => Promise<T>,
): Promise<T> {
  const config = loadConfig();
  const logger = openLogger({ logLevel: config.logLevel === 'info' ? 'error' : config.logLevel }, name, 2);
  await using resources = new AsyncDisposableStack();
  const transport = openTransport({ config, logger, resources }, name);
  await transport.untilAnswers(signal);
  const primary = resources.adopt(openPrimary(config), (database) => database.close());
  return await work(transport, primary);
}
