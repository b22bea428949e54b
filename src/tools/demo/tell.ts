import type { VerifyResult } from '../../repair/verify.ts';
import type { LatencyRow, Quantiles } from '../harness/latency.ts';
import type { BurstReport } from './phases/burst.ts';
import type { KillReport } from './phases/kill-consumer.ts';
import type { IndexMemory } from './phases/memory.ts';
import type { PlayReport } from './phases/play.ts';
import type { Population } from './phases/populate.ts';
import type { RelayCounts } from './processes/services.ts';
import { count } from './story/layout.ts';

/** What came of each phase, in a line for people. */

export function tellPopulation({ cast, counts }: Population): string {
  const most = cast.measured.at(-1)?.contacts ?? 0;
  return [
    `${count(counts.users)} people, ${count(counts.contacts)} relationships, ${count(counts.photos)} photos;`,
    `one has ${count(most)} contacts, one has ${count(cast.followersOfStar.length)} followers`,
  ].join(' ');
}

export function tellPlay({ changes, seconds, reads }: PlayReport, { sent, tasks }: RelayCounts): string {
  return [
    `${count(changes)} changes of the site, their tasks shuffled, ${count(sent - tasks)} of them sent twice;`,
    `${count(reads.reads)} answers read meanwhile (${count(reads.reads / seconds)} a second), ${count(reads.wrong)} wrong`,
  ].join(' ');
}

export function tellKill({ name, followers, doneBefore, resumed, seconds }: KillReport): string {
  if (doneBefore === 0) return `${name} by SIGKILL, and a new one started`;
  const what = `${name} by SIGKILL after ${count(doneBefore)} of the ${count(followers)} followers of one photo;`;
  if (!resumed) return `${what} another began with the first of them again`;
  return `${what} another went on behind them ${seconds.toFixed(1)} s later`;
}

export function tellBurst({ tasks, tasksPerSecond, warmUp, memoryBefore, memoryAfter }: BurstReport): string {
  return [
    `${count(tasks)} contact tasks at once for users with an index, after ${count(warmUp)} to warm up:`,
    `${count(tasksPerSecond)} a second; the consumers' memory ${megabytes(memoryBefore)} before, ${megabytes(memoryAfter)} after`,
  ].join(' ');
}

export function tellVerify(report: VerifyResult): string {
  return [
    `${count(report.users)} users against plain SQL: ${count(report.wrong)} indexes wrong,`,
    `${count(report.answers_wrong)} of ${count(report.answers_checked)} answers wrong,`,
    `${count(report.unsettled + report.answers_unsettled)} unsettled`,
  ].join(' ');
}

export function tellMemory({ mean, full, fullSize }: IndexMemory): string {
  return `an index takes ${count(mean)} bytes in Redis, the mean of all users; a full one of ${fullSize}, ${count(full)}`;
}

export const LATENCY_HEAD = ['contacts', 'plain SQL', 'the recipe as written', 'Recency'];

export function latencyLines(rows: readonly LatencyRow[]): string[][] {
  return rows.map(({ contacts, arms }) => [count(contacts), ...[arms.sql, arms.recipe, arms.recency].map(quantiles)]);
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
    `${apiUrl}/docs`,
  ];
}
