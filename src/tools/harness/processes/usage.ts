/** What a process of the harness uses, as it tells its parent. */
export interface UsageReport {
  /** Since its start, µs. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
}

export const USAGE_QUESTION = 'usage?';
