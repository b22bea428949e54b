import { readFileSync } from 'node:fs';
import process from 'node:process';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { loadTracing, type TracingConfig } from '../config/tracing.ts';
import type { Leases, LeasesOptions } from '../redis/lease.ts';
import { pause } from '../timing/loop.ts';
import { DEFAULT_STALL_MS } from '../timing/stall-detector.ts';
import { type Intakes, OpenProcess, onEndingSignals } from './ending.ts';
import { isHangupHeard, Renewal } from './renewal.ts';

/** How long processes and commands wait for what happens elsewhere, ms. These are not settings: only tests use other values. */
export interface Times {
  /** A change that is on its way for longer cannot be told from drift. */
  readonly settleMs: number;
  /** A consumer or a capture that makes no progress for this long ends, and another process takes over. */
  readonly stallMs: number;
  /** After the consumer that samples is killed, another one takes over within the sum of the two. */
  readonly samplerLease: Pick<LeasesOptions, 'ttlMs' | 'retryMs'>;
  /** After the process that captures is killed, another one takes over, at the earliest, this long afterwards. */
  readonly captureLeaseMs: number;
  /** The second read within this time builds the index of a user who has none. */
  readonly readerDayMs: number;
}

export const TIMES: Times = {
  settleMs: 30_000,
  stallMs: DEFAULT_STALL_MS,
  samplerLease: { ttlMs: 10_000, retryMs: 2_000 },
  captureLeaseMs: 10_000,
  readerDayMs: 86_400_000,
};

/** How long the end of a process may wait for the collector, ms. */
const FLUSH_MS = 2_000;

interface TracingOpening {
  readonly version: string;
  /** Its binding `process` names the service: `recency-serve`. */
  readonly logger: Logger;
  /** Sends what is left, as the last thing that is closed. */
  readonly resources: AsyncDisposableStack;
}

/**
 * Turns tracing on if the environment asks for it (docs/tracing.md). Open it before anything else: what is opened later may
 * still make spans while it closes.
 * @throws ConfigError
 */
async function startTracing(opening: TracingOpening, config = loadTracing()): Promise<void> {
  if (config === undefined) return;
  const { logger, resources } = opening;
  const opened = await open(config, opening);
  resources.defer(() => opened.close(FLUSH_MS));
  logger.info({ sampler: config.sampler, protocol: config.protocol }, 'tracing is on');
}

async function open(config: TracingConfig, { version, logger }: TracingOpening) {
  const { openTracing } = await import('../tracing/open-telemetry.ts');
  const onProblem = (problem: string) => logger.warn({ problem }, 'traces are not sent; spans may be lost');
  return await openTracing(config, { service: `recency-${logger.bindings().process}`, version }, onProblem);
}

/** What a long-running process starts with. */
export interface ProcessContext {
  readonly config: Config;
  readonly logger: Logger;
  /** Secrets and certificates that are replaced while it runs. */
  readonly renewal: Renewal;
  /** What accepts work from others: it stops first. */
  readonly intakes: Pick<Intakes, 'add'>;
  /** Closed when the process ends, last in first out. */
  readonly resources: AsyncDisposableStack;
  /** Aborted when the process must end, and the intakes have stopped. */
  readonly signal: AbortSignal;
  /** Aborted when half of the time to end is over: what then still waits for a server is given up. */
  readonly late: AbortSignal;
  /** Shuts the process down with exit code 1. @param graceMs maximum time for it, if less than usual */
  readonly fail: (error: unknown, graceMs?: number) => void;
}

/** Share of SHUTDOWN_TIMEOUT_MS kept in reserve, because timers are late on a busy machine. */
const RESERVE = 0.1;

/**
 * Runs a process until SIGTERM or SIGINT, which close everything in order; the exit code is then 0. After SIGTERM a started process
 * goes on for DRAIN_MS, at most half of SHUTDOWN_TIMEOUT_MS, if it accepts requests. The exit code is 1 after a second signal,
 * which ends the process at once; when closing takes nine tenths of SHUTDOWN_TIMEOUT_MS; and after an error that the process
 * cannot recover from, which closes everything in order as well.
 * @param start starts the process; resolves when it runs
 * @throws what `start` throws, once everything is closed
 */
export async function runProcess(
  { config, logger }: Pick<ProcessContext, 'config' | 'logger'>,
  start: (context: ProcessContext) => Promise<void>,
): Promise<void> {
  const open = new OpenProcess();
  const { intakes, resources, signal, late } = open;
  const run: { hasStarted: boolean; mayDrain: boolean; error?: unknown } = { hasStarted: false, mayDrain: false };
  const withinMs = config.shutdownTimeoutMs * (1 - RESERVE);
  const closeAll = async ({ err }: { err?: Error }) => {
    if (err) logger.fatal({ err }, 'unexpected error; ending');
    const drains = run.mayDrain && run.hasStarted && !intakes.isEmpty;
    const drainMs = drains ? Math.min(config.drainMs, config.shutdownTimeoutMs / 2) : 0;
    if (drainMs > 0) logger.info({ drainMs }, 'still answering, so that load balancers notice');
    await open.close({ withinMs, drainMs, started });
    logger.info('ended');
    if ('error' in run) throw run.error;
  };
  let closing: Promise<void> | undefined;
  // An error during the shutdown must not start a second one.
  const close = (cause: { err?: Error }) => {
    closing ??= closeAll(cause);
    return closing;
  };
  const grace = closeWithGrace({ ...graceOptions(logger), delay: withinMs }, close);
  const forgetSignals = hearSignals(logger, (mayDrain) => {
    run.mayDrain = mayDrain;
    grace.close();
  });
  const fail = (error: unknown, graceMs?: number) => {
    logger.fatal({ err: error }, 'this process cannot continue');
    run.error = error;
    grace.close();
    if (graceMs !== undefined) setTimeout(() => endLate(logger, graceMs), graceMs);
  };
  const renewal = new Renewal(config, logger);
  resources.defer(renewal.start());
  const begin = async () => {
    await startTracing({ logger, resources, version: readVersion() });
    await start({ config, logger, renewal, intakes, resources, signal, late, fail });
    run.hasStarted = true;
  };
  const starting = begin();
  const started = starting.catch(() => undefined);
  try {
    await starting;
  } catch (error) {
    if (closing !== undefined) return; // a signal came during the start: `close` ends the process
    forgetSignals();
    grace.uninstall();
    await open.closeAtOnce().catch((err: unknown) => logger.error({ err }, 'not everything could be closed'));
    throw error;
  }
}

/** @param end is told whether requests may go on for a while @returns stops listening */
function hearSignals(logger: Logger, end: (mayDrain: boolean) => void): () => void {
  const onFirst = (signal: NodeJS.Signals) => {
    logger.info({ signal }, 'ending');
    end(signal === 'SIGTERM');
  };
  const onSecond = (signal: NodeJS.Signals) => {
    logger.warn({ signal }, 'second signal: ended at once');
    process.exit(1);
  };
  return onEndingSignals({ onFirst, onSecond }, isHangupHeard() ? OTHERS : [...OTHERS, 'SIGHUP']);
}

const OTHERS = ['SIGQUIT', 'SIGUSR2'] as const;

function graceOptions(logger: Logger) {
  return {
    logger: false,
    skip: ['SIGINT', 'SIGTERM', 'SIGHUP', ...OTHERS],
    onSecondError: (error: unknown) => logger.fatal({ err: error }, 'second error during the shutdown: ended at once'),
    onTimeout: (ms: number) => endLate(logger, ms),
  } satisfies closeWithGrace.Options;
}

function endLate(logger: Logger, ms: number): never {
  logger.error({ ms }, 'not everything was closed in time: ended');
  process.exit(1);
}

/** Starts work that runs until the process ends, which waits for it. If it rejects, the process ends. */
export function inBackground(
  { resources, fail }: Pick<ProcessContext, 'resources' | 'fail'>,
  work: (signal: AbortSignal) => Promise<void>,
): void {
  const ending = new AbortController();
  const running = work(ending.signal).catch(fail);
  resources.defer(async () => {
    ending.abort();
    await running;
  });
}

/** Pause before a lease is requested again after an error, ms. */
const RETRY_MS = 1_000;

interface StandingJob {
  /** The name of its lease. */
  readonly name: string;
  /**
   * Must end soon after the signal, which means that the process ends or the lease is lost.
   * @param token the lease's fencing token
   */
  readonly work: (signal: AbortSignal, token: string) => Promise<void>;
  readonly logger: Logger;
}

/** Does a job whenever this process holds its lease, and waits for the lease otherwise, until aborted. Never rejects. */
export async function whileLeading(leases: Leases, job: StandingJob, signal: AbortSignal): Promise<void> {
  const { name, work, logger } = job;
  while (!signal.aborted) {
    try {
      await leases.hold(name, ({ lost, token }) => work(AbortSignal.any([signal, lost]), token), { signal });
    } catch (error) {
      if (signal.aborted) return;
      logger.debug({ err: error, lease: name }, 'the lease could not be requested');
      await pause(RETRY_MS, signal);
    }
  }
}

/** Recency's version. The path to package.json is the same from `src/app` and from `dist/app`. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
