import type { Id } from '../contracts/id.ts';

/** Ids in a row. */
export function ids(first: bigint, count: number): Id[] {
  return Array.from({ length: count }, (_, i) => String(first + BigInt(i)));
}

/** In pieces of `size`, the last one perhaps smaller. */
export function* pages<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
