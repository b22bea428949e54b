/** `recency serve --workers`: processes that answer on one port. Each has its own connections and its own counts. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import process from 'node:process';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { StartError } from '../config/start-error.ts';
import { openLogger } from '../tracing/logger.ts';
import { answerForAll, fallsSilent, isAlive, STARTED, UNANSWERED } from './ask-workers.ts';
import { isHangupHeard } from './renewal.ts';
import { type ProcessContext, runProcess } from './run-process.ts';

/** Pause before a worker that ended is replaced, ms. */
const RESTART_MS = 1_000;

/**
 * Serves with so many workers. In one of them: serves.
 * @param serve as one process
 * @throws StartError, what `serve` throws
 */
export async function serveWith(workers: number, config: Config, serve: () => Promise<void>): Promise<void> {
  if (cluster.isPrimary) return await (workers > 1 ? runWorkers(config, workers) : serve());
  try {
    await serve();
  } catch (error) {
    process.channel?.unref(); // else a worker that could not start would stay
    throw error;
  }
}

/**
 * Runs so many workers until a signal ends them. A worker that ends by itself is replaced, again and again if need be: the others
 * answer meanwhile. If one of the first cannot start, all end.
 * @throws StartError
 */
async function runWorkers(config: Config, count: number): Promise<void> {
  const logger = openLogger(config, 'serve-workers');
  await runProcess({ config, logger }, async (context) => {
    cluster.setupPrimary({ serialization: 'advanced' }); // as JSON, a gauge that is NaN (not known) would become 0
    answerForAll(count);
    startWorkers(context, count);
  });
}

function startWorkers({ logger, intakes, resources, fail }: ProcessContext, count: number): void {
  const running = new Set<Worker>();
  /** Those that hear a signal. One that is only starting would be ended by it, and reads the files as they are by then. */
  const listening = new Set<Worker>();
  const passOn = () => {
    for (const worker of listening) worker.process.kill('SIGHUP');
  };
  if (isHangupHeard()) process.on('SIGHUP', passOn);
  resources.defer(() => void process.off('SIGHUP', passOn));
  let isEnding = false;
  const start = (isFirst: boolean) => {
    if (isEnding) return;
    const worker = cluster.fork();
    running.add(worker);
    const { id } = worker;
    logger.info({ worker: id, workerPid: worker.process.pid }, 'a worker is starting');
    let hasStarted = false;
    worker.once('listening', () => listening.add(worker));
    worker.on('message', (message: unknown) => {
      if (message !== STARTED) return;
      hasStarted = true;
      void endIfSilent(worker, logger);
    });
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      listening.delete(worker);
      if (isEnding) return;
      const reason = signal ?? `exit code ${code}`;
      if (isFirst && !hasStarted) {
        fail(new StartError(`worker ${id} did not start (${reason}); its log says why`));
        return;
      }
      logger.error({ worker: id, reason }, 'a worker ended by itself; another one takes its place');
      setTimeout(start, RESTART_MS, false);
    });
  };
  for (let i = 0; i < count; i++) start(true);
  intakes.add(async ({ drainMs }) => {
    isEnding = true;
    const signal = drainMs > 0 ? 'SIGTERM' : 'SIGINT';
    await Promise.all([...running].map((worker) => end(worker, signal)));
  });
}

/** Kills a worker that has started and does not answer any more, so that another one takes its place. */
async function endIfSilent(worker: Worker, logger: Logger): Promise<void> {
  let asked = 0;
  const isThere = () => worker.isConnected();
  if (!(await fallsSilent({ isThere, isAlive: () => isAlive(worker, ++asked) }))) return;
  logger.error({ worker: worker.id }, `a worker has not answered for ${UNANSWERED} s, and is killed`);
  worker.process.kill('SIGKILL');
}

async function end(worker: Worker, signal: NodeJS.Signals): Promise<void> {
  const ended = once(worker, 'exit');
  worker.process.kill(signal);
  await ended;
}
