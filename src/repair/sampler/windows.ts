import { sum } from '../tally.ts';

/** A type, not an interface: they are summed up. */
export type SampleCounts = {
  /** Users who were told right or wrong. */
  readonly checked: number;
  readonly wrong: number;
  /** Those of the wrong ones where a client would have noticed. */
  readonly visible: number;
  /** Users who differed, and of whom it could not be told whether that was only on its way: in none of the others. */
  readonly unsettled: number;
};

export const NOTHING_SAMPLED: SampleCounts = { checked: 0, wrong: 0, visible: 0, unsettled: 0 };

/** The stretches of time that consistency is reported for, by their names in Prometheus. */
export const WINDOWS = { '10s': 10, '1m': 60, '5m': 300 } as const;

export type WindowName = keyof typeof WINDOWS;

export const WINDOW_NAMES = Object.keys(WINDOWS) as WindowName[];

const LONGEST_S = Math.max(...Object.values(WINDOWS));

/** What was counted in the last 10 s, 1 min and 5 min: whole seconds, the present one included. */
export class Windows {
  readonly #now: () => number;
  /** By the second, the oldest first. */
  readonly #seconds = new Map<number, SampleCounts>();

  /** @param now ms, monotonic */
  constructor(now: () => number) {
    this.#now = now;
  }

  add(counts: SampleCounts): void {
    const second = this.#second();
    for (const old of this.#seconds.keys()) if (old <= second - LONGEST_S) this.#seconds.delete(old);
    this.#seconds.set(second, sum(this.#seconds.get(second) ?? NOTHING_SAMPLED, counts));
  }

  within(window: WindowName): SampleCounts {
    const after = this.#second() - WINDOWS[window];
    return [...this.#seconds]
      .filter(([second]) => second > after)
      .reduce((total, [, counts]) => sum(total, counts), NOTHING_SAMPLED);
  }

  all(): Record<WindowName, SampleCounts> {
    const counts = WINDOW_NAMES.map((window) => [window, this.within(window)] as const);
    return Object.fromEntries(counts) as Record<WindowName, SampleCounts>;
  }

  clear(): void {
    this.#seconds.clear();
  }

  #second(): number {
    return Math.floor(this.#now() / 1000);
  }
}
