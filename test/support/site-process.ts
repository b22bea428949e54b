import { pino } from 'pino';
import { EpochWatch } from '../../src/index/epoch-watch.ts';
import { openRedis, untilReady } from '../../src/redis/connection.ts';
import { ContactsDatabase } from './contacts-database.ts';
import { ownershipOf } from './epoch-watch.ts';
import { redisUrl } from './servers.ts';
import { type Stores, storesOn } from './stores.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

const NEVER_MS = 3_600_000;

/** A process of a site, with connections of its own. */
export interface SiteProcess extends Stores {
  /** Where its address of Redis leads. */
  readonly proxy: TcpProxy;
  readonly watch: EpochWatch;
  readonly primary: HaltingDatabase;
}

/** Holds comparisons up while it is told to. */
export class HaltingDatabase extends ContactsDatabase {
  #halt: PromiseWithResolvers<void> | undefined;

  halt(): void {
    this.#halt ??= Promise.withResolvers();
  }

  release(): void {
    this.#halt?.resolve();
    this.#halt = undefined;
  }

  override async rows(...asked: Parameters<ContactsDatabase['rows']>) {
    if (asked[0].includes('recency_settings')) await this.#halt?.promise;
    return await super.rows(...asked);
  }
}

/** Its servers are compared whenever something changes, and not in between. */
export async function startProcess(
  site: Stores,
  limits: { readonly max: number; readonly min: number },
  resources: AsyncDisposableStack,
  { takesOver = true } = {},
): Promise<SiteProcess> {
  const primary = new HaltingDatabase(site.url, { connections: 3, queue: 100, deadlineMs: 20_000 });
  resources.defer(() => primary.close());
  const proxy = resources.use(await TcpProxy.before(redisUrl()));
  const redis = openRedis(proxy.url, { commandTimeoutMs: 5_000, connectTimeoutMs: 5_000, name: 'test' });
  resources.defer(() => redis.disconnect());
  await untilReady(redis, 20_000);
  const stores = storesOn({ ...site, primary, redis }, limits);
  const logger = pino({ level: 'silent' });
  const watch = new EpochWatch({
    ...{ client: redis, database: primary, logger, intervalMs: NEVER_MS },
    ownership: ownershipOf({ redis, primary, prefix: site.prefix }, takesOver),
  });
  resources.defer(() => watch.stop());
  await watch.start();
  return { ...stores, primary, proxy, watch };
}

/** Leads its address elsewhere. Waits until the client has noticed that its connection broke, and is ready again. */
export async function leadTo({ proxy, redis }: Pick<SiteProcess, 'proxy' | 'redis'>, url: string): Promise<void> {
  const noticed = new Promise<void>((resolve) => redis.once('close', resolve));
  const isConnected = redis.status === 'ready';
  proxy.leadTo(url);
  if (isConnected) await noticed;
  await until(() => redis.status === 'ready');
}
