import type { Pool } from 'mysql2/promise';
import type { Logger } from 'pino';
import { contactsAmong, type JobParts } from '../../app/jobs.ts';
import { type KindStores, openStores, type Stores } from '../../app/stores.ts';
import { openTransport } from '../../app/transport.ts';
import { type DrainBarrier, EVERYBODY, inTurn, type RaiseBarrier } from '../../index/drain-barrier.ts';
import { drainBarrierOf } from '../../index/index-drain-barrier.ts';
import { indexedUsers } from '../../index/redis/keys.ts';
import type { KindDatabase } from '../../mysql/statements/kind-statements.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { PageCheck } from '../../repair/page-check.ts';
import type { TaskPublisher } from '../../transport/task-publisher.ts';
import { openCapturedSitePool, openSitePool } from '../reference-site/transaction.ts';
import type { Namespace } from './namespace.ts';
import { until } from './poll.ts';
import type { Feed } from './servers.ts';

/** What this process itself uses, besides the processes that it starts. */
export interface HarnessStores extends Stores, Pick<KindStores, 'index' | 'steps' | 'delayed' | 'delayQueue'> {
  /** The primary, and what it is asked about contacts; the indexes, too, are those of contacts. */
  readonly contacts: KindDatabase;
  /** For the site's own transactions. */
  readonly pool: Pool;
  readonly publisher: TaskPublisher;
  /** Passes when everything in flight has been applied. */
  readonly raiseBarrier: RaiseBarrier;
  /** The same; but only once the consumers have found what the transport has lost. See Transport for what it throws. */
  readonly strictBarrier: RaiseBarrier;
  /** Plans and segments of large audiences that are not done; undefined if unknown. */
  readonly bulkLag: () => Promise<number | undefined>;
  readonly jobs: JobParts;
}

export interface Opening {
  readonly logger: Logger;
  readonly resources: AsyncDisposableStack;
  readonly signal: AbortSignal;
  /** Default: outbox. */
  readonly feed?: Feed;
}

/** A change in flight for longer cannot be distinguished from drift. */
const SETTLE_MS = 60_000;

/** @throws StartError */
export async function openHarnessStores({ config }: Namespace, opening: Opening): Promise<HarnessStores> {
  const context = { ...opening, config };
  const { resources, signal } = opening;
  const stores = await openStores(context, { name: 'rig' });
  const openPool = opening.feed === 'capture' ? openCapturedSitePool : openSitePool;
  const pool = resources.adopt(openPool(config.mysqlUrl), (opened) => opened.end());
  const transport = openTransport({ ...context, primary: stores.primary }, 'rig');
  await transport.untilReady(signal);
  const publisher = resources.adopt(transport.openPublisher(), (opened) => opened.close());
  const through = (barrier: RaiseBarrier) => inTurn(stores.kinds.map((parts) => drainBarrierOf(parts, barrier)));
  const limits = { max: config.max, min: config.min };
  const clocks = { now: () => performance.now(), clock: Date.now, random: Math.random };
  const kinds = stores.kinds.map(({ kind, primary, index, steps, ...waiting }) => {
    const raiseBarrier = drainBarrierOf({ primary, ...waiting }, transport.barrier);
    const check = new PageCheck({ index, primary, limits, raiseBarrier, settleMs: SETTLE_MS, ...clocks });
    return { kind, primary, check, indexedUsers: () => indexedUsers(stores.redis, config.keyPrefix, kind), steps };
  });
  const bulkLag = () => transport.bulk.lag();
  const { primary: contacts, index, steps, delayed, delayQueue } = contactsAmong(stores);
  const ofContacts = { contacts, index, steps, delayed, delayQueue };
  const barriers = { raiseBarrier: through(transport.barrier), strictBarrier: through(transport.strictBarrier) };
  return { ...stores, ...ofContacts, pool, publisher, ...barriers, bulkLag, jobs: { ...context, stores, kinds } };
}

/** The memory that Redis reports for these keys, bytes; its own tables are not included. */
export async function bytesOfKeys(redis: RedisClient, keys: readonly string[]): Promise<number> {
  const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key)));
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

const INTERVAL_MS = 10;

/**
 * Waits until everything now in flight has been applied.
 * @throws TookTooLong, the signal's reason
 */
export async function settle(raiseBarrier: RaiseBarrier, signal: AbortSignal, timeoutMs = 120_000): Promise<void> {
  await untilPassed(await raiseBarrier([EVERYBODY]), signal, timeoutMs);
}

export async function untilPassed(barrier: DrainBarrier, signal: AbortSignal, timeoutMs = 120_000): Promise<void> {
  const options = { everyMs: INTERVAL_MS, timeoutMs, signal };
  await until('The tasks were not applied', () => barrier.passed(), Boolean, options);
}
