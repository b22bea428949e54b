import { Counter, Gauge, type Registry } from 'prom-client';
import type { BatchCounts } from '../capture/capture.ts';
import { GAP_REASONS, type GapReason } from '../capture/change-source.ts';
import { LANES, type Lane } from '../contracts/bulk-task.ts';
import type { Database } from '../mysql/database.ts';
import { readEpochState } from '../mysql/losses.ts';
import { COUNTED, readOutboxLag } from '../mysql/outbox.ts';
import { readRecheckBacklog } from '../mysql/rechecks.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import type { RedisClient } from '../redis/connection.ts';
import type { DelayQueue } from '../redis/delay-queue.ts';
import { readMemory } from '../redis/masters.ts';
import type { RelayCounts } from '../relay/relay.ts';
import { LOSS_REASONS, type Loss } from '../transport/task-source.ts';
import type { Transport } from '../transport/transport.ts';

/** The metrics of every process, for Prometheus. No label holds an id. Gauges are read at every scrape. */

export const counter = (registry: Registry, name: string, help: string, labelNames: string[] = []) =>
  new Counter({ name, help, labelNames, registers: [registry] });

/** A gauge that is NaN, not 0, while it cannot be read. */
function gauge(registry: Registry, name: string, help: string, read: () => Promise<number | undefined>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set((await read().catch(() => undefined)) ?? Number.NaN);
    },
  });
}

/**
 * Shares the result of an expensive question among those who ask while it is being answered, and for `keptMs` afterwards.
 * A failure is not kept.
 */
export function shared<T>(ask: () => Promise<T>, keptMs = 0): () => Promise<T> {
  let result: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (result !== undefined && performance.now() < until) return result;
    until = Number.POSITIVE_INFINITY;
    result = ask();
    result.then(
      () => {
        until = performance.now() + keptMs;
      },
      () => {
        until = 0;
      },
    );
    return result;
  };
}

interface MeasuredBacklog {
  readonly lag: () => Promise<number | undefined>;
  /** Of the bulk lane. */
  readonly bulkLag: () => Promise<number | undefined>;
  /** Of every kind in use. */
  readonly delayQueues: readonly DelayQueue[];
  readonly primary: Database;
}

export function measureBacklog(registry: Registry, { lag, bulkLag, delayQueues, primary }: MeasuredBacklog): void {
  gauge(registry, 'recency_transport_lag_tasks', 'Tasks on the transport that are not acknowledged.', lag);
  const waiting = 'Plans and segments of large audiences that are not acknowledged.';
  gauge(registry, 'recency_bulk_lag_tasks', waiting, bulkLag);
  gauge(registry, 'recency_delay_queue_items', 'Delayed work, waiting or running.', async () => {
    const sizes = await Promise.all(delayQueues.map((queue) => queue.size()));
    return sizes.reduce((sum, size) => sum + size, 0);
  });
  gauge(
    registry,
    'recency_rechecks_waiting',
    'Rows that were older than the version their task named and are to be read again. Counted up to 10,000.',
    async () => (await readRecheckBacklog(primary, COUNTED)).rows,
  );
}

/** An unpublished row is an answer that is about to be wrong. */
export function measureOutboxLag(registry: Registry, database: Database): void {
  const lag = shared(() => readOutboxLag(database));
  gauge(
    registry,
    'recency_outbox_unpublished_rows',
    'Rows that wait to be published, counted up to 10,000.',
    async () => (await lag()).rows,
  );
  gauge(
    registry,
    'recency_outbox_lag_seconds',
    'Age of the oldest unpublished row.',
    async () => (await lag()).oldestMs / 1000,
  );
}

/** NaN until it is known. */
export function measureIndexLag(registry: Registry, watermark: Pick<AppliedWatermark, 'lagShownMs'>): void {
  const secondsOf = (lane: Lane) => (watermark.lagShownMs(lane) ?? Number.NaN) / 1_000;
  const help = 'Age of the oldest change that may not be applied to the indexes yet, as an upper bound.';
  gauge(registry, 'recency_index_lag_seconds', help, async () => secondsOf('bulk'));
  new Gauge({
    name: 'recency_oldest_unapplied_seconds',
    help: 'Age of the oldest change that is committed and may not be in the indexes yet. small: without what waits in the bulk lane for a large audience; bulk: with it. NaN: not known.',
    labelNames: ['lane'],
    registers: [registry],
    collect() {
      for (const lane of LANES) this.set({ lane }, secondsOf(lane));
    },
  });
}

/** How full a bounded transport is. At the bound the relay waits. */
export function measureFill(registry: Registry, transport: Pick<Transport, 'fill'>): void {
  if (transport.fill === undefined) return;
  const fill = shared(transport.fill);
  gauge(
    registry,
    'recency_stream_entries',
    'Tasks on the stream, acknowledged or not.',
    async () => (await fill()).entries,
  );
  gauge(
    registry,
    'recency_stream_max_entries',
    'Maximum number of tasks on the stream; at this number the relay waits.',
    async () => (await fill()).max,
  );
}

/** Counts dead letters that were removed to make room, perhaps unseen. */
export function droppedLettersCounter(registry: Registry): (letters: number) => void {
  const dropped = counter(
    registry,
    'recency_dead_letters_dropped_total',
    'Dead letters removed because there were more than DEAD_LETTERS_MAX.',
  );
  return (letters) => dropped.inc(letters);
}

/** Counts indexes that were dropped because nobody reads them. */
export function idleIndexesCounter(registry: Registry): (indexes: number) => void {
  const help = 'Indexes dropped because nobody had read them for RECENCY_IDLE_DAYS.';
  const dropped = counter(registry, 'recency_idle_indexes_dropped_total', help);
  return (indexes) => dropped.inc(indexes);
}

export function relayCounters(registry: Registry): (counts: RelayCounts) => void {
  const help = 'Rows of the outbox processed, by outcome. A row that is put back is counted each time.';
  const rows = counter(registry, 'recency_outbox_rows_total', help, ['outcome']);
  return ({ published, deadLetters, putBack, refused }) => {
    rows.inc({ outcome: 'published' }, published);
    rows.inc({ outcome: 'dead_letter' }, deadLetters);
    rows.inc({ outcome: 'put_back' }, putBack);
    rows.inc({ outcome: 'refused' }, refused);
  };
}

/** @param lagMs how far the changes that were read are behind; undefined: unknown */
export function captureMetrics(registry: Registry, lagMs: () => number | undefined) {
  const rows = counter(registry, 'recency_capture_rows_total', 'Changes of mapped rows read from the binary log.');
  const tasks = counter(registry, 'recency_capture_tasks_total', 'Tasks published for them.');
  const odd = counter(
    registry,
    'recency_capture_odd_ids_total',
    'Ids in changed rows that no task can have, such as 0.',
  );
  const gaps = counter(
    registry,
    'recency_capture_gaps_total',
    'Times that changes were missing or could not be read, by reason. Each begins a new epoch.',
    ['reason'],
  );
  for (const reason of GAP_REASONS) gaps.inc({ reason }, 0); // so that the first one is an increase
  const behind =
    'How long ago the newest write that was read from the binary log was made; grows while nothing is read.';
  gauge(registry, 'recency_capture_lag_seconds', behind, async () => {
    const ms = lagMs();
    return ms === undefined ? undefined : ms / 1_000;
  });
  return {
    onBatch: (counts: BatchCounts) => {
      rows.inc(counts.rows);
      tasks.inc(counts.tasks);
      odd.inc(counts.oddIds);
    },
    onGap: (reason: GapReason) => gaps.inc({ reason }),
  };
}

/** Counts the new epochs that this process began. Each is an alarm. */
export function epochCounter(registry: Registry): () => void {
  const begun = counter(
    registry,
    'recency_new_epochs_total',
    'New epochs begun by this process because a server was replaced or tasks were lost. Each makes every index cold.',
  );
  return () => begun.inc();
}

/** Counts the losses of tasks that this process found. Each is an alarm; several may be one suspension of the epoch. */
export function lossCounter(registry: Registry): (loss: Loss) => void {
  const help = 'Losses of tasks found by this process, by reason. A loss suspends the epoch.';
  const losses = counter(registry, 'recency_losses_total', help, ['reason']);
  for (const reason of LOSS_REASONS) losses.inc({ reason }, 0); // so that the first one is an increase
  return ({ reason }) => losses.inc({ reason });
}

export function measureSuspension(registry: Registry, database: Database): void {
  gauge(
    registry,
    'recency_epoch_suspended_seconds',
    'Time since the epoch was suspended because tasks were lost; no index is used or built meanwhile. 0 if it is in force.',
    async () => {
      const { suspended, epoch } = await readEpochState(database);
      return suspended ? Math.max((Date.now() - epoch.bumpedAt) / 1000, 0) : 0;
    },
  );
}

/** Callers of the pool of connections to MySQL. */
export function measurePool(registry: Registry, { callers }: { readonly callers: Database['callers'] }): void {
  new Gauge({
    name: 'recency_mysql_callers',
    help: 'Callers of MySQL, running (with a connection) or queued (waiting for one).',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'running' }, callers.running);
      this.set({ state: 'queued' }, callers.queued);
    },
  });
}

/** The memory of the Redis of the indexes, over all its masters; limit 0: none. */
export function measureRedisMemory(registry: Registry, client: RedisClient): void {
  const memory = shared(() => readMemory(client));
  gauge(
    registry,
    'recency_redis_used_memory_bytes',
    'Memory in use by the Redis of the indexes.',
    async () => (await memory()).used,
  );
  const help = 'Limit of that memory (maxmemory); 0: none.';
  gauge(registry, 'recency_redis_max_memory_bytes', help, async () => (await memory()).max);
}
