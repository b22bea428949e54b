import type { Place, Transport } from '../harness/place.ts';
import { productAndVersion } from '../harness/servers.ts';
import { type Ground, openGround } from './ground.ts';
import { describeMachine } from './machine.ts';
import type { BenchReport, Measured } from './report.ts';

/** One benchmark: every arm in one run, on the same servers, in turns. */
export interface Bench<Size> {
  readonly name: string;
  readonly summary: string;
  readonly transport: Transport;
  /** Other settings than the defaults. */
  readonly settings?: () => Place['settings'];
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
    return await Promise.race([bench.measure(ground, size), ground.fleet.failed]);
  } catch (error) {
    const lastWords = ground.logs.lastWords();
    if (lastWords !== '') ground.tell(lastWords);
    throw error;
  }
}
