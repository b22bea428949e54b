/** Smaller differences are the clocks' own, ms. */
const TOLERANCE_MS = 50;

/**
 * Elapsed time that is never too short. The monotonic clock stands still while the machine is suspended, as a virtual machine is that is
 * moved, and the time of day can be set back: whatever the time of day gains on the monotonic clock is added.
 */
export class ElapsedTime {
  readonly #monotonic: () => number;
  readonly #timeOfDay: () => number;
  /** The time of day less the monotonic time. */
  #difference: number;
  #added = 0;

  /** @param monotonic ms @param timeOfDay ms */
  constructor(monotonic: () => number = () => performance.now(), timeOfDay: () => number = Date.now) {
    this.#monotonic = monotonic;
    this.#timeOfDay = timeOfDay;
    this.#difference = timeOfDay() - monotonic();
  }

  /** ms since some moment */
  now(): number {
    const time = this.#monotonic();
    const gained = this.#timeOfDay() - time - this.#difference;
    if (gained < 0 || gained > TOLERANCE_MS) this.#difference += gained;
    if (gained > TOLERANCE_MS) this.#added += gained;
    return time + this.#added;
  }
}
