import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { DelayedObserver } from '../consumers/delayed-worker.ts';
import type { TaskConsumerOptions } from '../consumers/task-consumer.ts';
import type { WorkObserver } from '../consumers/work-plan.ts';
import type { Database } from '../mysql/database.ts';
import { readEpochState } from '../mysql/losses.ts';
import { COUNTED, type OutboxLag, readOutboxLag } from '../mysql/outbox.ts';
import { readRecheckBacklog } from '../mysql/rechecks.ts';
import type { DelayQueue } from '../redis/delay-queue.ts';
import type { RelayCounts } from '../relay/relay.ts';
import type { TruthCounts } from '../repair/counts.ts';
import { ninesOf, type SampleCounts, WINDOW_NAMES, type Windows } from '../repair/sampler/windows.ts';
import type { StreamFill } from '../transport/streams/publisher.ts';
import type { Loss } from '../transport/task-source.ts';
import type { Transport } from '../transport/transport.ts';

/** s: from a few tasks to a large fan-out. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Observer = Required<WorkObserver> & Required<DelayedObserver> & Required<Pick<TaskConsumerOptions, 'onBatch'>>;

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

/** The lag is looked up at every scrape: an unpublished row is an answer about to be wrong. */
export function measureOutboxLag(registry: Registry, database: Database): void {
  const lag = shared(() => readOutboxLag(database));
  const gauge = (name: string, help: string, of: (lag: OutboxLag) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await lag().then(of, () => Number.NaN)); // MySQL is away: unknown, and not 0
      },
    });
  gauge('recency_outbox_unpublished_rows', 'Rows that wait to be published, counted up to 10,000.', ({ rows }) => rows);
  gauge('recency_outbox_lag_seconds', 'Age of the oldest unpublished row.', ({ oldestMs }) => oldestMs / 1000);
}

/** How full the transport is, where it has a bound: above it the relay waits. Looked up at every scrape. */
export function measureFill(registry: Registry, transport: Pick<Transport, 'fill'>): void {
  const fill = transport.fill && shared(transport.fill);
  if (fill === undefined) return;
  const gauge = (name: string, help: string, of: (fill: StreamFill) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await fill().then(of, () => Number.NaN)); // Redis is away: unknown, and not 0
      },
    });
  gauge('recency_stream_entries', 'Tasks on the stream, acknowledged or not.', ({ entries }) => entries);
  gauge(
    'recency_stream_max_entries',
    'Tasks that the stream may hold; from there on the relay waits.',
    ({ max }) => max,
  );
}

/** Dead letters that were removed, unseen perhaps, because there were too many. */
export function droppedLettersCounter(registry: Registry): (letters: number) => void {
  const dropped = new Counter({
    name: 'recency_dead_letters_dropped_total',
    help: 'Dead letters removed because there were more than DEAD_LETTERS_MAX.',
    registers: [registry],
  });
  return (letters) => dropped.inc(letters);
}

/** Those who ask at once share one answer. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

export function relayCounters(registry: Registry): (counts: RelayCounts) => void {
  const rows = new Counter({
    name: 'recency_outbox_rows_total',
    help: 'Rows of the outbox taken care of, by what became of them. One that is put back is counted each time.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return ({ published, deadLetters, putBack, refused }) => {
    rows.inc({ outcome: 'published' }, published);
    rows.inc({ outcome: 'dead_letter' }, deadLetters);
    rows.inc({ outcome: 'put_back' }, putBack);
    rows.inc({ outcome: 'refused' }, refused);
  };
}

/** Counts new epochs that this process began, each an alarm. */
export function epochCounter(registry: Registry): () => void {
  const counter = new Counter({
    name: 'recency_new_epochs_total',
    help: 'New epochs begun by this process, because a server was another one or tasks were lost. Each makes every index cold.',
    registers: [registry],
  });
  return () => counter.inc();
}

/** Counts losses of tasks that this process found, each an alarm. Any number of them may be one suspension. */
export function lossCounter(registry: Registry): (loss: Loss) => void {
  const counter = new Counter({
    name: 'recency_losses_total',
    help: 'Losses of tasks found by this process, by reason. From then on the epoch is suspended.',
    labelNames: ['reason'],
    registers: [registry],
  });
  return ({ reason }) => counter.inc({ reason });
}

/** Looked up at every scrape. */
export function measureSuspension(registry: Registry, database: Database): void {
  new Gauge({
    name: 'recency_epoch_suspended_seconds',
    help: 'For how long no index has been trusted or built, because tasks were lost and are not caught up with; 0: it is not so.',
    registers: [registry],
    async collect() {
      const read = readEpochState(database);
      const seconds = read.then(({ suspended, epoch }) => (suspended ? (Date.now() - epoch.bumpedAt) / 1000 : 0));
      this.set(await seconds.then((value) => Math.max(value, 0)).catch(() => Number.NaN)); // MySQL is away: not known
    },
  });
}

/** What the sampler tells Prometheus. A process that stands by has no nines: no series, rather than a wrong one. */
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
  const users = new Counter({
    name: 'recency_sampled_users_total',
    help: 'Users checked by the sampler: right, wrong (hidden: no client would notice), or not to be told.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return ({ checked, wrong, visible, unsettled }) => {
    users.inc({ outcome: 'right' }, checked - wrong);
    users.inc({ outcome: 'wrong_hidden' }, wrong - visible);
    users.inc({ outcome: 'wrong_visible' }, visible);
    users.inc({ outcome: 'unsettled' }, unsettled);
  };
}

/** What the sampler, and the sample that a process takes when it starts, found of the site's views. */
export function truthMetrics(registry: Registry): (counts: TruthCounts) => void {
  const pairs = new Counter({
    name: 'recency_sampled_pairs_total',
    help: 'Pairs whose last upload was compared with the photos that the user may see: right, or wrong (the views are).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return ({ pairs: compared, wrong }) => {
    pairs.inc({ outcome: 'right' }, compared - wrong);
    pairs.inc({ outcome: 'wrong' }, wrong);
  };
}
