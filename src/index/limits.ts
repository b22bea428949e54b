/** As configured: the most members of an index, and the fewest of one that leaves somebody out. */
export interface Limits {
  readonly max: number;
  readonly min: number;
}
