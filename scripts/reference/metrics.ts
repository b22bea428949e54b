import { Registry } from 'prom-client';
import { ApiMetrics } from '../../src/api/metrics.ts';
import {
  consumerMetrics,
  driftCounter,
  measureWatched,
  samplerMetrics,
  truthMetrics,
} from '../../src/app/consumer-metrics.ts';
import {
  captureMetrics,
  droppedLettersCounter,
  epochCounter,
  idleIndexesCounter,
  lossCounter,
  measureBacklog,
  measureFill,
  measureIndexLag,
  measureOutboxLag,
  measurePool,
  measureRedisMemory,
  measureSuspension,
  relayCounters,
} from '../../src/app/metrics.ts';
import { measureRenewal } from '../../src/app/renewal.ts';
import type { Database } from '../../src/mysql/database.ts';
import { notifierMetrics } from '../../src/push/process.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { Windows } from '../../src/repair/sampler/windows.ts';
import { code, markdownTable } from './markdown.ts';

/** Metrics are read only when they are scraped, and nobody does: so no store is needed. */
const NO_DATABASE = {} as Database;
const NO_REDIS = {} as RedisClient;
const unknown = async () => undefined;
const NO_CALLS = { counts: {} };

/**
 * What each process registers, with everything that a setting may leave out. test/deploy/metrics.e2e.test.ts compares it
 * with the processes.
 */
const REGISTERED: Readonly<Record<string, (registry: Registry) => void>> = {
  serve: (registry) => {
    epochCounter(registry);
    measureOutboxLag(registry, NO_DATABASE);
    measureSuspension(registry, NO_DATABASE);
    measurePool(registry, NO_DATABASE);
    measureIndexLag(registry, { lagShownMs: () => undefined });
    truthMetrics(registry);
    new ApiMetrics(registry, {
      streams: { open: 0, counts: { told: 0, same: 0, failed: 0, slow: 0 } },
      plainQueries: { running: 0, queued: 0, refused: 0 },
      coldBuilds: [],
      fresh: NO_CALLS,
      applyNow: NO_CALLS,
      replicaWaits: NO_CALLS,
    } as unknown as ConstructorParameters<typeof ApiMetrics>[1]);
  },
  consume: (registry) => {
    epochCounter(registry);
    droppedLettersCounter(registry);
    consumerMetrics(registry);
    lossCounter(registry);
    measureSuspension(registry, NO_DATABASE);
    measureBacklog(registry, { lag: unknown, bulkLag: unknown, delayQueues: [], primary: NO_DATABASE });
    measureWatched(registry, { overdueMs: async () => 0 });
    measureFill(registry, { fill: async () => ({ entries: 0, max: 0 }) });
    measurePool(registry, NO_DATABASE);
    measureRedisMemory(registry, NO_REDIS);
    truthMetrics(registry);
    samplerMetrics(registry, new Windows(() => 0));
    driftCounter(registry);
    idleIndexesCounter(registry);
  },
  relay: (registry) => {
    droppedLettersCounter(registry);
    measureOutboxLag(registry, NO_DATABASE);
    measureFill(registry, { fill: async () => ({ entries: 0, max: 0 }) });
    relayCounters(registry);
  },
  notify: (registry) => {
    epochCounter(registry);
    notifierMetrics(registry, { size: async () => 0 });
    measureSuspension(registry, NO_DATABASE);
  },
  capture: (registry) => {
    captureMetrics(registry, () => undefined);
  },
};

interface Definition {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
  readonly processes: readonly string[];
}

/** Every metric of Recency's own by its name. */
export function metricDefinitions(): ReadonlyMap<string, Definition> {
  const found = new Map<string, Definition>();
  for (const [process, register] of Object.entries(REGISTERED)) {
    const registry = new Registry();
    measureRenewal(registry, { isRefused: false });
    register(registry);
    for (const metric of registry.getMetricsAsArray() as unknown as Omit<Definition, 'processes'>[]) {
      const { name, help, type, labelNames } = metric;
      const processes = [...(found.get(name)?.processes ?? []), process];
      found.set(name, { name, help, type, labelNames, processes });
    }
  }
  return new Map([...found].sort(([a], [b]) => a.localeCompare(b)));
}

/** `docs/reference/metrics.md`: every metric with its type, its labels and the processes that have it. */
export function metricsReference(): string {
  const rows = [...metricDefinitions().values()].map(({ name, type, labelNames, processes, help }) => [
    code(name),
    type,
    labelNames.map(code).join(', '),
    processes.join(', '),
    help,
  ]);
  return `# Metrics

\`GET /metrics\` of every process, in the format of Prometheus. Each metric has the label \`process\`, and with \`serve --workers\` also
\`worker\`; no label holds an id. A histogram has \`_bucket\`, \`_sum\` and \`_count\`. A gauge is NaN, not 0, while it cannot be read. Metrics of
Node.js (\`process_…\`, \`nodejs_…\`) come with them. What only one transport or setting has (\`recency_stream_…\` of Redis Streams,
\`recency_replica_waits_total\` of a replica) is absent without it. What to watch, and why: [operations.md](../operations.md).

${markdownTable(['metric', 'type', 'labels', 'processes', ''], rows)}
`;
}
