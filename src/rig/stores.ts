import type { Pool } from 'mysql2/promise';
import type { Logger } from 'pino';
import type { TaskPublisher } from '../consumers/task-publisher.ts';
import { indexedUsers } from '../index/indexed-users.ts';
import { type Settled, settledBy } from '../index/settled.ts';
import { openPageCheck } from '../repair/open-check.ts';
import { openSitePool } from '../site/transaction.ts';
import type { JobParts } from '../start/jobs.ts';
import { openStores, type Stores } from '../start/open-stores.ts';
import { openTransport } from '../start/open-transport.ts';
import type { Place } from './place.ts';

/** What this process itself works with, beside the processes that it starts. */
export interface RigStores extends Stores {
  /** Of the site's own transactions. */
  readonly pool: Pool;
  readonly publisher: TaskPublisher;
  /** Tells when everything that was on its way has been applied. */
  readonly settled: Settled;
  readonly jobs: JobParts;
}

export interface Opening {
  readonly logger: Logger;
  /** Closes everything. */
  readonly resources: AsyncDisposableStack;
  readonly signal: AbortSignal;
}

/** A change that is on its way longer than that cannot be told from drift. */
const SETTLE_MS = 60_000;

/** @throws StartError */
export async function openRigStores({ config }: Place, opening: Opening): Promise<RigStores> {
  const context = { ...opening, config };
  const { resources, signal } = opening;
  const stores = await openStores(context, { name: 'rig' });
  const pool = resources.adopt(openSitePool(config.mysqlUrl), (opened) => opened.end());
  const transport = openTransport(context, 'rig');
  await transport.untilAnswers(signal);
  const publisher = resources.adopt(transport.openPublisher(stores.primary), (opened) => opened.close());
  const { primary, delayQueue, index } = stores;
  const settled = settledBy({ primary, transport: transport.marks, delayQueue });
  const limits = { max: config.max, min: config.min };
  const now = () => performance.now();
  const check = openPageCheck({ index, primary, limits, settled, settleMs: SETTLE_MS, now });
  const indexed = () => indexedUsers(stores.redis, config.keyPrefix);
  return { ...stores, pool, publisher, settled, jobs: { ...context, stores, check, indexedUsers: indexed } };
}
