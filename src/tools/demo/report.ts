import type { VerifyResult } from '../../repair/verify.ts';
import { type LatencyRow, ratiosOf } from '../harness/latency.ts';
import { type Servers, versionOf } from '../harness/servers.ts';
import type { BurstReport } from './phases/burst.ts';
import type { IndexMemory } from './phases/memory.ts';
import type { PlayReport } from './phases/play.ts';
import type { Population } from './phases/populate.ts';
import type { WithdrawalReport } from './phases/withdraw.ts';
import type { RelayCounts } from './processes/services.ts';

/** What the phases found out. */
export interface Findings {
  readonly servers: Servers;
  readonly population: Population;
  readonly play: PlayReport;
  readonly withdrawal: WithdrawalReport;
  readonly burst: BurstReport;
  readonly relay: RelayCounts;
  readonly verify: VerifyResult;
  readonly latency: readonly LatencyRow[];
  readonly memory: IndexMemory;
  readonly seconds: number;
}

/** The one object of `demo --json` (INTERFACE). */
export function reportOf(findings: Findings) {
  const { servers, population, play, withdrawal, burst, relay, verify, latency } = findings;
  return {
    transport: servers.transport,
    ...(servers.missing === undefined ? {} : { missing: servers.missing }),
    mysql: versionOf(servers, 'mysql'),
    redis: versionOf(servers, 'redis'),
    users: population.counts.users,
    contacts: population.counts.contacts,
    tasks: relay.tasks + burst.warmUp + burst.tasks,
    delivered: relay.sent + burst.warmUp + burst.tasks,
    reads: play.reads.reads,
    reads_wrong: play.reads.wrong,
    reads_refused: play.reads.refused,
    wrong_examples: play.examples,
    withdrawal_right: withdrawal.right,
    killed: {
      process: play.killed.name,
      followers: play.killed.followers,
      done_before: play.killed.doneBefore,
      resumed: play.killed.resumed,
      seconds: rounded(play.killed.seconds),
    },
    burst_tasks: burst.tasks,
    burst_warm_up: burst.warmUp,
    consumer_tasks_per_second: Math.round(burst.tasksPerSecond),
    consumer_rss_before: burst.memoryBefore,
    consumer_rss_after: burst.memoryAfter,
    verify,
    latency: latency.map(latencyOf),
    ratios: ratiosOf(latency),
    bytes_per_user: findings.memory.mean,
    bytes_per_full_index: findings.memory.full,
    seconds: rounded(findings.seconds),
  };
}

export type DemoReport = ReturnType<typeof reportOf>;

type Judged = Pick<DemoReport, 'reads' | 'reads_wrong' | 'withdrawal_right' | 'verify'>;

/** How many things were wrong, or could not be told; 0: nothing, at any time. */
export function countWrong({ reads_wrong, withdrawal_right, verify }: Omit<Judged, 'reads'>): number {
  const indexes = verify.wrong + verify.unsettled + verify.failed + verify.columns.wrong + verify.truth.wrong;
  return reads_wrong + (withdrawal_right ? 0 : 1) + indexes + verify.answers_wrong + verify.answers_unsettled;
}

/** Nothing was wrong, and something was looked at. */
export function isRight(report: Judged): boolean {
  return countWrong(report) === 0 && report.reads > 0 && report.verify.users > 0;
}

function latencyOf({ contacts, arms: { sql, recipe, recency } }: LatencyRow) {
  return {
    contacts,
    sql_p50_ms: rounded(sql.p50),
    recipe_p50_ms: rounded(recipe.p50),
    recency_p50_ms: rounded(recency.p50),
    sql_p99_ms: rounded(sql.p99),
    recipe_p99_ms: rounded(recipe.p99),
    recency_p99_ms: rounded(recency.p99),
  };
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
