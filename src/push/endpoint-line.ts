import { Limiter } from '../timing/limiter.ts';

/** Shared by the lines of all endpoints: how many deliveries at once there are to those that may hold each for the whole time limit. */
export interface DoubtfulEndpoints {
  /** To those that have not answered yet. */
  readonly unknown: Limiter;
  /** To those that were silent the last time. */
  readonly silent: Limiter;
}

/** @param inFlight deliveries that a process has on their way at most; the rest is for endpoints that answer */
export function doubtfulEndpoints(inFlight: number): DoubtfulEndpoints {
  const refusal = () => new Error('too many endpoints are silent, and deliveries to them are on their way');
  const limiter = (part: number) =>
    new Limiter({ concurrency: Math.ceil(inFlight * part), queue: 0, waitMs: 0, refusal });
  return { unknown: limiter(1 / 2), silent: limiter(1 / 5) };
}

export interface EndpointLineOptions {
  /** Deliveries at once. */
  readonly atOnce: number;
  /** The longest wait of a delivery for its turn, ms. */
  readonly waitMs: number;
  readonly doubtful: DoubtfulEndpoints;
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
 * begins or ends any more, and one that was silent has few of them until it answers. Many silent endpoints together have a
 * part of what the process may have in hand.
 */
export class EndpointLine {
  readonly #options: EndpointLineOptions;
  readonly #turns: Limiter;
  readonly #toSilent: Limiter;
  #state: 'unknown' | 'answering' | 'silent' = 'unknown';
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
    const { atOnce, waitMs, now, doubtful } = this.#options;
    if (this.#state === 'silent') return await this.#toSilent.run(() => doubtful.silent.run(() => this.#work(work)));
    if (this.#turns.running >= atOnce && now() - this.#movedAt > waitMs / 2)
      throw new Error(`the endpoint is slow: none of ${atOnce} deliveries to it has ended for a while`);
    return await this.#turns.run(() =>
      this.#state === 'unknown' ? doubtful.unknown.run(() => this.#work(work)) : this.#work(work),
    );
  }

  async #work<T>(work: () => Promise<T>): Promise<T> {
    const { isSilence, now } = this.#options;
    this.#movedAt = now();
    try {
      const result = await work();
      this.#state = 'answering';
      return result;
    } catch (error) {
      this.#state = isSilence(error) ? 'silent' : 'answering';
      throw error;
    } finally {
      this.#movedAt = now();
    }
  }
}
