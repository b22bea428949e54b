/** How many hash tags the users are spread over; on a cluster, a page of users takes at most as many calls. */
export const BUCKETS = 256;

/** Of the keys of delayed work. */
export const DELAY_TAG = 'delay';

/** Of all keys that must not come back as they were. Streams have a record of their own. */
export const HASH_TAGS: readonly string[] = [...Array.from({ length: BUCKETS }, (_, i) => String(i)), DELAY_TAG];

export const SLOTS = 16_384;

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
