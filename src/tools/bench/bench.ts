import pino from 'pino';
import { migrate } from '../../mysql/migrate.ts';
import { type Namespace, namespaceOn, type Transport } from '../harness/namespace.ts';
import { ProcessGroup } from '../harness/processes/process-group.ts';
import { ProcessLogs } from '../harness/processes/process-logs.ts';
import { removeTraces } from '../harness/remove-traces.ts';
import { productAndVersion, type Servers, startServers } from '../harness/servers.ts';
import { type HarnessStores, openHarnessStores } from '../harness/stores.ts';
import { type BenchReport, describeMachine, type Measured } from './report.ts';

/** One benchmark: every arm in one run, on the same servers, in turns. */
export interface Bench<Size> {
  readonly name: string;
  readonly summary: string;
  readonly transport: Transport;
  /** Other settings than the defaults. */
  readonly settings?: () => Namespace['settings'];
  /** What is measured, and how often. */
  readonly full: Size;
  /** Only to see that it works: its figures mean nothing. */
  readonly quick: Size;
  readonly measure: (ground: Ground, size: Size) => Promise<Measured>;
}

export interface RunOptions {
  readonly quick: boolean;
  /** Whether missing server programs may be installed. */
  readonly install: boolean;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** @throws StartError when a part cannot be had; the signal's reason */
export async function runBench<Size>(
  bench: Bench<Size>,
  { quick, install, signal, tell }: RunOptions,
): Promise<BenchReport> {
  const begun = performance.now();
  await using resources = new AsyncDisposableStack();
  const { transport } = bench;
  const settings = bench.settings?.() ?? {};
  const ground = await openGround({ transport, install, settings, resources, signal, tell });
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

/** When one of the processes ends by itself, what it said last is told. */
async function measured<Size>(bench: Bench<Size>, ground: Ground, size: Size): Promise<Measured> {
  try {
    return await Promise.race([bench.measure(ground, size), ground.processGroup.failed]);
  } catch (error) {
    const lastWords = ground.logs.lastWords();
    if (lastWords !== '') ground.tell(lastWords);
    throw error;
  }
}

/** What a benchmark works on: servers, a place of its own on them, and processes. */
export interface Ground {
  readonly servers: Servers;
  /** Whether missing server programs may be installed. */
  readonly install: boolean;
  readonly namespace: Namespace;
  readonly stores: HarnessStores;
  readonly processGroup: ProcessGroup;
  readonly logs: ProcessLogs;
  readonly resources: AsyncDisposableStack;
  readonly signal: AbortSignal;
  /** One line for the person who waits. */
  readonly tell: (text: string) => void;
}

export interface GroundOptions {
  readonly transport: Transport;
  readonly install: boolean;
  /** Those of another ground; undefined: of the environment, or started. */
  readonly servers?: Servers;
  /** Other settings than the defaults. */
  readonly settings?: Namespace['settings'];
  readonly resources: AsyncDisposableStack;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** What is measured, whatever the environment says. */
const SETTINGS = { MAX: '24', MIN: '12' };

/** Everything is gone again when the resources are disposed of. @throws StartError naming each part that cannot be had */
export async function openGround(options: GroundOptions): Promise<Ground> {
  const { transport, install, resources, signal, tell } = options;
  const servers = options.servers ?? (await startServers({ transport, install }));
  if (options.servers === undefined) resources.defer(() => servers.stack.stop());
  const namespace = namespaceOn(servers.stack, {
    purpose: 'bench',
    transport,
    settings: { ...SETTINGS, ...options.settings },
  });
  resources.defer(() => removeTraces(servers, namespace));
  await migrate({ url: namespace.config.mysqlUrl });
  const stores = await openHarnessStores(namespace, { logger: pino({ level: 'silent' }), resources, signal });
  const logs = new ProcessLogs('bench');
  resources.defer(() => logs.remove());
  const processGroup = new ProcessGroup(namespace, logs);
  resources.defer(() => processGroup.stopAll());
  return { servers, install, namespace, stores, processGroup, logs, resources, signal, tell };
}
