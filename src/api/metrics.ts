import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ReplicaWaits } from '../mysql/replica-waits.ts';
import type { ApplyNow } from '../query/apply-now.ts';
import type { ColdBuilds } from '../query/cold-builds.ts';
import type { FreshReads } from '../query/fresh-reads.ts';
import type { Streams } from './streams/streams.ts';
import type { Certainty } from './views.ts';

export interface MeasuredParts {
  readonly streams: Pick<Streams, 'open' | 'counts'>;
  /** Plain queries and builds, which share one limit. */
  readonly plainQueries: { readonly running: number; readonly queued: number; readonly refused: number };
  /** Of each kind. */
  readonly coldBuilds: readonly Pick<ColdBuilds, 'counts' | 'underWay'>[];
  readonly fresh: Pick<FreshReads, 'counts'>;
  readonly applyNow: Pick<ApplyNow, 'counts'>;
  /** Undefined: the API reads no replica. */
  readonly replicaWaits?: Pick<ReplicaWaits, 'counts'> | undefined;
}

/** Histogram buckets, s: from one Redis and one MySQL round trip to the timeouts. */
const BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The API's Prometheus metrics. No label holds an id, because a label must have few values. */
export class ApiMetrics {
  readonly #durations: Histogram<'route' | 'method' | 'status'>;
  readonly #answers: Counter<'list' | 'source' | 'exact' | 'reason'>;

  constructor(registry: Registry, parts: MeasuredParts) {
    const registers = [registry];
    this.#durations = new Histogram({
      name: 'recency_http_request_duration_seconds',
      help: 'Time from request to answer.',
      labelNames: ['route', 'method', 'status'],
      buckets: BUCKETS,
      registers,
    });
    this.#answers = new Counter({
      name: 'recency_answers_total',
      help: 'Answers by source, whether they were exact, and why the database answered or the answer was not exact.',
      labelNames: ['list', 'source', 'exact', 'reason'],
      registers,
    });
    measurePlainQueries(registers, parts.plainQueries);
    measureColdBuilds(registers, parts.coldBuilds);
    measureFreshReads(registers, parts);
    measureStreams(registers, parts.streams);
  }

  /** @param route the path pattern @param ms duration of the request */
  observe(route: string, method: string, status: number, ms: number): void {
    this.#durations.observe({ route, method, status }, ms / 1000);
  }

  /** @param list a kind, or the photos of a kind */
  countAnswer(list: string, { source, exact, reason }: Certainty): void {
    this.#answers.inc({ list, source, exact: String(exact), reason: reason ?? 'none' });
  }
}

function measurePlainQueries(registers: Registry[], plain: MeasuredParts['plainQueries']): void {
  new Gauge({
    name: 'recency_plain_queries',
    help: 'Heavy queries (plain queries and builds), running or waiting for their turn.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'running' }, plain.running);
      this.set({ state: 'queued' }, plain.queued);
    },
  });
  new Counter({
    name: 'recency_plain_queries_refused_total',
    help: 'Heavy queries that got no turn in time; those of requests are answered with 503.',
    registers,
    collect() {
      this.reset();
      this.inc(plain.refused);
    },
  });
}

function measureColdBuilds(registers: Registry[], builds: MeasuredParts['coldBuilds']): void {
  new Gauge({
    name: 'recency_cold_builds',
    help: 'Index builds that reads requested, running or waiting for their turn.',
    registers,
    collect() {
      this.set(builds.reduce((sum, { underWay }) => sum + underWay, 0));
    },
  });
  countOutcomes(
    registers,
    builds.map(({ counts }) => counts),
    {
      name: 'recency_cold_builds_total',
      help: 'Index builds that reads requested, by outcome. dropped: not now, or the user is to have none.',
    },
  );
}

function measureFreshReads(registers: Registry[], { fresh, applyNow, replicaWaits }: MeasuredParts): void {
  countOutcomes(registers, [fresh.counts], {
    name: 'recency_fresh_reads_total',
    help: 'Reads with Recency-Fresh, by what became of the changes named: refreshed; behind: not committed yet; not_refreshed and redis_unavailable: the plain query answered.',
  });
  countOutcomes(registers, [applyNow.counts], {
    name: 'recency_apply_now_total',
    help: 'Tasks posted with apply=now: applied before the reply, or published because that was not possible.',
  });
  if (replicaWaits === undefined) return;
  countOutcomes(registers, [replicaWaits.counts], {
    name: 'recency_replica_waits_total',
    help: 'Statements that waited for a GTID set on the replica: reached; otherwise the primary answered, because it was behind, too many waited (busy), it could not say (fault), or it did not answer (away).',
  });
}

function measureStreams(registers: Registry[], streams: MeasuredParts['streams']): void {
  new Gauge({
    name: 'recency_open_streams',
    help: 'Streams (Server-Sent Events) that are open.',
    registers,
    collect() {
      this.set(streams.open);
    },
  });
  countOutcomes(registers, [streams.counts], {
    name: 'recency_stream_looks_total',
    help: 'Heads of streams that were found again: told, same as before, or failed; slow: streams that were ended because the client did not read.',
  });
}

/** @param several the sum of these is counted */
function countOutcomes(
  registers: Registry[],
  several: readonly Readonly<Record<string, number>>[],
  metric: { readonly name: string; readonly help: string },
): void {
  new Counter({
    ...metric,
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const counts of several) for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count);
    },
  });
}
