import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ColdBuilds } from '../query/cold-builds.ts';
import type { Certainty } from './views.ts';

export interface MeasuredParts {
  /** The budget of heavy queries. */
  readonly plainQueries: { readonly running: number; readonly queued: number; readonly refused: number };
  readonly coldBuilds: Pick<ColdBuilds, 'counts' | 'underWay'>;
}

/** s: from a bare Redis and MySQL round trip to the timeouts. */
const BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What the API counts, for Prometheus. No label ever holds an id: a label's values must be few. */
export class ApiMetrics {
  readonly #durations: Histogram<'route' | 'method' | 'status'>;
  readonly #answers: Counter<'list' | 'source' | 'exact' | 'reason'>;

  constructor(registry: Registry, parts: MeasuredParts) {
    const registers = [registry];
    this.#durations = new Histogram({
      name: 'recency_http_request_duration_seconds',
      help: 'Time from a request to its answer.',
      labelNames: ['route', 'method', 'status'],
      buckets: BUCKETS,
      registers,
    });
    this.#answers = new Counter({
      name: 'recency_answers_total',
      help: 'Answers by where they came from, whether they were exact, and why they were not, or not from the index.',
      labelNames: ['list', 'source', 'exact', 'reason'],
      registers,
    });
    measurePlainQueries(registers, parts.plainQueries);
    measureColdBuilds(registers, parts.coldBuilds);
  }

  /** @param route the pattern, not the path @param ms the request took */
  observe(route: string, method: string, status: number, ms: number): void {
    this.#durations.observe({ route, method, status }, ms / 1000);
  }

  countAnswer(list: 'contacts' | 'photos', { source, exact, reason }: Certainty): void {
    this.#answers.inc({ list, source, exact: String(exact), reason: reason ?? 'none' });
  }
}

function measurePlainQueries(registers: Registry[], plain: MeasuredParts['plainQueries']): void {
  new Gauge({
    name: 'recency_plain_queries',
    help: 'Heavy queries (plain queries and builds) that run, and that wait for their turn.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'running' }, plain.running);
      this.set({ state: 'queued' }, plain.queued);
    },
  });
  new Counter({
    name: 'recency_plain_queries_refused_total',
    help: 'Heavy queries that had no turn in time; those of a request are answered with 503.',
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
    help: 'Builds of indexes that a read asked for, running or waiting for their turn.',
    registers,
    collect() {
      this.set(builds.underWay);
    },
  });
  new Counter({
    name: 'recency_cold_builds_total',
    help: 'Builds that a read asked for, by what became of them; dropped ones are asked for again by the next read.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(builds.counts)) this.inc({ outcome }, count);
    },
  });
}
