/** What happened in one or several histories. */
export interface Tally {
  histories: number;
  /** Transactions on the site. */
  actions: number;
  /** Messages that consumers acknowledged. */
  deliveries: number;
  /** Answers checked while the history was running. */
  reads: number;
  /** Reads answered by an index. */
  narrowed: number;
  kills: number;
  epochs: number;
}

export const NOTHING: Readonly<Tally> = {
  histories: 0,
  actions: 0,
  deliveries: 0,
  reads: 0,
  narrowed: 0,
  kills: 0,
  epochs: 0,
};

export function addTo(sum: Tally, more: Tally): void {
  for (const name of Object.keys(NOTHING) as (keyof Tally)[]) sum[name] += more[name];
}
