import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isStoreFault } from '../index/store-fault.ts';
import { decodeTask, InvalidTask } from './cloud-events.ts';
import type { DeadLetters, Failure } from './dead-letters.ts';
import { type Batch, BatchLost, type Delivery, type Loss, type TaskSource } from './task-source.ts';
import type { TaskWorker } from './task-worker.ts';
import { planWork, type ReceivedTask } from './work-plan.ts';

export interface TaskConsumerOptions {
  readonly source: TaskSource;
  readonly worker: Pick<TaskWorker, 'work'>;
  readonly deadLetters: Pick<DeadLetters, 'put'>;
  /** Tasks were lost: raise the alarm and begin a new epoch. Nothing behind the loss is delivered before it resolves. */
  readonly onLoss: (loss: Loss) => Promise<void>;
  readonly logger: Logger;
  readonly onBatch?: (batch: { tasks: number; deadLetters: number; seconds: number }) => void;
}

/** How often a task that fails by itself is tried before it goes to the dead letters. */
const ATTEMPTS = 3;

const PAUSE_MS = 100;

/**
 * Takes batches of tasks and has them applied. A batch is acknowledged when everything in it is written, or is among
 * the dead letters. While a store is away the batch is given back, and nothing goes to the dead letters.
 */
export class TaskConsumer {
  readonly #options: TaskConsumerOptions;

  constructor(options: TaskConsumerOptions) {
    this.#options = options;
  }

  /** Until `stop`. Rejects when the source cannot go on. */
  run(): Promise<void> {
    return this.#options.source.run((batch) => this.#handle(batch), this.#options.onLoss);
  }

  /** Resolves when the batch in work is acknowledged or given back. */
  stop(): Promise<void> {
    return this.#options.source.stop();
  }

  async #handle(batch: Batch): Promise<void> {
    const from = performance.now();
    const letters: Letter[] = [];
    const received = new Map<Delivery, ReceivedTask>();
    for (const delivery of batch.deliveries) {
      const task = decode(delivery);
      if (task instanceof InvalidTask) letters.push(letter(delivery, task, 1));
      else received.set(delivery, task);
    }
    letters.push(...(await this.#work(received, batch)));
    if (letters.length > 0) {
      await batch.keepAlive();
      await this.#putAside(letters);
    }
    const seconds = (performance.now() - from) / 1000;
    this.#options.onBatch?.({ tasks: received.size, deadLetters: letters.length, seconds });
  }

  /** All at once; when that fails for a reason of one task's own, one by one, to find which. */
  async #work(received: ReadonlyMap<Delivery, ReceivedTask>, batch: Batch): Promise<Letter[]> {
    const between = () => batch.keepAlive();
    try {
      await this.#options.worker.work(planWork([...received.values()]), between);
      return [];
    } catch (error) {
      if (isNotTheTasksOwn(error)) throw error;
      this.#options.logger.error({ err: error }, 'a batch failed; trying its tasks one by one');
    }
    const letters: Letter[] = [];
    for (const [delivery, task] of received) {
      const error = await this.#tryAlone(task, between);
      if (error !== undefined) letters.push(letter(delivery, error, ATTEMPTS));
    }
    return letters;
  }

  async #tryAlone(task: ReceivedTask, between: () => Promise<void>): Promise<Error | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#options.worker.work(planWork([task]), between);
        return undefined;
      } catch (error) {
        if (isNotTheTasksOwn(error)) throw error;
        if (attempt === ATTEMPTS) return error instanceof Error ? error : new Error(String(error));
        await pause(PAUSE_MS * attempt);
      }
    }
  }

  async #putAside(letters: Letter[]): Promise<void> {
    await this.#options.deadLetters.put(letters);
    for (const { delivery, failure } of letters) {
      this.#options.logger.warn({ position: delivery.position, ...failure }, 'a task went to the dead letters');
    }
  }
}

interface Letter {
  readonly delivery: Delivery;
  readonly failure: Failure;
}

/** The identity of a task for the cursors: the place in its transport, and the publisher's id, in case places repeat. */
function decode(delivery: Delivery): ReceivedTask | InvalidTask {
  try {
    return { task: decodeTask(delivery), position: `${delivery.position} ${delivery.headers.ce_id ?? ''}` };
  } catch (error) {
    if (error instanceof InvalidTask) return error;
    throw error;
  }
}

function isNotTheTasksOwn(error: unknown): boolean {
  return error instanceof BatchLost || isStoreFault(error);
}

function letter(delivery: Delivery, error: Error, attempts: number): Letter {
  return { delivery, failure: { errorClass: error.name, message: error.message, attempts } };
}
