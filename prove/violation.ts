/** An invariant that does not hold. */
export interface Violation {
  /** As DESIGN §3 numbers them, for example `I1`. */
  readonly rule: string;
  readonly what: string;
}
