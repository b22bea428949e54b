/** `recency serve --workers`: processes that answer on one port. Each has its own connections and its own counts. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import process from 'node:process';
import { AggregatorRegistry, Gauge, type MetricObject, type Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { StartError } from '../config/start-error.ts';
import type { HistoryWindow } from '../console/history.ts';
import { openLogger } from '../tracing/logger.ts';
import { isHangupHeard } from './renewal.ts';
import { type ProcessContext, runProcess } from './run-process.ts';

/** What is asked of all workers, whichever of them is asked: their metrics, as one text; their histories. */
type WorkersQuestion = 'metrics' | 'history';

/** A worker asks all workers by way of the primary, which asks each one and passes on what they say. */
interface AskedOfWorkers {
  readonly of: 'all' | 'one';
  readonly question: WorkersQuestion;
  readonly number: number;
  readonly argument?: unknown;
  /** Undefined: it is the question. */
  readonly answer?: unknown;
}

/** A worker that is stopped, or is only starting, is not waited for any longer, ms. */
const WORKER_MS = 1_000;

const isAsked = (message: unknown, of: AskedOfWorkers['of']): message is AskedOfWorkers =>
  typeof message === 'object' && message !== null && 'question' in message && 'of' in message && message.of === of;

/** What a worker says once it has started. */
const STARTED = 'started';

/** In a worker: it has checked what it needs, and answers. */
export function sayStarted(): void {
  if (cluster.isWorker) process.send?.(STARTED);
}

/** In the primary: answers with what those of the workers say that reply. */
function answerForAll(workers: number): void {
  let asked = 0;
  cluster.on('message', (asking, message: unknown) => {
    if (!isAsked(message, 'all')) return;
    const connected = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[];
    void Promise.all(connected.map((worker) => answerOf(worker, { ...message, of: 'one', number: ++asked })))
      .then(async (all): Promise<unknown> => {
        const replies = all.filter((reply) => reply !== undefined);
        return message.question === 'metrics' ? await textOf(replies as MetricObject[][], workers) : replies;
      })
      .then((answer) => {
        // One that has just been killed may still count as connected; without a callback its error would end this process.
        if (asking.isConnected()) asking.send({ ...message, answer } satisfies AskedOfWorkers, () => undefined);
      });
  });
}

/** Undefined: it did not reply in time. Never rejects. */
async function answerOf(worker: Worker, asked: AskedOfWorkers): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const onMessage = (message: unknown) => {
    if (isAsked(message, 'one') && message.number === asked.number) resolve(message.answer);
  };
  const timer = setTimeout(() => resolve(undefined), WORKER_MS);
  worker.on('message', onMessage);
  worker.send(asked, (error) => error && resolve(undefined));
  return await promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', onMessage);
  });
}

/** Says how many workers do not reply. */
async function textOf(replies: readonly MetricObject[][], workers: number): Promise<string> {
  const all = AggregatorRegistry.aggregate([...replies]);
  const missing = new Gauge({
    name: 'recency_serve_workers_missing',
    help: 'Workers of this process whose metrics are not in this reply: they have stopped, or are starting.',
    labelNames: ['process'],
    registers: [all],
  });
  missing.set({ process: 'serve' }, workers - replies.length);
  return await all.metrics();
}

/**
 * In a worker: answers for itself, and asks all.
 * @param own what this worker says @returns asks all of them
 */
function askingAll<Argument, Own>(question: WorkersQuestion, own: (argument: Argument) => Own | Promise<Own>) {
  const waiting = new Map<number, (answer: unknown) => void>();
  process.on('message', (message: unknown) => {
    if (isAsked(message, 'one') && message.question === question)
      void Promise.resolve(own(message.argument as Argument)).then((answer) => process.send?.({ ...message, answer }));
    if (!isAsked(message, 'all') || message.question !== question) return;
    waiting.get(message.number)?.(message.answer);
    waiting.delete(message.number);
  });
  let asked = 0;
  return (argument: Argument): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(++asked, resolve);
    process.send?.({ of: 'all', question, number: asked, argument } satisfies AskedOfWorkers);
    return promise;
  };
}

/**
 * The metrics of this process; in a worker, those of all workers, each labelled with its number. One that takes another's place
 * has a number of its own.
 * @returns reads them as text
 */
export function metricsOfAll(registry: Registry): () => Promise<string> {
  if (cluster.worker === undefined) return () => registry.metrics();
  registry.setDefaultLabels({ process: 'serve', worker: String(cluster.worker.id) });
  const ask = askingAll('metrics', () => registry.getMetricsAsJSON());
  return async () => String(await ask(undefined));
}

/** The same of histories. @param own this worker's, later than a time in ms @returns those of all workers */
export function historyOfAll(own: (after: number) => HistoryWindow): (after: number) => Promise<HistoryWindow[]> {
  if (cluster.worker === undefined) return async (after) => [own(after)];
  const ask = askingAll('history', own);
  return async (after) => (await ask(after)) as HistoryWindow[];
}

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
      if (message === STARTED) hasStarted = true;
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

async function end(worker: Worker, signal: NodeJS.Signals): Promise<void> {
  const ended = once(worker, 'exit');
  worker.process.kill(signal);
  await ended;
}
