/** What `serve --workers` asks its processes: a worker asks all of them by way of the primary, which asks each one and passes on what they say. */
import cluster, { type Worker } from 'node:cluster';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry, Gauge, type MetricObject, type Registry } from 'prom-client';
import type { HistoryWindow } from '../console/history.ts';

/** Their metrics, as one text; their histories; whether they answer at all, which only the primary asks. */
type WorkersQuestion = 'metrics' | 'history' | 'alive';

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
export const STARTED = 'started';

/** In a worker: it has checked what it needs, and answers. From now on it replies to {@link isAlive}. */
export function sayStarted(): void {
  if (cluster.worker === undefined) return;
  askingAll('alive', () => true);
  process.send?.(STARTED);
}

/** In the primary: answers with what those of the workers say that reply. */
export function answerForAll(workers: number): void {
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

/** In the primary: does this worker reply within a second? Never rejects. */
export async function isAlive(worker: Worker, number: number): Promise<boolean> {
  return (await answerOf(worker, { of: 'one', question: 'alive', number })) === true;
}

/** So many questions in a row, of a second each, and a worker that answers none is stopped or hangs. */
export const UNANSWERED = 10;

interface AskedWorker {
  readonly isAlive: () => Promise<boolean>;
  /** Has it not ended? */
  readonly isThere: () => boolean;
  /** Pause after an answer, ms. */
  readonly pauseMs?: number;
}

/** Asks until there is no answer to {@link UNANSWERED} questions in a row: true. False: it has ended. */
export async function fallsSilent({ isAlive, isThere, pauseMs = 1_000 }: AskedWorker): Promise<boolean> {
  for (let unanswered = 0; isThere(); ) {
    if (await isAlive()) {
      unanswered = 0;
      await pause(pauseMs, undefined, { ref: false });
    } else if (++unanswered === UNANSWERED) return true;
  }
  return false;
}

/** Undefined: it did not reply in time. Never rejects. */
async function answerOf(worker: Worker, asked: AskedOfWorkers): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const onMessage = (message: unknown) => {
    if (isAsked(message, 'one') && message.question === asked.question && message.number === asked.number)
      resolve(message.answer);
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
