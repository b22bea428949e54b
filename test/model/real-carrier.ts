import { setTimeout as pause } from 'node:timers/promises';
import { settledWithin } from '../../src/timing/deadline.ts';
import { type Random, shuffled } from '../../src/tools/demo/random.ts';
import type { OutgoingTask } from '../../src/transport/task-publisher.ts';
import type { TaskSource } from '../../src/transport/task-source.ts';
import { type Opened, open, type Place } from '../transport/place.ts';
import type { Carrier, ConsumerParts, Picks, Worker } from './carrier.ts';
import { RealConsumer } from './real-consumer.ts';

/** Share of messages sent at once, and the share of those sent twice; the others are sent later. */
const AT_ONCE = 0.7;
const AGAIN = 0.2;

/** Time for messages to pass through a transport, ms. */
const DELIVERY_MS = 5;

const CLOSE_MS = 10_000;

/**
 * A real transport with the product's own publisher and sources. Before it, messages are shuffled, held back and sent
 * twice.
 */
export class RealCarrier implements Carrier {
  readonly consumers = 3;
  readonly patience = 4_000;
  acknowledged = 0;
  readonly #opened: Opened;
  readonly #random: Random;
  readonly #lagView: TaskSource;
  readonly #published: OutgoingTask[] = [];
  readonly #endings: Promise<void>[] = [];
  #held: OutgoingTask[] = [];

  private constructor(opened: Opened, random: Random) {
    this.#opened = opened;
    this.#random = random;
    this.#lagView = opened.source();
  }

  static async open(place: Place, random: Random): Promise<RealCarrier> {
    return new RealCarrier(await open(place), random);
  }

  async publish(tasks: readonly OutgoingTask[]): Promise<void> {
    const now = tasks.filter(() => this.#random() < AT_ONCE);
    this.#held.push(...tasks.filter((task) => !now.includes(task) || this.#random() < AGAIN));
    this.#published.push(...tasks);
    await this.#send(now);
  }

  startConsumer(parts: ConsumerParts): Worker {
    const source = this.#opened.source();
    const onAcknowledged = (messages: number) => {
      this.acknowledged += messages;
    };
    const onEnding = (ending: Promise<void>) => this.#endings.push(ending);
    return new RealConsumer({ ...parts, source, onAcknowledged, onEnding });
  }

  /** Sends some of the held messages; the transport decides which consumer gets them. */
  async deliver(_idle: readonly Worker[], _nth: number, picks: Picks): Promise<void> {
    const places = new Set(picks.map((pick) => Math.floor(pick * this.#held.length)));
    const due = this.#held.filter((_task, place) => places.has(place));
    this.#held = this.#held.filter((_task, place) => !places.has(place));
    await this.#send(due);
    await pause(DELIVERY_MS);
  }

  async waiting(): Promise<number> {
    if (this.#held.length > 0) return this.#held.length;
    return (await this.#lagView.lag()) ?? 1;
  }

  lose(): number {
    return 0;
  }

  async publishAgain(random: Random): Promise<void> {
    const again = this.#published.filter(({ task }) => !task.type.startsWith('recency.user.'));
    await this.#send(shuffled(random, again));
  }

  async close(): Promise<void> {
    await settledWithin(Promise.all(this.#endings), CLOSE_MS);
    await this.#opened.close();
  }

  async #send(tasks: readonly OutgoingTask[]): Promise<void> {
    if (tasks.length > 0) await this.#opened.publisher.publish(shuffled(this.#random, tasks));
  }
}
