import { drainBarrierOf, type RaiseBarrier } from '../index/drain-barrier.ts';
import { PutBackRows } from '../index/put-back-rows.ts';
import { indexedUsers } from '../index/redis/indexed-users.ts';
import type { Fence } from '../mysql/leases.ts';
import { MeteredDatabase } from '../mysql/metered-database.ts';
import type { RunKind } from '../mysql/runs.ts';
import { openPageCheck } from '../repair/open-check.ts';
import type { PageCheck } from '../repair/page-check.ts';
import type { PagedRunStores } from '../repair/paged-run.ts';
import type { IndexedUsers } from '../repair/stray-pages.ts';
import { openLeases } from './leases.ts';
import { openPrimary } from './open-mysql.ts';
import { openTransport } from './open-transport.ts';
import { type CommandContext, withStores } from './with-stores.ts';

/** What long jobs work with. */
export interface JobParts extends CommandContext {
  readonly check: PageCheck;
  readonly indexedUsers: IndexedUsers;
}

/** Longer than the deadline of a small statement and a timeout of Redis together, at which it is prolonged. */
const LEASE = { ttlMs: 30_000, retryMs: 1_000 };

/** A change that is on its way longer than that cannot be told from drift. */
const SETTLE_MS = 30_000;

const now = () => performance.now();

/** Does a long job, and closes everything. @throws ConfigError, StartError, what the job throws */
export async function withJobParts<T>(
  name: 'verify' | RunKind,
  signal: AbortSignal,
  work: (parts: JobParts) => Promise<T>,
): Promise<T> {
  const isMetered = name !== 'verify'; // it makes every statement dearer
  const options = { name, isPatient: true, ...(isMetered ? { Database: MeteredDatabase } : {}) };
  return await withStores(options, signal, async (context) => {
    const { config, stores, resources } = context;
    const { index, primary } = stores;
    const limits = { max: config.max, min: config.min };
    const raiseBarrier = drainBarrier(context);
    const aloneMs = config.mysqlBuildTimeoutMs;
    // The plain query about a user with very many contacts takes as long as reading them.
    const { heavy } = primary;
    const answersFrom = resources.adopt(openPrimary(config, { extraMs: aloneMs, heavy }), (opened) => opened.close());
    const check = openPageCheck({
      index,
      primary,
      answersFrom,
      limits,
      raiseBarrier,
      settleMs: SETTLE_MS,
      now,
      aloneMs,
      truthMs: Math.min(aloneMs, config.mysqlTimeoutMs), // in smaller parts rather than beside the budget
    });
    return await work({ ...context, check, indexedUsers: () => indexedUsers(stores.redis, config.keyPrefix) });
  });
}

/** Asked for only when something looks wrong, so the transport need not answer before. */
function drainBarrier(context: CommandContext): RaiseBarrier {
  const { primary, delayed, rechecks } = context.stores;
  const transport = openTransport(context, 'jobs');
  return drainBarrierOf({
    primary,
    putBack: new PutBackRows(primary),
    transport: transport.barrier,
    putOff: [rechecks, delayed],
  });
}

/**
 * Does a job that only one process may do at a time; others stand by until it is their turn.
 * @param onWaiting called when another process has the job now
 */
export async function whileLeaseHolder<T>(
  { config, stores, signal }: CommandContext,
  kind: RunKind,
  onWaiting: () => void,
  work: (runStores: PagedRunStores, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { primary } = stores;
  return await openLeases(config, stores, LEASE).hold(
    kind,
    async ({ token, lost }) => {
      const fence: Fence = { lease: kind, token };
      const rowsRead = () => (primary instanceof MeteredDatabase ? primary.rowsRead : 0);
      const runStores = { primary, fence, clock: Date.now, rowsRead, now, random: Math.random };
      return await work(runStores, AbortSignal.any([signal, lost]));
    },
    { signal, onWaiting },
  );
}
