import type { RedisMaster } from '../redis/masters.ts';

/** Between two looks while a slot moves, ms: its move may be broken off, and made again. */
const MOVING_MS = 200;

/**
 * Looks at the masters of Redis more often than the servers are compared, and also while MySQL keeps a comparison waiting. There is no other
 * sign when one is set back (see set-back.ts), when one that nobody reads becomes a replica and master again, or when slots of a cluster
 * become unsettled (see ../redis/unsettled-slots.ts). That they were is not forgotten before an epoch could begin: by then they may
 * be settled again.
 */
export class MastersWatch {
  readonly #look: () => Promise<void>;
  readonly #usualMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isMoving = false;
  /** The unsettled slots when last seen. */
  #seen = '';
  /** The latest look that found slots to have become unsettled; undefined: an epoch has begun since. */
  #unsettled: number | undefined;

  /**
   * @param look reads the masters and tells {@link see}
   * @param usualMs between two looks, ms
   */
  constructor(look: () => Promise<void>, usualMs: number) {
    this.#look = look;
    this.#usualMs = usualMs;
  }

  start(): void {
    this.#timer = setTimeout(() => void this.#round(), this.#isMoving ? MOVING_MS : this.#usualMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** @param number of the look: they are numbered as they start */
  see(number: number, masters: readonly RedisMaster[]): void {
    const before = this.#seen;
    this.#seen = textOf(masters);
    this.#isMoving = masters.some(({ slots }) => slots?.isMoving);
    if (this.#seen !== before && this.#seen !== '') this.#unsettled = number;
  }

  /** Must an epoch begin that recording these masters does not begin? */
  owesEpoch(masters: readonly RedisMaster[]): boolean {
    return this.#unsettled !== undefined && textOf(masters) === '';
  }

  /** The masters that a look has seen are on record, and an epoch that was owed has begun. */
  recorded(number: number): void {
    if (this.#unsettled !== undefined && this.#unsettled <= number) this.#unsettled = undefined;
  }

  async #round(): Promise<void> {
    const timer = this.#timer;
    await this.#look();
    if (this.#timer === timer) this.start();
  }
}

/** The unsettled slots of all masters; empty: none. */
function textOf(masters: readonly RedisMaster[]): string {
  const texts = masters.flatMap(({ runId, slots }) => slots?.unsettled.map((slot) => `${runId} ${slot}`) ?? []);
  return texts.sort().join(', ');
}
