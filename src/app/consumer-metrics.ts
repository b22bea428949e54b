import { Histogram, type Registry } from 'prom-client';
import type { DelayedObserver } from '../consumers/delayed-worker.ts';
import type { TaskConsumerOptions } from '../consumers/task-consumer.ts';
import type { WorkObserver } from '../consumers/work-plan.ts';
import { counter } from './metrics.ts';

/** Duration of a batch, s: from a few tasks to a large fan-out. */
const BATCH_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export type ConsumerObserver = Required<Omit<WorkObserver, 'onSegmentBegun'>> &
  Required<DelayedObserver> &
  Required<Pick<TaskConsumerOptions, 'onBatch'>>;

export function consumerMetrics(registry: Registry): ConsumerObserver {
  const count = counter.bind(undefined, registry);
  const tasks = count('recency_tasks_total', 'Tasks processed.');
  const deadLetters = count('recency_dead_letters_total', 'Messages set aside because they cannot be applied.');
  const ignored = count('recency_task_unknown_fields_total', 'Unknown fields of tasks, ignored.');
  const refreshes = count('recency_refreshes_total', 'Users refreshed, by outcome.', ['outcome']);
  const rebuilds = count('recency_rebuilds_total', 'Indexes that ran low and were rebuilt before an acknowledgement.');
  const followers = count('recency_fan_out_followers_total', 'Followers refreshed by fan-outs.');
  const large = count(
    'recency_large_fan_outs_total',
    'Fan-outs left to the bulk lane, many of them to a plan that waited.',
  );
  const plans = count('recency_fan_out_plans_total', 'Large audiences cut into segments.');
  const segments = count('recency_fan_out_segments_total', 'Segments done.');
  const givenUp = count(
    'recency_rechecks_given_up_total',
    'Re-checks given up: the row stayed older than the version that its task named, or the check kept failing.',
  );
  const seconds = new Histogram({
    name: 'recency_batch_duration_seconds',
    help: 'Time from the delivery of a batch to its acknowledgement.',
    buckets: BATCH_SECONDS,
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
      large.inc(report.large);
    },
    onPlan: () => plans.inc(),
    onSegment: (_segment, refreshed) => {
      followers.inc(refreshed);
      segments.inc();
    },
    onGivenUp: (tasksGivenUp) => givenUp.inc(tasksGivenUp),
  };
}
