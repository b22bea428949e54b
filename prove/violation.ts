/** An invariant that does not hold. */
export interface Violation {
  /** As docs/exactness.md numbers them, for example `I1`. */
  readonly rule: string;
  readonly what: string;
}
