import type { VerifyResult } from '../../repair/examples.ts';
import { type LatencyRow, type Quantiles, ratiosOf } from '../harness/latency.ts';
import { type Feed, type Servers, versionOf } from '../harness/servers.ts';
import { count } from './layout.ts';
import type { BurstReport } from './phases/burst.ts';
import type { KillReport } from './phases/kill-consumer.ts';
import type { IndexMemory } from './phases/measure.ts';
import type { PlayReport } from './phases/play.ts';
import type { Population } from './phases/populate.ts';
import type { PushReport } from './phases/push.ts';
import type { WithdrawalReport } from './phases/withdraw.ts';
import type { UnrulyRelayCounts } from './processes/services.ts';

/** The results of all phases. */
export interface Findings {
  readonly servers: Servers;
  readonly feed: Feed;
  /** In the outbox at the end, published ones included. */
  readonly outboxRows: number;
  readonly population: Population;
  readonly play: PlayReport;
  readonly withdrawal: WithdrawalReport;
  readonly push: PushReport;
  readonly burst: BurstReport;
  readonly relay: UnrulyRelayCounts;
  readonly verify: VerifyResult;
  readonly latency: readonly LatencyRow[];
  readonly memory: IndexMemory;
  readonly seconds: number;
}

/** The object that `demo --json` prints. */
export function reportOf(findings: Findings) {
  const { servers, population, play, withdrawal, push, burst, relay, verify, latency } = findings;
  return {
    transport: servers.transport,
    feed: findings.feed,
    outbox_rows: findings.outboxRows,
    ...(servers.missing === undefined ? {} : { missing: servers.missing }),
    mysql: versionOf(servers, 'mysql'),
    redis: versionOf(servers, 'redis'),
    users: population.counts.users,
    contacts: population.counts.contacts,
    groups: population.counts.groups,
    memberships: population.counts.memberships,
    group_photos: population.counts.pooled,
    tasks: relay.tasks + burst.warmUp + burst.tasks,
    delivered: relay.sent + burst.warmUp + burst.tasks,
    reads: play.reads.reads,
    reads_of_groups: play.reads.of_groups,
    reads_of_both_kinds: play.reads.of_both,
    reads_wrong: play.reads.wrong,
    reads_refused: play.reads.refused,
    wrong_examples: play.examples,
    withdrawal_right: withdrawal.right,
    push: pushOf(push),
    killed: {
      process: play.killed.name,
      followers: play.killed.followers,
      during_fan_out: play.killed.wasUnderway,
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

function pushOf({ watches, uploads, delivered, p50Ms, mostMs, missed, twice, wrongIds, notVisible }: PushReport) {
  const times = { p50_ms: rounded(p50Ms), max_ms: rounded(mostMs) };
  return {
    watches,
    uploads,
    delivered,
    ...times,
    missed,
    duplicates: twice,
    wrong_ids: wrongIds,
    not_visible: notVisible,
  };
}

export type DemoReport = ReturnType<typeof reportOf>;

type Judged = Pick<DemoReport, 'feed' | 'outbox_rows' | 'reads' | 'reads_wrong' | 'withdrawal_right' | 'verify'> & {
  readonly push: Pick<DemoReport['push'], 'missed' | 'wrong_ids' | 'not_visible'>;
};

/** The number of things that were wrong or could not be checked. */
export function countWrong({ reads_wrong, withdrawal_right, push, verify }: Omit<Judged, 'reads'>): number {
  const indexes = verify.wrong + verify.unsettled + verify.failed + verify.columns.wrong + verify.truth.wrong;
  const pushed = push.missed + push.wrong_ids + push.not_visible;
  return reads_wrong + (withdrawal_right ? 0 : 1) + pushed + indexes + verify.answers_wrong + verify.answers_unsettled;
}

/** Nothing was wrong, and something of each kind was checked. */
export function isRight(report: Judged): boolean {
  const { reads, verify, feed, outbox_rows } = report;
  if (feed === 'capture' && outbox_rows > 0) return false;
  const each = [verify, ...Object.values(verify.kinds ?? {})];
  return countWrong(report) === 0 && reads > 0 && each.every(({ users }) => users > 0);
}

function latencyOf({ contacts, variants: { sql, recipe, recency } }: LatencyRow) {
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

export function formatPopulation({ cast, counts }: Population): string {
  const most = cast.measured.at(-1)?.contacts ?? 0;
  return [
    `${count(counts.users)} people, ${count(counts.contacts)} relationships, ${count(counts.photos)} photos;`,
    `one has ${count(most)} contacts, one has ${count(cast.followersOfStar.length)} followers;`,
    `${count(counts.groups)} groups with ${count(counts.memberships)} memberships and ${count(counts.pooled)} photos`,
  ].join(' ');
}

export function formatPlay(
  { changes, seconds, reads }: PlayReport,
  { sent, tasks }: UnrulyRelayCounts,
  feed: Feed,
): string {
  const how = {
    outbox: `their tasks shuffled, ${count(sent - tasks)} of them sent twice`,
    capture: `captured from the binary log: ${count(tasks)} tasks, the outbox unused`,
  };
  return [
    `${count(changes)} changes to contacts, photos and groups, ${how[feed]};`,
    `${count(reads.reads)} answers read meanwhile (${count(reads.of_groups)} about groups,`,
    `${count(reads.of_both)} about both in one list; ${count(reads.reads / seconds)} per second), ${count(reads.wrong)} wrong`,
  ].join(' ');
}

export function formatKill({ name, followers, wasUnderway, seconds }: KillReport): string {
  if (!wasUnderway) return `${name} by SIGKILL, and a new one started`;
  const what = `${name} by SIGKILL during the fan-out of a photo to ${count(followers)} followers, and a new one started;`;
  return `${what} done ${seconds.toFixed(1)} s later`;
}

export function formatBurst({ tasks, tasksPerSecond, warmUp, memoryBefore, memoryAfter }: BurstReport): string {
  return [
    `${count(tasks)} contact tasks at once for users with an index, after ${count(warmUp)} for warm-up:`,
    `${count(tasksPerSecond)} per second; the consumers' memory ${megabytes(memoryBefore)} before, ${megabytes(memoryAfter)} after`,
  ].join(' ');
}

export function formatVerify(report: VerifyResult): string {
  return [
    `${verifiedOf(report)} against plain SQL: ${count(report.wrong)} indexes wrong,`,
    `${count(report.answers_wrong)} of ${count(report.answers_checked)} answers wrong,`,
    `${count(report.unsettled + report.answers_unsettled)} unsettled`,
  ].join(' ');
}

/** For example `10,004 users with contacts and 2,511 with groups`. */
function verifiedOf({ users, kinds }: VerifyResult): string {
  if (kinds === undefined) return `${count(users)} users`;
  const each = Object.entries(kinds).map(
    ([kind, counts], i) => `${count(counts.users)} ${i === 0 ? 'users ' : ''}with ${kind}`,
  );
  return each.join(' and ');
}

export function formatMemory({ mean, full, fullSize }: IndexMemory): string {
  return `an index of contacts takes ${count(mean)} bytes in Redis on average; a full one (${fullSize} contacts), ${count(full)}`;
}

export const LATENCY_HEAD = ['contacts', 'plain SQL', 'the recipe as written', 'Recency'];

export function latencyLines(rows: readonly LatencyRow[]): string[][] {
  return rows.map(({ contacts, variants }) => [
    count(contacts),
    ...[variants.sql, variants.recipe, variants.recency].map(quantiles),
  ]);
}

function quantiles({ p50, p99 }: Quantiles): string {
  return `${p50.toFixed(2)} (${p99.toFixed(2)})`;
}

function megabytes(bytes: number): string {
  return `${count(bytes / 1024 / 1024)} MB`;
}

export function addresses(apiUrl: string, user: string): string[] {
  return [
    `curl '${apiUrl}/v1/users/${user}/contacts/recent?limit=3'`,
    `curl '${apiUrl}/v1/users/${user}/contacts/recent/photos?contacts=2&photos=3'`,
    `curl '${apiUrl}/v1/users/${user}/index'`,
    `curl '${apiUrl}/v1/users/1/groups/recent?limit=3'`,
    `curl '${apiUrl}/v1/users/1/recent?limit=3'`,
    `${apiUrl}/docs`,
  ];
}
