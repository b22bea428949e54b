import { addCounts } from '../counts.ts';

export type SampleCounts = {
  /** Users who were found right or wrong. */
  readonly checked: number;
  readonly wrong: number;
  /** Of the wrong ones, those where a client would have noticed. */
  readonly visible: number;
  /** Users who differed, where it is unknown whether a change was still on its way. Included in none of the others. */
  readonly unsettled: number;
};

export const NOTHING_SAMPLED: SampleCounts = { checked: 0, wrong: 0, visible: 0, unsettled: 0 };

/** The periods for which consistency is reported, in seconds, by their names in Prometheus. */
export const WINDOWS = { '10s': 10, '1m': 60, '5m': 300 } as const;

export type WindowName = keyof typeof WINDOWS;

export const WINDOW_NAMES = Object.keys(WINDOWS) as WindowName[];

const LONGEST_S = Math.max(...Object.values(WINDOWS));

/** The counts of the last 10 s, 1 min and 5 min, in whole seconds including the current one. */
export class Windows {
  readonly #now: () => number;
  /** By second, oldest first. */
  readonly #seconds = new Map<number, SampleCounts>();

  /** @param now ms, monotonic */
  constructor(now: () => number) {
    this.#now = now;
  }

  add(counts: SampleCounts): void {
    const second = this.#second();
    for (const old of this.#seconds.keys()) if (old <= second - LONGEST_S) this.#seconds.delete(old);
    this.#seconds.set(second, addCounts(this.#seconds.get(second) ?? NOTHING_SAMPLED, counts));
  }

  within(window: WindowName): SampleCounts {
    const after = this.#second() - WINDOWS[window];
    return [...this.#seconds]
      .filter(([second]) => second > after)
      .reduce((total, [, counts]) => addCounts(total, counts), NOTHING_SAMPLED);
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

/**
 * The share that is right, in nines: 0.999 is 3. If none was wrong, it is the most that the number checked can show: none
 * wrong of a thousand is 3 nines, not infinitely many.
 * @returns −log10 of the share that is wrong; undefined: nothing was checked
 */
export function ninesOf({ checked, wrong }: { readonly checked: number; readonly wrong: number }): number | undefined {
  return checked === 0 ? undefined : Math.log10(checked / Math.max(wrong, 1));
}
