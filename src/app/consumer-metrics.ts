import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { DelayedObserver } from '../consumers/delayed-items.ts';
import type { WorkObserver } from '../consumers/planned-work.ts';
import type { TaskConsumerOptions } from '../consumers/task-consumer.ts';
import type { Database } from '../mysql/database.ts';
import { COUNTED } from '../mysql/outbox.ts';
import { readRecheckBacklog } from '../mysql/rechecks.ts';
import type { DelayQueue } from '../redis/delay-queue.ts';

/** s: from a few tasks to a large fan-out. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Observer = Required<WorkObserver> &
  Required<Omit<DelayedObserver, 'onSlow'>> &
  Required<Pick<TaskConsumerOptions, 'onBatch'>>;

/** What a consumer counts, for Prometheus. No label holds an id. */
export function consumerMetrics(registry: Registry): Observer {
  const count = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const tasks = count('recency_tasks_total', 'Tasks read and taken care of.');
  const deadLetters = count('recency_dead_letters_total', 'Messages put aside because they can never be applied.');
  const ignored = count(
    'recency_task_unknown_fields_total',
    'Fields of tasks that this version does not know and ignores.',
  );
  const refreshes = count('recency_refreshes_total', 'Users refreshed, by what was found.', ['outcome']);
  const rebuilds = count(
    'recency_rebuilds_total',
    'Indexes that had run low and were rebuilt before an acknowledgement.',
  );
  const followers = count('recency_fan_out_followers_total', 'Followers refreshed by fan-outs.');
  const resumed = count('recency_fan_outs_resumed_total', 'Fan-outs that went on from a cursor.');
  const givenUp = count('recency_rechecks_given_up_total', 'Tasks whose row stayed older than they said for too long.');
  const seconds = new Histogram({
    name: 'recency_batch_duration_seconds',
    help: 'Time from the delivery of a batch to its acknowledgement.',
    buckets: BUCKETS,
    registers: [registry],
  });
  return {
    onBatch: (batch) => {
      tasks.inc(batch.tasks);
      deadLetters.inc(batch.deadLetters);
      ignored.inc(batch.ignoredFields);
      seconds.observe(batch.seconds);
    },
    onRefresh: (report) => {
      for (const [outcome, users] of Object.entries(report.outcomes)) refreshes.inc({ outcome }, users);
      rebuilds.inc(report.rebuilt);
    },
    onFanOut: (report) => {
      followers.inc(report.followers);
      resumed.inc(report.resumed);
    },
    onGivenUp: (tasksGivenUp) => givenUp.inc(tasksGivenUp),
  };
}

/** Looked up at every scrape; unknown while a store is away. */
export function measureBacklog(
  registry: Registry,
  { lag, delayQueue, primary }: { lag: () => Promise<number | undefined>; delayQueue: DelayQueue; primary: Database },
): void {
  const gauge = (name: string, help: string, read: () => Promise<number | undefined>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set((await read().catch(() => undefined)) ?? Number.NaN);
      },
    });
  gauge('recency_transport_lag_tasks', 'Tasks on the transport that are not yet acknowledged.', lag);
  gauge('recency_delay_queue_items', 'Work that was put off, waiting or in hand.', () => delayQueue.size());
  gauge(
    'recency_rechecks_waiting',
    'Re-checks: rows that were older than their tasks said, to be looked at again. Counted up to 10,000.',
    async () => (await readRecheckBacklog(primary, COUNTED)).rows,
  );
}
