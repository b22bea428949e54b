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
