import { BUCKETS } from '../../redis/hash-tags.ts';

const SLOTS = 16_384;

/** Users are spread evenly over the buckets, but the few buckets are not spread evenly over the masters. */
export function busiestShareOf(masters: number): number {
  const buckets = new Array<number>(masters).fill(0);
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const master = Math.floor((slotOf(String(bucket)) * masters) / SLOTS);
    buckets[master] = (buckets[master] ?? 0) + 1;
  }
  return Math.max(...buckets) / BUCKETS;
}

const POLYNOMIAL = 0x1021;

/** The slot of a hash tag: CRC-16/XMODEM, as the Redis Cluster specification defines it. */
export function slotOf(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
  }
  return (crc & 0xffff) % SLOTS;
}
