import { type Random, shuffled } from '../../src/tools/demo/random.ts';
import { encodeTask } from '../../src/transport/cloud-events.ts';
import type { OutgoingTask } from '../../src/transport/task-publisher.ts';
import type { Delivery } from '../../src/transport/task-source.ts';
import type { Carrier, ConsumerParts, Picks, Worker } from './carrier.ts';
import { ModelConsumer } from './model-consumer.ts';

/**
 * A transport without any order: a bag of messages. A message drawn but not acknowledged comes back; a message may
 * also be drawn and stay.
 */
export class Bag implements Carrier {
  readonly consumers = 4;
  readonly patience = 200;
  readonly #published: Delivery[] = [];
  #waiting: Delivery[] = [];
  readonly #held = new Map<object, readonly Delivery[]>();
  #acknowledged = 0;

  async publish(tasks: readonly OutgoingTask[]): Promise<void> {
    for (const task of tasks) this.#put(task);
  }

  async close(): Promise<void> {}

  startConsumer(parts: ConsumerParts): Worker {
    return new ModelConsumer({ ...parts, bag: this });
  }

  async deliver(idle: readonly Worker[], nth: number, picks: Picks, stay: boolean): Promise<void> {
    const consumer = idle[nth % idle.length];
    if (consumer instanceof ModelConsumer) consumer.deliver(picks, stay);
  }

  async waiting(): Promise<number> {
    return this.#waiting.length;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The drawer holds them until they are acknowledged or given back. @param stay they also remain in the bag: duplicates */
  draw(holder: object, picks: Picks, stay: boolean): readonly Delivery[] {
    const drawn = this.#chosen(picks);
    if (!stay) this.#waiting = this.#waiting.filter((message) => !drawn.includes(message));
    this.#held.set(holder, drawn);
    return drawn;
  }

  acknowledge(holder: object): void {
    this.#acknowledged += this.#held.get(holder)?.length ?? 0;
    this.#held.delete(holder);
  }

  /** Does nothing for a holder that no longer holds anything. */
  giveBack(holder: object): void {
    this.#waiting.push(...(this.#held.get(holder) ?? []));
    this.#held.delete(holder);
  }

  holds(holder: object): boolean {
    return this.#held.has(holder);
  }

  lose(picks: Picks): number {
    const lost = this.#chosen(picks);
    this.#waiting = this.#waiting.filter((message) => !lost.includes(message));
    return lost.length;
  }

  async publishAgain(random: Random): Promise<void> {
    const again = this.#published.filter(({ headers }) => !headers.ce_type?.startsWith('recency.user.'));
    this.#waiting.push(...shuffled(random, again));
  }

  #chosen(picks: Picks): Delivery[] {
    const places = new Set(picks.map((pick) => Math.floor(pick * this.#waiting.length)));
    return [...places].flatMap((place) => this.#waiting[place] ?? []);
  }

  #put(task: OutgoingTask): void {
    const { body, headers } = encodeTask(task);
    const message = { position: `bag:${this.#published.length}`, body, headers, timestamp: task.time };
    this.#published.push(message);
    this.#waiting.push(message);
  }
}
