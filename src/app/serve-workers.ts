/** `recency serve --workers`: processes that answer on one port. Each has its own connections and its own counts. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import process from 'node:process';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { openLogger } from './logger.ts';
import { type ProcessContext, runProcess } from './run-process.ts';
import { StartError } from './start-error.ts';

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
    answerForMetrics();
    startWorkers(context, count);
  });
}

function startWorkers({ logger, resources, fail }: ProcessContext, count: number): void {
  const running = new Set<Worker>();
  let isEnding = false;
  const start = (isFirst: boolean) => {
    if (isEnding) return;
    const worker = cluster.fork();
    running.add(worker);
    const { id } = worker;
    logger.info({ worker: id, workerPid: worker.process.pid }, 'a worker is starting');
    let hasListened = false;
    worker.once('listening', () => {
      hasListened = true;
    });
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (isEnding) return;
      const reason = signal ?? `exit code ${code}`;
      if (isFirst && !hasListened) {
        fail(new StartError(`worker ${id} did not start (${reason}); its log says why`));
        return;
      }
      logger.error({ worker: id, reason }, 'a worker ended by itself; another one takes its place');
      setTimeout(start, RESTART_MS, false);
    });
  };
  for (let i = 0; i < count; i++) start(true);
  resources.defer(async () => {
    isEnding = true;
    await Promise.all([...running].map(end));
  });
}

async function end(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit');
  worker.process.kill('SIGTERM');
  await ended;
}

interface MetricsRequest {
  readonly metricsFor: number;
}

interface AllMetrics extends MetricsRequest {
  readonly text?: string;
  readonly error?: string;
}

const isMetricsMessage = (message: unknown): message is AllMetrics =>
  typeof message === 'object' && message !== null && 'metricsFor' in message;

/** Whichever worker is asked for metrics, it replies with those of all. */
function answerForMetrics(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', (worker, message: unknown) => {
    if (!isMetricsMessage(message)) return;
    const { metricsFor } = message;
    const reply = (more: Partial<AllMetrics>) => {
      if (worker.isConnected()) worker.send({ metricsFor, ...more } satisfies AllMetrics);
    };
    all.clusterMetrics().then(
      (text) => reply({ text }),
      (error: unknown) => reply({ error: String(error) }),
    );
  });
}

/**
 * The metrics of this process; in a worker, those of all workers, each labelled with its number. One that takes another's place
 * has a number of its own.
 * @returns reads them as text @throws Error when another worker does not say its own
 */
export function metricsOfAll(registry: Registry): () => Promise<string> {
  if (cluster.worker === undefined) return () => registry.metrics();
  registry.setDefaultLabels({ process: 'serve', worker: String(cluster.worker.id) });
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry(); // from now on this process answers for its own
  const waiting = new Map<number, PromiseWithResolvers<string>>();
  process.on('message', (message: unknown) => {
    if (!isMetricsMessage(message)) return;
    const { metricsFor, text, error } = message;
    const asked = waiting.get(metricsFor);
    waiting.delete(metricsFor);
    if (text === undefined) asked?.reject(new Error(error ?? 'no metrics'));
    else asked?.resolve(text);
  });
  let asked = 0;
  return () => {
    const reply = Promise.withResolvers<string>();
    waiting.set(++asked, reply);
    process.send?.({ metricsFor: asked } satisfies MetricsRequest);
    return reply.promise;
  };
}
