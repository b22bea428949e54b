import { Gauge, Histogram, type Registry } from 'prom-client';
import type { DelayedObserver } from '../consumers/delayed-worker.ts';
import type { TaskConsumerOptions } from '../consumers/task-consumer.ts';
import type { WorkObserver } from '../consumers/work-plan.ts';
import { DRIFT_CLASSES, type DriftClass } from '../contracts/drift.ts';
import type { DelayQueue } from '../redis/delay-queue.ts';
import type { TruthCounts } from '../repair/counts.ts';
import { ninesOf, type SampleCounts, WINDOW_NAMES, type Windows } from '../repair/sampler/windows.ts';
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

/** @param queue of the watched users who wait to be checked: consumers put them there, and say when no notifier takes them */
export function measureWatched(registry: Registry, queue: Pick<DelayQueue, 'overdueMs'>): void {
  new Gauge({
    name: 'recency_watched_overdue_seconds',
    help: 'For how long the first of the watched users has been due to be checked by `recency notify`.',
    registers: [registry],
    async collect() {
      this.set(
        await queue.overdueMs().then(
          (ms) => ms / 1_000,
          () => Number.NaN,
        ),
      );
    },
  });
}

/** The sampler's metrics. A process that does not sample has no series of nines, rather than a wrong one. */
export function samplerMetrics(registry: Registry, windows: Windows): (counts: SampleCounts) => void {
  new Gauge({
    name: 'recency_consistency_nines',
    help: '-log10 of the share of sampled users whose index or answers are wrong; with none wrong, log10 of the users.',
    labelNames: ['window'],
    registers: [registry],
    collect() {
      this.reset();
      for (const window of WINDOW_NAMES) {
        const nines = ninesOf(windows.within(window));
        if (nines !== undefined) this.set({ window }, nines);
      }
    },
  });
  const help =
    'Users checked by the sampler: right, wrong_visible, wrong_hidden (no client would notice) or unsettled.';
  const users = counter(registry, 'recency_sampled_users_total', help, ['outcome']);
  return ({ checked, wrong, visible, unsettled }) => {
    users.inc({ outcome: 'right' }, checked - wrong);
    users.inc({ outcome: 'wrong_hidden' }, wrong - visible);
    users.inc({ outcome: 'wrong_visible' }, visible);
    users.inc({ outcome: 'unsettled' }, unsettled);
  };
}

/** What a wrong user differs in; `answers`: the index is right. */
const DRIFT = [...DRIFT_CLASSES, 'answers'] as const;

/** Counts the users whom the sampler found wrong, by the classes of the drift. */
export function driftCounter(
  registry: Registry,
): (wrong: readonly { readonly classes: readonly DriftClass[] }[]) => void {
  const help =
    'Users found wrong by the sampler, by class of drift; answers: only their answers were. A user may count in several.';
  const drift = counter(registry, 'recency_sampled_drift_total', help, ['class']);
  for (const name of DRIFT) drift.inc({ class: name }, 0); // so that the first one is an increase
  return (wrong) => {
    for (const { classes } of wrong) {
      for (const name of classes.length > 0 ? classes : (['answers'] as const)) drift.inc({ class: name });
    }
  };
}

/** Counts what the sampler, and the sample that a process takes when it starts, find wrong with the site's views. */
export function truthMetrics(registry: Registry): (counts: TruthCounts) => void {
  const help =
    'Pairs whose last upload was compared with the photos that the user may see: right, or wrong (the views are).';
  const pairs = counter(registry, 'recency_sampled_pairs_total', help, ['outcome']);
  return ({ pairs: compared, wrong }) => {
    pairs.inc({ outcome: 'right' }, compared - wrong);
    pairs.inc({ outcome: 'wrong' }, wrong);
  };
}
