import type { KindIndexes } from '../api/dependencies.ts';
import type { CheckResult } from '../api/readiness.ts';
import type { Id } from '../contracts/id.ts';
import type { Kind } from '../contracts/kind.ts';
import type { Checks } from '../health/finding.ts';
import type { FanOutInProgress } from '../index/redis/fan-out-progress.ts';
import type { EpochState } from '../mysql/losses.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import type { IndexSideBySide } from '../repair/index-check.ts';
import type { RunProgress } from '../repair/run-progress.ts';
import type { SamplerReports } from '../repair/sampler/report.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { DeadLetters, ListedLetter } from '../transport/dead-letters.ts';

/** What the console knows of one kind. */
export interface ConsoleKind {
  readonly kind: Kind;
  readonly explain: KindIndexes['explain'];
  readonly inspect: KindIndexes['inspect'];
  /** The index and plain SQL, as `verify` compares them. */
  readonly compare: (user: Id, deadline: Deadline) => Promise<IndexSideBySide>;
}

/** What the console shows, from where the API and the command line have it. */
export interface ConsoleSources {
  readonly version: string;
  /** Those of /readyz. */
  readonly checks: () => Promise<readonly CheckResult[]>;
  /** How far the indexes may be behind, ms; undefined: not known. */
  readonly lagMs: AppliedWatermark['lagMs'];
  /** Those of doctor about work that waits, and about consistency. */
  readonly backlog: Checks;
  readonly consistency: Checks;
  readonly epoch: () => Promise<EpochState>;
  readonly fanOuts: (deadline: Deadline) => Promise<readonly FanOutInProgress[]>;
  /** The first dead letters, kept for some seconds: everybody who has the overview open asks again and again. */
  readonly firstLetters: () => Promise<readonly ListedLetter[]>;
  readonly deadLetters: Pick<DeadLetters, 'list' | 'get' | 'replay'>;
  /** The latest runs of backfill and repair, the latest first. */
  readonly runs: (count: number) => Promise<readonly RunProgress[]>;
  readonly sampler: Pick<SamplerReports, 'read'>;
  /** Those in use. */
  readonly kinds: readonly ConsoleKind[];
  /** Maximum contacts in an index. */
  readonly max: number;
}
