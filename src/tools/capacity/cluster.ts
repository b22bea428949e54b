import { BUCKETS } from '../../index/redis/keys.ts';
import { PAIRS_A_CALL } from '../../index/refresh.ts';
import type { Constants } from './constants.ts';
import type { Load } from './load.ts';
import type { MemorySizing } from './memory.ts';

/** What so many masters give, with the slots shared evenly among them, in rows. */
export interface ClusterSizing {
  readonly masters: number;
  /** Of all users, those on the master that has the most. */
  readonly busiestShare: number;
  /** On that master. */
  readonly busiestBytes: number;
  /** Of all masters, when the busiest can do no more: as on one server, where the benchmark's client was the limit. */
  readonly indexWritesPerSecond: number;
  /** The peak's part of that. */
  readonly busyAtPeak: number;
  /** For 500 followers whose ids are scattered: one for each bucket. On one server all go in one call. */
  readonly callsPerPage: number;
}

const SLOTS = 16_384;

export function clusterOf(
  masters: number,
  { bytes }: MemorySizing,
  peak: Load,
  { redisWritesPerSecond }: Constants,
): ClusterSizing {
  const busiestShare = busiestShareOf(masters);
  const indexWritesPerSecond = redisWritesPerSecond / busiestShare;
  return {
    masters,
    busiestShare,
    busiestBytes: bytes * busiestShare,
    indexWritesPerSecond,
    busyAtPeak: peak.indexWrites / indexWritesPerSecond,
    callsPerPage: masters === 1 ? 1 : BUCKETS * (1 - (1 - 1 / BUCKETS) ** PAIRS_A_CALL),
  };
}

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

/** The slot of a hash tag: CRC-16/XMODEM, as the specification of Redis Cluster says. */
export function slotOf(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
  }
  return (crc & 0xffff) % SLOTS;
}
