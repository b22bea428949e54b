import { Limiter } from '../timing/limiter.ts';

/** How many there may be at once, over all endpoints. */
export class Slots {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns gives it back, once; undefined: there is none left */
  take(): (() => void) | undefined {
    if (this.#taken >= this.#most) return undefined;
    this.#taken += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#taken -= 1;
      isHeld = false;
    };
  }
}

/** Shared by the lines of all endpoints. */
export interface SharedSlots {
  /** Of deliveries that wait for their turn. */
  readonly waiting: Slots;
  /** Of those on their way to endpoints that were silent the last time. */
  readonly toSilent: Slots;
}

export interface EndpointLineOptions {
  /** Deliveries at once. */
  readonly atOnce: number;
  /** The longest wait of a delivery for its turn, ms. */
  readonly waitMs: number;
  readonly slots: SharedSlots;
  /** Does this error say that the endpoint was silent until a time limit? */
  readonly isSilence: (error: unknown) => boolean;
  /** Monotonic, ms. */
  readonly now: () => number;
}

/** Deliveries that wait for their turn, at most. */
const WAITING = 1_000;

/** Deliveries at once to an endpoint that was silent the last time: each holds its place for the whole time limit. */
const TO_SILENT = 4;

/**
 * The deliveries to one endpoint, so many at once. One that is silent holds up no other endpoint: what waits for it, or is on
 * its way to it, counts for what the process has in hand. So nothing waits for an endpoint of whose deliveries none
 * begins or ends any more, and one that was silent has few of them until it answers. All that wait, and all
 * that are on their way to silent endpoints, have a part of what the process may have in hand.
 */
export class EndpointLine {
  readonly #options: EndpointLineOptions;
  readonly #turns: Limiter;
  readonly #toSilent: Limiter;
  #isSilent = false;
  #movedAt = 0;

  constructor(options: EndpointLineOptions) {
    const { atOnce, waitMs } = options;
    const refusal = () =>
      new Error(`the endpoint is slow: ${this.running} deliveries to it are on their way, and others wait`);
    this.#options = options;
    this.#turns = new Limiter({ concurrency: atOnce, queue: WAITING, waitMs, refusal });
    this.#toSilent = new Limiter({ concurrency: Math.min(TO_SILENT, atOnce), queue: 0, waitMs, refusal });
  }

  get running(): number {
    return this.#turns.running + this.#toSilent.running;
  }

  /** Does the work in its turn. @throws what it throws; Error at once, or after a wait, when it cannot have its turn soon */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { atOnce, waitMs, now, slots } = this.#options;
    if (this.#isSilent) return await this.#toSilent.run(() => this.#in(slots.toSilent, () => this.#work(work)));
    if (this.#turns.running < atOnce) return await this.#turns.run(() => this.#work(work));
    if (now() - this.#movedAt > waitMs / 2)
      throw new Error(`the endpoint is slow: none of ${atOnce} deliveries to it has ended for a while`);
    return await this.#in(slots.waiting, (leave) =>
      this.#turns.run(() => {
        leave();
        return this.#work(work);
      }),
    );
  }

  async #in<T>(slots: Slots, work: (leave: () => void) => Promise<T>): Promise<T> {
    const leave = slots.take();
    if (leave === undefined) throw new Error('too many deliveries wait for endpoints that are slow or silent');
    return await work(leave).finally(leave);
  }

  async #work<T>(work: () => Promise<T>): Promise<T> {
    const { isSilence, now } = this.#options;
    this.#movedAt = now();
    try {
      const result = await work();
      this.#isSilent = false;
      return result;
    } catch (error) {
      this.#isSilent = isSilence(error);
      throw error;
    } finally {
      this.#movedAt = now();
    }
  }
}
