import type { DeliveredTask } from '../../../contracts/task.ts';
import type { OutgoingTask, TaskPublisher } from '../../../transport/task-publisher.ts';
import { type Random, shuffled } from '../random.ts';

export interface UnrulyOptions {
  readonly random: Random;
  /** Share of the tasks, from 0 to 1, that is sent again with a later batch. */
  readonly again: number;
  /** Tasks that are sent only once. */
  readonly isSpared: (task: DeliveredTask) => boolean;
}

/** Share of the held tasks that goes with each batch: some wait one batch, some several. */
const DUE_SHARE = 0.3;

/**
 * A publisher as bad as a transport may be: it shuffles every batch, and sends some tasks twice, the second time late.
 */
export class UnrulyPublisher implements TaskPublisher {
  readonly #inner: TaskPublisher;
  readonly #options: UnrulyOptions;
  #held: OutgoingTask[] = [];
  #sent = 0;

  constructor(inner: TaskPublisher, options: UnrulyOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  /** Messages sent; some tasks count twice. */
  get sent(): number {
    return this.#sent;
  }

  /** Tasks waiting to be sent again. */
  get held(): number {
    return this.#held.length;
  }

  checkRoom(): Promise<void> {
    return this.#inner.checkRoom();
  }

  async publish(tasks: readonly OutgoingTask[]): Promise<void> {
    const { random, again, isSpared } = this.#options;
    const due = this.#takeDue();
    try {
      await this.#inner.publish(shuffled(random, [...tasks, ...due]));
    } catch (error) {
      this.#held.push(...due);
      throw error;
    }
    this.#sent += tasks.length + due.length;
    this.#held.push(...tasks.filter(({ task }) => !isSpared(task) && random() < again));
  }

  /** Sends some of the held tasks. Call it when there is nothing else to publish. */
  async sendHeld(): Promise<void> {
    if (this.#held.length > 0) await this.publish([]);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #takeDue(): OutgoingTask[] {
    const { random } = this.#options;
    const due = shuffled(random, this.#held).slice(0, Math.ceil(this.#held.length * DUE_SHARE));
    this.#held = this.#held.filter((task) => !due.includes(task));
    return due;
  }
}
