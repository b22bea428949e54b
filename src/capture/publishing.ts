import type { Logger } from 'pino';
import type { Task } from '../contracts/task.ts';
import { chunks } from '../timing/batches.ts';
import { backoffMs, DEFAULT_BACKOFF, pause } from '../timing/loop.ts';
import { MessageRefused, type OutgoingTask, PartlyPublished, type TaskPublisher } from '../transport/task-publisher.ts';

/** Tasks handed to the transport together. */
const TASKS_AT_ONCE = 500;

const SOURCE = '/recency/capture';

/** Publishes the tasks of a batch, however long the transport is unavailable or full. */
export class PatientPublisher {
  readonly #publisher: Pick<TaskPublisher, 'publish' | 'checkRoom'>;
  readonly #logger: Logger;
  readonly #run: string;
  #count = 0;

  /** @param run of this process: no other run has the same */
  constructor(publisher: Pick<TaskPublisher, 'publish' | 'checkRoom'>, logger: Logger, run: string) {
    this.#publisher = publisher;
    this.#logger = logger;
    this.#run = run;
  }

  /**
   * Resolves when the transport has all tasks, some perhaps twice.
   * @param at when the change was committed, ms since 1970 UTC
   * @throws the signal's reason; MessageRefused
   */
  async publish(tasks: readonly Task[], at: number, signal: AbortSignal): Promise<void> {
    for (const some of chunks(tasks, TASKS_AT_ONCE)) {
      let left: readonly OutgoingTask[] = some.map((task) => {
        this.#count += 1;
        return { task, id: `capture:${this.#run}:${this.#count}`, source: SOURCE, time: at };
      });
      for (let failures = 0; left.length > 0; failures++) {
        signal.throwIfAborted();
        left = await this.#attempt(left, failures);
        if (left.length > 0) await pause(backoffMs(failures, DEFAULT_BACKOFF), signal);
      }
    }
  }

  /** @returns what the transport did not take */
  async #attempt(tasks: readonly OutgoingTask[], failures: number): Promise<readonly OutgoingTask[]> {
    try {
      await this.#publisher.checkRoom();
      await this.#publisher.publish(tasks);
      return [];
    } catch (error) {
      if (error instanceof MessageRefused) throw error;
      const left = error instanceof PartlyPublished ? error.notTaken : undefined;
      for (const reason of left?.values() ?? []) if (reason instanceof MessageRefused) throw reason;
      if (failures === 0)
        this.#logger.warn({ err: error }, 'captured tasks wait: the transport does not take them now');
      return left === undefined ? tasks : [...left.keys()];
    }
  }
}
