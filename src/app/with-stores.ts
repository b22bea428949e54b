import type { Logger } from 'pino';
import { type Config, loadConfig } from '../config/config.ts';
import { openLogger } from './logger.ts';
import { type OpenStoresOptions, openStores, type Stores } from './open-stores.ts';

/** What a command that ends by itself works with. */
export interface CommandContext {
  readonly config: Config;
  readonly stores: Stores;
  /** On stderr; says only what a person should know. */
  readonly logger: Logger;
  /** Closed when the command ends. */
  readonly resources: AsyncDisposableStack;
  readonly signal: AbortSignal;
}

/** Does some work on MySQL and Redis, and closes them. @throws ConfigError, StartError, what the work throws */
export async function withStores<T>(
  options: OpenStoresOptions,
  signal: AbortSignal,
  work: (context: CommandContext) => Promise<T>,
): Promise<T> {
  const config = loadConfig();
  const logger = openLogger({ logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }, options.name, 2);
  await using resources = new AsyncDisposableStack();
  const stores = await openStores({ config, logger, resources, signal }, options);
  return await work({ config, stores, logger, resources, signal });
}
