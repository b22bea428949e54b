/** What happened in one or several histories. */
export interface HistoryCounts {
  histories: number;
  /** Transactions on the site. */
  actions: number;
  /** Messages that consumers acknowledged. */
  deliveries: number;
  /** Answers checked while the history was running. */
  reads: number;
  /** Those of them about groups. */
  of_groups: number;
  /** Reads answered by an index. */
  narrowed: number;
  kills: number;
  epochs: number;
}

export const NOTHING: Readonly<HistoryCounts> = {
  histories: 0,
  actions: 0,
  deliveries: 0,
  reads: 0,
  of_groups: 0,
  narrowed: 0,
  kills: 0,
  epochs: 0,
};

export function addTo(sum: HistoryCounts, more: HistoryCounts): void {
  for (const name of Object.keys(NOTHING) as (keyof HistoryCounts)[]) sum[name] += more[name];
}
