import { readFileSync } from 'node:fs';
import process from 'node:process';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Leases } from '../redis/lease.ts';
import { pause } from '../timing/backoff.ts';
import { startTracing } from './open-tracing.ts';

/** What a long-running process starts with. */
export interface ProcessContext {
  readonly config: Config;
  readonly logger: Logger;
  /** Closed when the process ends, last in first out: add what accepts work last. */
  readonly resources: AsyncDisposableStack;
  /** Aborted when the process must end. */
  readonly signal: AbortSignal;
  /** Shuts the process down with exit code 1. @param graceMs maximum time for it, if less than usual */
  readonly fail: (error: unknown, graceMs?: number) => void;
}

/** Share of SHUTDOWN_TIMEOUT_MS kept in reserve, because timers are late on a busy machine. */
const RESERVE = 0.1;

/**
 * Runs a process until SIGTERM or SIGINT, which close everything in order; the exit code is then 0. The exit code is 1 after a
 * second signal, which ends the process at once; when closing takes nine tenths of SHUTDOWN_TIMEOUT_MS; and after an error that
 * the process cannot recover from, which closes everything in order as well.
 * @param start starts the process; resolves when it runs
 * @throws what `start` throws, once everything is closed
 */
export async function runProcess(
  { config, logger }: Pick<ProcessContext, 'config' | 'logger'>,
  start: (context: ProcessContext) => Promise<void>,
): Promise<void> {
  const resources = new AsyncDisposableStack();
  const stopping = new AbortController();
  const failure: { error?: unknown } = {};
  const closeAll = async ({ err }: { err?: Error }) => {
    if (err) logger.fatal({ err }, 'unexpected error; ending');
    stopping.abort();
    await started;
    await resources.disposeAsync();
    logger.info('ended');
    if ('error' in failure) throw failure.error;
  };
  let closing: Promise<void> | undefined;
  // An error during the shutdown must not start a second one.
  const close = (cause: { err?: Error }) => {
    closing ??= closeAll(cause);
    return closing;
  };
  const grace = closeWithGrace({ ...graceOptions(logger), delay: config.shutdownTimeoutMs * (1 - RESERVE) }, close);
  const forgetSignals = onEndingSignals({
    onFirst: (signal) => {
      logger.info({ signal }, 'ending');
      grace.close();
    },
    onSecond: (signal) => {
      logger.warn({ signal }, 'second signal: ended at once');
      process.exit(1);
    },
  });
  const fail = (error: unknown, graceMs?: number) => {
    logger.fatal({ err: error }, 'this process cannot continue');
    failure.error = error;
    grace.close();
    if (graceMs !== undefined) setTimeout(() => endLate(logger, graceMs), graceMs);
  };
  const begin = async () => {
    await startTracing({ logger, resources, version: readVersion() });
    await start({ config, logger, resources, signal: stopping.signal, fail });
  };
  const starting = begin();
  const started = starting.catch(() => undefined);
  try {
    await starting;
  } catch (error) {
    if (stopping.signal.aborted) return; // a signal came during the start: `close` ends the process
    forgetSignals();
    grace.uninstall();
    await resources.disposeAsync();
    throw error;
  }
}

function graceOptions(logger: Logger) {
  return {
    logger: false,
    skip: ['SIGINT', 'SIGTERM'],
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

export interface StandingJob {
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

const ENDING = ['SIGINT', 'SIGTERM'] as const;

/** npm, `timeout` and some supervisors send a signal twice; a signal this soon after the first one is ignored, ms. */
const SAME_MS = 1_000;

export interface SignalHandlers {
  readonly onFirst: (signal: NodeJS.Signals) => void;
  /** The sender does not want to wait any longer. */
  readonly onSecond: (signal: NodeJS.Signals) => void;
}

/** Listens to SIGINT and SIGTERM. @returns stops listening */
export function onEndingSignals({ onFirst, onSecond }: SignalHandlers): () => void {
  let first: number | undefined;
  const hear = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = performance.now();
      onFirst(signal);
    } else if (performance.now() - first > SAME_MS) onSecond(signal);
  };
  for (const signal of ENDING) process.on(signal, hear);
  return () => {
    for (const signal of ENDING) process.off(signal, hear);
  };
}

/** Recency's version. The path to package.json is the same from `src/app` and from `dist/app`. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
