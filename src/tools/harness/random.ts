/** Returns numbers from 0 (included) to 1 (excluded); the same sequence for the same seed. */
export type Random = () => number;

/** Mulberry32: 32 bits of state, good enough here and the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An integer from `least` to `most`, both included. */
export function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** @throws RangeError when there is nothing to pick */
export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}

/** A shuffled copy (Fisher–Yates). */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = between(random, 0, last);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}

/**
 * An integer from `least` to `most`, mostly small: the share of those above x falls as 1 / x (a Pareto distribution
 * with both ends, exponent 1).
 */
export function powerLaw(random: Random, least: number, most: number): number {
  const u = random();
  return Math.min(most, Math.floor(least / (1 - u * (1 - least / (most + 1)))));
}
