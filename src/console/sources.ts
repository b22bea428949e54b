import type { KindIndexes } from '../api/dependencies.ts';
import type { CheckResult } from '../api/readiness.ts';
import type { Id } from '../contracts/id.ts';
import type { Kind } from '../contracts/kind.ts';
import type { Finding } from '../health/finding.ts';
import type { FanOutInProgress } from '../index/redis/fan-out-progress.ts';
import type { EpochState } from '../mysql/losses.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import type { IndexSideBySide } from '../repair/index-check.ts';
import type { RunProgress } from '../repair/run-progress.ts';
import type { SamplerReports } from '../repair/sampler/report.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { DeadLetters, ListedLetter } from '../transport/dead-letters.ts';
import type { HistoryWindow } from './history.ts';

/** What the console knows of one kind. */
export interface ConsoleKind {
  readonly kind: Kind;
  readonly explain: KindIndexes['explain'];
  readonly inspect: KindIndexes['inspect'];
  readonly rebuild: KindIndexes['rebuild'];
  /** The index and plain SQL, as `verify` compares them. */
  readonly compare: (user: Id, deadline: Deadline) => Promise<IndexSideBySide>;
}

/** What checks found, and when, ms since 1970 UTC. */
export interface Examined {
  readonly findings: readonly Finding[];
  readonly at: number;
}

/** What the console shows, from where the API and the command line have it. */
export interface ConsoleSources {
  readonly version: string;
  /** Those of /readyz. */
  readonly checks: () => Promise<readonly CheckResult[]>;
  /** How far the indexes may be behind, ms; undefined: not known. */
  readonly lagMs: AppliedWatermark['lagShownMs'];
  /** What doctor's checks find about work that waits, and about consistency: kept for a moment, as are the dead letters. */
  readonly backlog: () => Promise<Examined>;
  readonly consistency: () => Promise<Examined>;
  /** The samples of the last hour that are later than this, ms since 1970 UTC. */
  readonly history: (after: number) => Promise<HistoryWindow>;
  readonly epoch: () => Promise<EpochState>;
  /** Begins a new one, even if one is suspended. @returns its token */
  readonly bumpEpoch: (why: string) => Promise<string>;
  readonly fanOuts: (deadline: Deadline) => Promise<readonly FanOutInProgress[]>;
  /** The first dead letters, kept for some seconds: everybody who has the overview open asks again and again. */
  readonly firstLetters: () => Promise<readonly ListedLetter[]>;
  readonly deadLetters: Pick<DeadLetters, 'list' | 'get' | 'naming' | 'replay' | 'discard'>;
  /** The latest runs of backfill and repair, the latest first. */
  readonly runs: (count: number) => Promise<readonly RunProgress[]>;
  readonly sampler: Pick<SamplerReports, 'read'>;
  /** Those in use. */
  readonly kinds: readonly ConsoleKind[];
  /** Maximum contacts in an index. */
  readonly max: number;
}
