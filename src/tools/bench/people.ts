import type { Id } from '../../contracts/id.ts';

/** Ids in a row. */
export function ids(first: bigint, count: number): Id[] {
  return Array.from({ length: count }, (_, i) => String(first + BigInt(i)));
}
