import pino from 'pino';
import { migrate } from '../../mysql/migrate.ts';
import { siteOf } from '../../site/site.ts';
import { productAndVersion } from '../devservers/devservers.ts';
import { type RunningServer, startRedis } from '../devservers/start-server.ts';
import { type Namespace, namespaceOn, type TransportName } from '../harness/namespace.ts';
import { ProcessGroup } from '../harness/processes/process-group.ts';
import { ProcessLogs } from '../harness/processes/process-logs.ts';
import { removeTraces } from '../harness/remove-traces.ts';
import { type Feed, type Servers, startServers } from '../harness/servers.ts';
import { type HarnessStores, openHarnessStores } from '../harness/stores.ts';
import { type BenchReport, describeMachine, type Measurements } from './report.ts';

/** One benchmark: all variants in one run, on the same servers, in turns. */
export interface Bench<Size> {
  readonly name: string;
  readonly summary: string;
  readonly transport: TransportName;
  readonly feed?: Feed;
  readonly settings?: () => Namespace['settings'];
  /** A Redis of the benchmark's own: no other is to be flushed, restarted, or measured while others use it. */
  readonly ownRedis?: true;
  /** What is measured, and how often. */
  readonly full: Size;
  /** A quick check that it works: the figures mean nothing. */
  readonly quick: Size;
  readonly measure: (ground: Ground, size: Size) => Promise<Measurements>;
}

export type BenchOptions = Pick<Ground, 'install' | 'signal' | 'progress'> & { readonly quick: boolean };

/** @throws StartError when a server is not available; the signal's reason */
export async function runBench<Size>(
  bench: Bench<Size>,
  { quick, install, signal, progress }: BenchOptions,
): Promise<BenchReport> {
  const begun = performance.now();
  await using resources = new AsyncDisposableStack();
  const { transport, feed = 'outbox', ownRedis = false } = bench;
  const settings = bench.settings?.() ?? {};
  const ground = await openGround({ transport, feed, ownRedis, install, settings, resources, signal, progress });
  const { rows, ratios } = await measured(bench, ground, quick ? bench.quick : bench.full);
  const { parts } = ground.servers.stack;
  return {
    bench: bench.name,
    machine: describeMachine(),
    servers: Object.fromEntries(parts.map((part) => [part.name, productAndVersion(part)])),
    rows,
    ratios,
    seconds: Math.round((performance.now() - begun) / 100) / 10,
    at: new Date().toISOString(),
  };
}

/** Adds the last log lines when a process ended by itself. */
async function measured<Size>(bench: Bench<Size>, ground: Ground, size: Size): Promise<Measurements> {
  try {
    return await Promise.race([bench.measure(ground, size), ground.processGroup.failed]);
  } catch (error) {
    const lastWords = ground.logs.lastWords();
    if (lastWords !== '') ground.progress(lastWords);
    throw error;
  }
}

/** What a benchmark works with: servers, its own namespace on them, and processes. */
export interface Ground {
  readonly servers: Servers;
  /** If the benchmark has one of its own. */
  readonly redis: RunningServer | undefined;
  readonly install: boolean;
  readonly namespace: Namespace;
  readonly stores: HarnessStores;
  readonly processGroup: ProcessGroup;
  readonly logs: ProcessLogs;
  readonly resources: AsyncDisposableStack;
  readonly signal: AbortSignal;
  /** Prints one line for the person who waits. */
  readonly progress: (text: string) => void;
}

export type GroundOptions = Pick<Ground, 'install' | 'resources' | 'signal' | 'progress'> & {
  readonly transport: TransportName;
  readonly feed?: Feed;
  /** Another ground's servers; undefined: those of the environment, or new ones. */
  readonly servers?: Servers;
  readonly ownRedis?: boolean;
  readonly settings?: Namespace['settings'];
};

/** Fixed, whatever the environment says. Everybody has an index, for good: all but `pays` measure what indexes take. */
const SETTINGS = { MAX: '24', MIN: '12', INDEX_ABOVE: '0', KEEP: '1000000' };

/** Everything is removed when the resources are disposed of. @throws StartError naming each missing server */
export async function openGround(options: GroundOptions): Promise<Ground> {
  const { transport, install, resources, signal, progress, feed = 'outbox', ownRedis = false } = options;
  const shared = options.servers ?? (await startServers({ transport, install, feed }));
  if (options.servers === undefined) resources.defer(() => shared.stack.stop());
  const redis = ownRedis ? resources.adopt(await startRedis({ install }), (server) => server.remove()) : undefined;
  const servers = redis === undefined ? shared : { ...shared, stack: { ...shared.stack, redisUrl: redis.url } };
  const namespace = namespaceOn(servers.stack, {
    purpose: 'bench',
    transport,
    settings: { ...SETTINGS, ...options.settings },
  });
  resources.defer(() => removeTraces(servers, namespace));
  await migrate({ url: namespace.config.mysqlUrl, kinds: siteOf(namespace.config).kinds });
  const stores = await openHarnessStores(namespace, { logger: pino({ level: 'silent' }), resources, signal, feed });
  const logs = new ProcessLogs('bench');
  resources.defer(() => logs.remove());
  const processGroup = new ProcessGroup(namespace, logs);
  resources.defer(() => processGroup.stopAll());
  return { servers, redis, install, namespace, stores, processGroup, logs, resources, signal, progress };
}
