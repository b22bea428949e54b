/** A violated invariant. */
export interface Violation {
  /** Its number in docs/exactness.md, for example `I1`. */
  readonly rule: string;
  readonly what: string;
}
