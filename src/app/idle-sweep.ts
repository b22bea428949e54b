import type { Registry } from 'prom-client';
import { IdleReaper } from '../index/redis/idle-reaper.ts';
import { indexedUsers } from '../index/redis/keys.ts';
import { idleIndexesCounter } from './metrics.ts';
import { inBackground, type ProcessContext, whileLeading } from './run-process.ts';
import { createLeases, type Stores } from './stores.ts';

/** Dropping idle indexes is never urgent. */
const IDLE_SWEEP_LEASE = { ttlMs: 30_000, retryMs: 10_000 };

/** Drops indexes that nobody reads, in one consumer at a time; not at all if RECENCY_IDLE_DAYS is 0. */
export function startIdleSweep(context: ProcessContext, registry: Registry, stores: Stores): void {
  const { config, logger, signal } = context;
  const { idleDays, keyPrefix } = config;
  if (idleDays === 0) return;
  const onDropped = idleIndexesCounter(registry);
  const reapers = [...stores.kinds, ...stores.unused].map(
    ({ kind, index }) =>
      new IdleReaper({
        index,
        indexedUsers: () => indexedUsers(stores.redis, keyPrefix, kind),
        onDropped,
        idleDays,
        logger,
      }),
  );
  const work = async (held: AbortSignal) => void (await Promise.all(reapers.map((reaper) => reaper.run(held))));
  const job = { name: 'idle-sweep', work, logger };
  inBackground(context, (stopping) =>
    whileLeading(createLeases(config, stores, IDLE_SWEEP_LEASE), job, AbortSignal.any([stopping, signal])),
  );
}
