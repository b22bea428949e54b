import { BUCKETS, SLOTS, slotOf } from '../../redis/hash-tags.ts';

/** Users are spread evenly over the buckets, but the few buckets are not spread evenly over the masters. */
export function busiestShareOf(masters: number): number {
  const buckets = new Array<number>(masters).fill(0);
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const master = Math.floor((slotOf(String(bucket)) * masters) / SLOTS);
    buckets[master] = (buckets[master] ?? 0) + 1;
  }
  return Math.max(...buckets) / BUCKETS;
}
