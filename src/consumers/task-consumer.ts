import type { Logger } from 'pino';
import { settingAside } from '../index/set-aside.ts';
import { type Answers, storeFaultOf } from '../index/store-fault.ts';
import { InvalidTask, type ReadTask, readTask } from '../transport/cloud-events.ts';
import type { DeadLetters, Failure } from '../transport/dead-letters.ts';
import { type Batch, BatchLost, type Delivery, type Loss, type TaskSource } from '../transport/task-source.ts';
import type { TaskWorker } from './task-worker.ts';
import { planWork, type ReceivedTask } from './work-plan.ts';

export interface TaskConsumerOptions {
  readonly source: TaskSource;
  readonly worker: Pick<TaskWorker, 'work'>;
  readonly deadLetters: Pick<DeadLetters, 'put'>;
  /** Tasks were lost: raise the alarm and withdraw the indexes' trust. Nothing behind the loss is delivered before it resolves. */
  readonly onLoss: (loss: Loss) => Promise<void>;
  readonly logger: Logger;
  /** Do the stores answer? Left out: what takes too long is always taken for the fault of a store. */
  readonly answers?: Answers;
  readonly onBatch?: (batch: { tasks: number; deadLetters: number; ignoredFields: number; seconds: number }) => void;
}

/**
 * Takes batches of tasks and has them applied. A batch is acknowledged when everything in it is written, or is among
 * the dead letters. While a store is away, or not as it must be, the batch is given back, and nothing goes to the dead
 * letters; a task goes there when it fails alone, again and again, although the stores answer.
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
    let ignoredFields = 0;
    for (const delivery of batch.deliveries) {
      const task = decode(delivery);
      if (task instanceof InvalidTask) letters.push(letter(delivery, task, 1));
      else {
        received.set(delivery, task);
        ignoredFields += task.ignored.length;
      }
    }
    letters.push(...(await this.#work(received, batch).catch((error) => this.#giveBack(error))));
    if (letters.length > 0) {
      await batch.lease.renew();
      await this.#putAside(letters);
    }
    const seconds = (performance.now() - from) / 1000;
    this.#options.onBatch?.({ tasks: received.size, deadLetters: letters.length, ignoredFields, seconds });
  }

  /** All at once; when that fails for a reason of one task's own, in halves, to find which. */
  async #work(received: ReadonlyMap<Delivery, ReceivedTask>, batch: Batch): Promise<Letter[]> {
    const { worker, logger, answers = never } = this.#options;
    const work = (some: readonly Delivery[]) =>
      worker.work(planWork(some.map((delivery) => received.get(delivery) as ReceivedTask)), batch.lease);
    const aside = await settingAside([...received.keys()], work, {
      answers,
      isEnd: (error) => error instanceof BatchLost,
      onFailure: (err) => logger.error({ err }, 'a batch failed; trying parts of it'),
    });
    return aside.map(({ item, error, attempts }) => letter(item, error, attempts));
  }

  /** The source says that the batch comes again; this says what only a person can put right. */
  #giveBack(error: unknown): never {
    if (storeFaultOf(error) === 'setup') {
      this.#options.logger.error(
        { err: error },
        'no task can be done before this is put right; `recency doctor` says more',
      );
    }
    throw error;
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
function decode(delivery: Delivery): (ReceivedTask & Pick<ReadTask, 'ignored'>) | InvalidTask {
  try {
    const { task, id, ignored } = readTask(delivery);
    return { task, position: `${delivery.position} ${id ?? ''}`, ignored };
  } catch (error) {
    if (error instanceof InvalidTask) return error;
    throw error;
  }
}

async function never(): Promise<boolean> {
  return false;
}

function letter(delivery: Delivery, error: Error, attempts: number): Letter {
  return { delivery, failure: { errorClass: error.name, message: error.message, attempts } };
}
