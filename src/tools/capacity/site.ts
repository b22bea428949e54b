import type { Product, SizedTransport } from './constants.ts';

/** The site to size. Means over all users, all positive unless stated. */
export interface SiteFigures {
  readonly users: number;
  readonly contactsPerUser: number;
  /** Of the user with the most contacts. */
  readonly mostContacts: number;
  /** Per user; may be 0. */
  readonly uploadsPerDay: number;
  /** Mean over uploads: users with more followers who upload more count for more. May be 0. */
  readonly followersPerUploader: number;
  /** Per user: relationships that begin, end or change. May be 0. */
  readonly contactChangesPerDay: number;
  /** Answers per second at the peak; may be 0. */
  readonly readsPerSecond: number;
  /** The busiest seconds of a day over its mean. */
  readonly peakFactor: number;
  readonly max: number;
  /** Contacts up to which a user has no index; may be 0. */
  readonly indexAbove: number;
  /** The factor of every index's allowance (`RECENCY_KEEP`); may be 0. */
  readonly keep: number;
  readonly celebrityFollowers: number;
  readonly transport: SizedTransport;
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

/** The sum of min(contacts, cap) of those who have more contacts than this, over the number of all users. */
export function meanAbove(law: PowerLaw, cap: number, contacts: number): number {
  const least = Math.min(cap, contacts);
  return cappedMean(law, cap) - cappedMean(law, least) + least * shareAbove(law, contacts);
}

/** The share of users who have more contacts than this. */
export function shareAbove({ scale }: PowerLaw, contacts: number): number {
  return Math.min(1, scale / (contacts + 1));
}

const EULER = 0.5772156649015329;
const ADDED_UP = 100;

function harmonic(n: number): number {
  if (n > ADDED_UP) return Math.log(n) + EULER + 1 / (2 * n) - 1 / (12 * n * n);
  let sum = 0;
  for (let k = 1; k <= n; k++) sum += 1 / k;
  return sum;
}
