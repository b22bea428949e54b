import { type Random, shuffled } from '../../../src/tools/demo/random.ts';
import { encodeTask } from '../../../src/transport/cloud-events.ts';
import type { OutgoingTask } from '../../../src/transport/task-publisher.ts';
import type { Delivery } from '../../../src/transport/task-source.ts';

/** Deliveries shuffled among themselves. */
const WINDOW = 1_000;

/** Share of tasks delivered a second time, some of them a window later. */
const AGAIN = 0.1;

/** Shuffles tasks within windows and delivers some of them twice. */
export class UnrulyWindows {
  readonly #random: Random;
  #late: Delivery[] = [];
  #taken = 0;
  duplicates = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Turns tasks, in the order of their publishing, into windows of deliveries. */
  *windows(tasks: readonly OutgoingTask[]): Generator<Delivery[]> {
    const deliveries = tasks.map((task) => this.#delivery(task));
    for (let from = 0; from < deliveries.length; from += WINDOW) {
      yield this.#disordered(deliveries.slice(from, from + WINDOW));
    }
  }

  #disordered(window: readonly Delivery[]): Delivery[] {
    const again = window.filter(() => this.#random() < AGAIN);
    this.duplicates += again.length;
    const soon = again.filter(() => this.#random() < 0.5);
    const late = this.#late;
    this.#late = again.filter((delivery) => !soon.includes(delivery));
    return shuffled(this.#random, [...window, ...soon, ...late]);
  }

  #delivery(task: OutgoingTask): Delivery {
    const { body, headers } = encodeTask(task);
    return { position: `window:${this.#taken++}`, body, headers, timestamp: task.time };
  }
}
