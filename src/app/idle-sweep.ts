import { Counter, type Registry } from 'prom-client';
import { IdleSweep } from '../index/redis/idle-sweep.ts';
import { indexedUsers } from '../index/redis/indexed-users.ts';
import { inBackground } from './background.ts';
import { openLeases } from './leases.ts';
import type { Stores } from './open-stores.ts';
import type { ProcessContext } from './run-process.ts';
import { whileLeading } from './standing-job.ts';

/** It is never urgent. */
const LEASE = { ttlMs: 30_000, retryMs: 10_000 };

/** Drops the indexes that nobody reads, while no other consumer does; none, where RECENCY_IDLE_DAYS is 0. */
export function startIdleSweep(context: ProcessContext, registry: Registry, stores: Stores): void {
  const { config, logger, signal } = context;
  const { idleDays, keyPrefix } = config;
  if (idleDays === 0) return;
  const counter = new Counter({
    name: 'recency_idle_indexes_dropped_total',
    help: 'Indexes dropped because nobody had read them for RECENCY_IDLE_DAYS.',
    registers: [registry],
  });
  const sweep = new IdleSweep({
    index: stores.index,
    indexedUsers: () => indexedUsers(stores.redis, keyPrefix),
    onDropped: (indexes) => counter.inc(indexes),
    ...{ idleDays, logger },
  });
  const job = { name: 'idle-sweep', work: (held: AbortSignal) => sweep.run(held), logger };
  inBackground(context, (stopping) =>
    whileLeading(openLeases(config, stores, LEASE), job, AbortSignal.any([stopping, signal])),
  );
}
