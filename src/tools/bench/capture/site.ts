import type { CapturingProcess } from '../../harness/processes/capturing.ts';
import type { NewContact } from '../../reference-site/load-graph.ts';

export interface CaptureSize {
  readonly users: number;
  /** Of each user; as many rows are in a backlog as there are pairs. */
  readonly contacts: number;
  readonly consumers: number;
  readonly rounds: number;
  /** Changes a second while the latency is measured. */
  readonly rate: number;
  readonly seconds: number;
  readonly kills: number;
}

/** The site, and who works for it. */
export interface CapturedSite {
  readonly mapping: string;
  readonly pairs: readonly NewContact[];
  readonly capturing: CapturingProcess;
  readonly consumers: readonly { signal(signal: 'SIGSTOP' | 'SIGCONT'): void }[];
}
