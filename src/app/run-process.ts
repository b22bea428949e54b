import process from 'node:process';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { onEndingSignals } from './signals.ts';

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
