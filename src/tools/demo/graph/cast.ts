import type { Id } from '../../../contracts/id.ts';

/** Who is who in the demonstration. */
export interface Cast {
  /** Whose relationships and photos change during the play. */
  readonly players: readonly Id[];
  /** Users with exactly so many contacts, which the play leaves as they are: for the latency table, fewest first. */
  readonly measured: readonly { readonly user: Id; readonly contacts: number }[];
  /** The person with the most followers. */
  readonly star: Id;
  /** In the order of a fan-out. */
  readonly followersOfStar: readonly Id[];
}

/** Ids in a row. */
export function idsFrom(first: bigint, count: number): Id[] {
  return Array.from({ length: count }, (_, i) => String(first + BigInt(i)));
}
