import { readFileSync } from 'node:fs';
import process from 'node:process';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Leases } from '../redis/lease.ts';
import { pause } from '../timing/backoff.ts';

/** What one long-running process is given to start with. */
export interface ProcessContext {
  readonly config: Config;
  readonly logger: Logger;
  /** What is put here is closed at the end, the last first: what takes work in goes last. */
  readonly resources: AsyncDisposableStack;
  /** Aborted when the process is to end. */
  readonly signal: AbortSignal;
  /** Ends the process in order, with exit code 1: it cannot go on by itself. @param graceMs not later than after this */
  readonly fail: (error: unknown, graceMs?: number) => void;
}

/** Of the time to the end of the process, what the end itself is left: timers are late on a busy machine. */
const RESERVE = 0.1;

/**
 * Runs a process until a signal ends it: SIGTERM and SIGINT close everything in order and end with 0, a second one ends it
 * at once, and so does the deadline (somewhat before SHUTDOWN_TIMEOUT_MS, which is for everything), with 1. What the process cannot go on after ends it with 1, in order.
 * @param start starts the process; resolves when it runs
 * @throws what `start` throws, after everything that was open is closed
 */
export async function runProcess(
  { config, logger }: Pick<ProcessContext, 'config' | 'logger'>,
  start: (context: ProcessContext) => Promise<void>,
): Promise<void> {
  const resources = new AsyncDisposableStack();
  const stopping = new AbortController();
  const failure: { error?: unknown } = {};
  const closeAll = async ({ err }: { err?: Error }) => {
    if (err) logger.fatal({ err }, 'an error that nobody expected; ending');
    stopping.abort();
    await started;
    await resources.disposeAsync();
    logger.info('ended');
    if ('error' in failure) throw failure.error;
  };
  let closing: Promise<void> | undefined;
  // What fails while everything is being closed does not end the process before that is done.
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
      logger.warn({ signal }, 'a second signal: ended at once');
      process.exit(1);
    },
  });
  const fail = (error: unknown, graceMs?: number) => {
    logger.fatal({ err: error }, 'this process cannot go on');
    failure.error = error;
    grace.close();
    if (graceMs !== undefined) setTimeout(() => endLate(logger, graceMs), graceMs);
  };
  const starting = start({ config, logger, resources, signal: stopping.signal, fail });
  const started = starting.catch(() => undefined);
  try {
    await starting;
  } catch (error) {
    if (stopping.signal.aborted) return; // told to end while starting: `close` does it
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
    onSecondError: (error: unknown) => logger.fatal({ err: error }, 'another error while ending: ended at once'),
    onTimeout: (ms: number) => endLate(logger, ms),
  } satisfies closeWithGrace.Options;
}

function endLate(logger: Logger, ms: number): never {
  logger.error({ ms }, 'not everything could be closed in time: ended all the same');
  process.exit(1);
}

/** Starts work that goes on until the process ends, which waits for it. What it rejects with ends the process. */
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

/** Before a lease is asked for again after an error, ms. */
const RETRY_MS = 1_000;

export interface StandingJob {
  /** Of the lease. */
  readonly name: string;
  /** Must end soon after the signal: this process ends, or the lease is lost. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
}

/** Does the job for as long as this process holds its lease, and otherwise stands by, until aborted. It never rejects. */
export async function whileLeading(leases: Leases, job: StandingJob, signal: AbortSignal): Promise<void> {
  const { name, work, logger } = job;
  while (!signal.aborted) {
    try {
      await leases.hold(name, ({ lost }) => work(AbortSignal.any([signal, lost])), { signal });
    } catch (error) {
      if (signal.aborted) return;
      logger.debug({ err: error, lease: name }, 'the lease cannot be asked for now');
      await pause(RETRY_MS, signal);
    }
  }
}

const ENDING = ['SIGINT', 'SIGTERM'] as const;

/** npm, `timeout` and some supervisors send the same signal twice: so soon after the first, it is no second one, ms. */
const SAME_MS = 1_000;

export interface SignalHandlers {
  readonly onFirst: (signal: NodeJS.Signals) => void;
  /** Whoever sends it does not want to wait any longer. */
  readonly onSecond: (signal: NodeJS.Signals) => void;
}

/** Hears SIGINT and SIGTERM, until the function returned is called. */
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

/** Recency's own version. The same file from `src/app` and from `dist/start`. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
