import type { Product, Transport } from './constants.ts';

/** What there is to be sized. Means, over all users; all are more than 0 unless it is said. */
export interface Site {
  readonly users: number;
  readonly contactsPerUser: number;
  /** Of the user who has the most. */
  readonly mostContacts: number;
  /** Of each user; may be 0. */
  readonly uploadsPerDay: number;
  /** Over the uploads: who has more followers and uploads more counts for more. May be 0. */
  readonly followersPerUploader: number;
  /** Of each user: relationships that begin, end or change. May be 0. */
  readonly contactChangesPerDay: number;
  /** Answers, at the peak; may be 0. */
  readonly readsPerSecond: number;
  /** The busiest seconds of a day over its mean. */
  readonly peakFactor: number;
  /** The cap of an index. */
  readonly max: number;
  readonly celebrityFollowers: number;
  readonly transport: Transport;
  readonly database: Product;
}

/**
 * How contacts are spread over users: the share of users with k contacts or more is scale / k, and 1 up to k = scale; nobody
 * has more than `most` (Zipf's law). So the mean of min(contacts, cap) is `scale` once for each whole k up to scale, and
 * scale / k for each after it.
 */
export interface PowerLaw {
  readonly scale: number;
}

const BISECTIONS = 60;

/** The one with this mean. @param mean at most `most` */
export function powerLawOf(mean: number, most: number): PowerLaw {
  let [low, high] = [0, mean];
  for (let i = 0; i < BISECTIONS; i++) {
    const scale = (low + high) / 2;
    if (cappedMean({ scale }, most) < mean) low = scale;
    else high = scale;
  }
  return { scale: high };
}

/** The mean of min(contacts, cap) over all users. */
export function cappedMean({ scale }: PowerLaw, cap: number): number {
  const whole = Math.min(Math.floor(scale), cap);
  return whole + scale * (harmonic(cap) - harmonic(whole));
}

/** The share of users who have a contact at all. */
export function shareWithContacts({ scale }: PowerLaw): number {
  return Math.min(1, scale);
}

const EULER = 0.5772156649015329;
const ADDED_UP = 100;

/** 1 + 1/2 + … + 1/n. */
function harmonic(n: number): number {
  if (n > ADDED_UP) return Math.log(n) + EULER + 1 / (2 * n) - 1 / (12 * n * n);
  let sum = 0;
  for (let k = 1; k <= n; k++) sum += 1 / k;
  return sum;
}
