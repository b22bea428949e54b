import type { WarmReading } from './contact-index.ts';

/** As configured: the most members of an index, and the fewest of one that leaves somebody out. */
export interface Limits {
  readonly max: number;
  readonly min: number;
}

/** How an index breaks I2: more members than max, or fewer than min while somebody was left out. undefined: it does not. */
export function outsideLimits(
  { size, floor }: Pick<WarmReading, 'size' | 'floor'>,
  { max, min }: Limits,
): 'cap' | 'floor' | undefined {
  if (size > max) return 'cap';
  return size < min && floor !== undefined ? 'floor' : undefined;
}
