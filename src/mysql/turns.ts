import { type Deadline, RequestCancelled, withTimeout } from '../timing/deadline.ts';

/**
 * `answer`: a client waits for it; `background`: nobody does, so it has its turn when no answer waits for one, and waits for
 * as long as that takes.
 */
export type Urgency = 'answer' | 'background';

export interface TurnsOptions {
  /** At once. */
  readonly concurrency: number;
  /** That may wait for their turn at the most, whatever they would have to wait: it bounds the memory. */
  readonly queue: number;
  /** For a turn, ms. */
  readonly waitMs: number;
  /** What is thrown when there is no turn to be had in time. */
  readonly refusal: () => Error;
}

export interface TurnWanted {
  readonly urgency?: Urgency;
  readonly deadline?: Deadline | undefined;
}

/** How much the latest turn counts in the mean of what turns take. */
const WEIGHT = 1 / 16;

/**
 * So many times the mean is what one turn counts as at the most: a single long one says nothing about the others, and
 * nobody is refused by what the first one took, which had to connect.
 */
const OUTLIER = 8;

/**
 * Lets so many work at once. The others wait in line, and the line is bounded by the time that it stands for: who could
 * not begin within `waitMs`, or end before the deadline of their request, by what turns took lately, is refused at once.
 */
export class Turns {
  /** How many were refused, or waited for nothing. */
  refused = 0;
  readonly #options: TurnsOptions;
  readonly #lines: Readonly<Record<Urgency, Set<() => void>>> = { answer: new Set(), background: new Set() };
  #running = 0;
  #meanMs = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#lines.answer.size + this.#lines.background.size;
  }

  /** @throws what `refusal` makes, DeadlineExceeded, RequestCancelled, what the work throws */
  async run<T>(work: () => Promise<T>, wanted: TurnWanted = {}): Promise<T> {
    wanted.deadline?.check();
    if (this.#running >= this.#options.concurrency) await this.#wait(wanted);
    else this.#running += 1;
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.#learn(performance.now() - begun);
      this.#pass();
    }
  }

  #learn(ms: number): void {
    const counted = Math.min(ms, Math.max(1, OUTLIER * this.#meanMs));
    this.#meanMs += (counted - this.#meanMs) * WEIGHT;
  }

  /** The turn is passed on to the first in line. */
  #pass(): void {
    const { answer, background } = this.#lines;
    const line = answer.size > 0 ? answer : background;
    const [next] = line;
    if (next === undefined) this.#running -= 1;
    else {
      line.delete(next);
      next();
    }
  }

  async #wait({ urgency = 'answer', deadline }: TurnWanted): Promise<void> {
    const { waitMs, refusal } = this.#options;
    const isPatient = urgency === 'background' && deadline === undefined;
    const ms = Math.min(waitMs, deadline?.leftMs ?? waitMs);
    if (this.#isInVain(urgency, ms)) {
      this.refused += 1;
      throw refusal();
    }
    const line = this.#lines[urgency];
    const turn = Promise.withResolvers<void>();
    line.add(turn.resolve);
    try {
      await (isPatient ? turn.promise : withTimeout(turn.promise, ms, refusal, deadline));
    } catch (error) {
      // Left just when the turn came: it is the next one's.
      if (!line.delete(turn.resolve)) this.#pass();
      if (!(error instanceof RequestCancelled)) this.refused += 1;
      throw error;
    }
  }

  #isInVain(urgency: Urgency, ms: number): boolean {
    const { concurrency, queue } = this.#options;
    if (this.queued >= queue) return true;
    if (urgency === 'background') return false; // it waits as long as it takes
    const before = this.#lines.answer.size + 1;
    return (before / concurrency + 1) * this.#meanMs > ms;
  }
}
