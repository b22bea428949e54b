import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, RowDataPacket } from 'mysql2/promise';
import { type LatencyRow, ratiosOf } from '../harness/latency.ts';
import { explained } from '../harness/poll.ts';
import { ProcessLogs } from '../harness/processes/process-logs.ts';
import { columnsOf, count } from './layout.ts';
import type { DemoOptions } from './options.ts';
import { startPage } from './page/start-page.ts';
import { burst } from './phases/burst.ts';
import { verifyAll } from './phases/jobs.ts';
import { compare, measureMemory } from './phases/measure.ts';
import { type PlayReport, play } from './phases/play.ts';
import { formatPush, watchUploads } from './phases/push.ts';
import { withdrawGrant } from './phases/withdraw.ts';
import { type DemoRun, type Prepared, prepare } from './prepare.ts';
import {
  addresses,
  countWrong,
  type DemoReport,
  type Findings,
  formatBurst,
  formatKill,
  formatMemory,
  formatPlay,
  formatVerify,
  isRight,
  LATENCY_HEAD,
  latencyLines,
  reportOf,
} from './report.ts';
import type { Story } from './story.ts';

export interface DemoRunOptions {
  readonly story: Story;
  /** Ends the demonstration at any point. */
  readonly signal: AbortSignal;
  /** When everything has been shown, keep everything running until the signal. */
  readonly staysUp: boolean;
  /** Serve the page. */
  readonly servesPage: boolean;
}

const GRACE_MS = 1_000;

/**
 * Shows all of Recency at work on real servers. Everything it started has ended when this returns or throws.
 * @throws Error when a server is not available or fails; the signal's reason when it was aborted early
 */
export async function runDemo(options: DemoOptions, told: DemoRunOptions): Promise<DemoReport> {
  const { story, signal, staysUp } = told;
  const failing = new AbortController();
  const ending = AbortSignal.any([signal, failing.signal]);
  const resources = new AsyncDisposableStack();
  const logs = new ProcessLogs('demo');
  resources.defer(() => logs.remove());
  const fail = (reason: Error) => failing.abort(reason);
  try {
    const report = await Promise.race([
      runAndReport({ options, story, logs, resources, signal: ending, fail }, told),
      failure(ending),
    ]);
    if (staysUp) await stayUp(story, signal, failing.signal);
    return report;
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = await causeOf(error, failing.signal);
    const lastWords = logs.lastWords();
    if (lastWords !== '') story.plain(`\n${lastWords}`);
    throw explained(reason);
  } finally {
    fail(new Error('the demonstration has ended'));
    await resources.disposeAsync();
  }
}

async function runAndReport(
  run: DemoRun,
  { servesPage, staysUp }: Pick<DemoRunOptions, 'servesPage' | 'staysUp'>,
): Promise<DemoReport> {
  const { story } = run;
  const from = performance.now();
  story.title('Recency: the main job, end to end, on real servers');
  const prepared = await prepare(run);
  if (servesPage) story.plain(columnsOf('', 'page', `see it at ${await startPage(run, prepared)}`));
  const found = await perform(run, prepared);
  const report = reportOf({ ...found, seconds: (performance.now() - from) / 1000 });
  const { services, cast } = prepared.world;
  reportEnd(story, report);
  if (staysUp) story.plain(addresses(services.apiUrl, cast.measured.at(-1)?.user ?? '').join('\n'));
  return report;
}

function reportEnd(story: Story, report: DemoReport): void {
  const { mysql, redis, transport, missing, seconds } = report;
  const where = `on ${mysql}, ${redis} and ${transport === 'kafka' ? 'Kafka' : 'Redis Streams'}`;
  const without = missing === undefined ? '' : `, because Kafka is not available: ${missing}`;
  const sum = isRight(report)
    ? 'Nothing was wrong, during and after'
    : `${count(countWrong(report))} things were wrong`;
  story.end(isRight(report), `${sum}, ${where}${without}. ${Math.round(seconds)} s.`);
}

/** Resolves at the signal. @throws what ended one of the processes */
async function stayUp(story: Story, signal: AbortSignal, failing: AbortSignal): Promise<void> {
  story.plain('\nTry it now. Ctrl-C ends everything.');
  if (!signal.aborted) await Promise.race([once(signal, 'abort'), failure(failing)]);
}

/** When a process dies, a connection to it often breaks first; the death is what should be reported. */
async function causeOf(error: unknown, failing: AbortSignal): Promise<unknown> {
  await Promise.race([failure(failing).catch(() => undefined), pause(GRACE_MS)]);
  return failing.aborted ? failing.reason : error;
}

async function failure(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

const EXAMPLES = 5;

/** Runs the phases one after the other. */
export async function perform(
  { options, story }: DemoRun,
  { servers, population, stores, processGroup, world }: Prepared,
): Promise<Omit<Findings, 'seconds'>> {
  const { services, pool } = world;
  const { feed } = options;
  const played = await story.step(
    'play',
    (progress) => play(world, options.seconds, progress),
    (report) => formatPlay(report, services.relayCounts, feed),
    'seconds',
  );
  reportMoreOf(story, played);
  const withdrawal = await story.step(
    'grant',
    () => withdrawGrant(world),
    ({ viewer, owner, before }) => `user ${viewer}, a friend of ${owner}, is shown ${before}`,
  );
  story.more(`after ${withdrawal.owner} has withdrawn that: ${withdrawal.after}`);
  const pushed = await story.step('push', () => watchUploads(world, processGroup, options.uploads), formatPush);
  const bursted = await story.step('burst', () => burst(world, stores.publisher, options.burst), formatBurst);
  const verify = await story.step('verify', (progress) => verifyAll(stores.jobs, progress), formatVerify, 'users');
  for (const wrong of [...verify.wrong_users, ...verify.wrong_answers, ...verify.wrong_columns].slice(0, EXAMPLES)) {
    story.warn(JSON.stringify(wrong));
  }
  const latency = await story.step(
    'latency',
    (progress) => compare(world, { processGroup, database: stores.contacts, rounds: options.rounds }, progress),
    () => 'the same request over HTTP, in turns: p50 (p99) in ms',
    'rounds',
  );
  reportLatency(story, latency);
  const memory = await measureMemory(world);
  story.more(formatMemory(memory), 'memory');
  await services.updateCounts();
  const relay = services.relayCounts;
  const outboxRows = await countOutboxRows(pool);
  return {
    servers,
    feed,
    outboxRows,
    population,
    play: played,
    withdrawal,
    push: pushed,
    burst: bursted,
    relay,
    verify,
    latency,
    memory,
  };
}

async function countOutboxRows(pool: Pool): Promise<number> {
  const [[row]] = await pool.query<RowDataPacket[]>('SELECT COUNT(*) AS n FROM recency_outbox');
  return Number(row?.n);
}

function reportMoreOf(story: Story, { killed, examples, reads }: PlayReport): void {
  story.more(formatKill(killed), 'killed');
  if (reads.refused > 0) story.more(`${count(reads.refused)} reads refused: plain-query limit reached`);
  for (const example of examples) story.warn(example);
}

function reportLatency(story: Story, rows: readonly LatencyRow[]): void {
  const { flatness, sql_over_recency: sql, recipe_over_recency: recipe } = ratiosOf(rows);
  const most = count(rows.at(-1)?.contacts ?? 0);
  story.table(LATENCY_HEAD, latencyLines(rows));
  story.more(`Recency at ${most} contacts takes ${flatness} times as long as at ${count(rows[0]?.contacts ?? 0)};`);
  story.more(`at ${most}, plain SQL takes ${sql} times as long as Recency, the recipe ${recipe} times`);
}
