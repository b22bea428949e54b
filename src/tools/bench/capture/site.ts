import type { CapturingProcess } from '../../harness/processes/capturing.ts';
import type { NewContact } from '../../reference-site/load-graph.ts';

export interface CaptureSize {
  readonly users: number;
  /** Of each user; as many rows are in a backlog as there are pairs. */
  readonly contacts: number;
  /** Contacts of one viewer, each of whom uploads one photo: enough for a run, because a probe takes some ms. */
  readonly probed: number;
  readonly consumers: number;
  readonly rounds: number;
  /** Changes a second while the latency is measured. */
  readonly rate: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly kills: number;
}

/** The site, and who works for it. */
export interface CapturedSite {
  readonly mapping: string;
  readonly pairs: readonly NewContact[];
  readonly capturing: CapturingProcess;
  readonly consumers: readonly { signal(signal: 'SIGSTOP' | 'SIGCONT'): void }[];
}
