import { type LatencyRow, ratiosOf } from '../harness/latency.ts';
import { burst } from './phases/burst.ts';
import { compare } from './phases/compare.ts';
import { measureMemory } from './phases/memory.ts';
import { type PlayReport, play } from './phases/play.ts';
import { verifyAll } from './phases/verify.ts';
import { type WithdrawalReport, withdrawGrant } from './phases/withdraw.ts';
import type { Prepared, Telling } from './prepare.ts';
import type { Findings } from './report.ts';
import { count } from './story/layout.ts';
import type { Story } from './story/story.ts';
import { LATENCY_HEAD, latencyLines, tellBurst, tellKill, tellMemory, tellPlay, tellVerify } from './tell.ts';

const EXAMPLES = 5;

/** What there is to be seen, one thing after the other. */
export async function perform(
  { options, story }: Telling,
  { servers, population, stores, fleet, world }: Prepared,
): Promise<Omit<Findings, 'seconds'>> {
  const { services } = world;
  const played = await story.step(
    'play',
    (progress) => play(world, options.seconds, progress),
    (report) => tellPlay(report, services.relayCounts),
    'seconds',
  );
  tellMoreOf(story, played);
  const withdrawal = await story.step('grant', () => withdrawGrant(world), tellBefore);
  story.more(`and after ${withdrawal.owner} has withdrawn that, ${withdrawal.after}`);
  const bursted = await story.step('burst', () => burst(world, stores.publisher, options.burst), tellBurst);
  const verify = await story.step('verify', (progress) => verifyAll(stores.jobs, progress), tellVerify, 'users');
  for (const wrong of [...verify.wrong_users, ...verify.wrong_answers, ...verify.wrong_columns].slice(0, EXAMPLES)) {
    story.warn(JSON.stringify(wrong));
  }
  const latency = await story.step(
    'latency',
    (progress) => compare(world, fleet, stores.primary, progress),
    () => 'the same question over HTTP, in turns: p50 (p99) in ms',
    'rounds',
  );
  tellLatency(story, latency);
  const memory = await measureMemory(world);
  story.more(tellMemory(memory), 'memory');
  const relay = services.relayCounts;
  return { servers, population, play: played, withdrawal, burst: bursted, relay, verify, latency, memory };
}

function tellMoreOf(story: Story, { killed, examples, reads }: PlayReport): void {
  story.more(tellKill(killed), 'killed');
  if (reads.refused > 0) story.more(`${count(reads.refused)} reads refused: too many plain queries waited`);
  for (const example of examples) story.warn(example);
}

function tellBefore({ viewer, owner, before }: WithdrawalReport): string {
  return `user ${viewer}, whom ${owner} calls a friend, is shown ${before}`;
}

function tellLatency(story: Story, rows: readonly LatencyRow[]): void {
  const { flatness, sql_over_recency: sql, recipe_over_recency: recipe } = ratiosOf(rows);
  const most = count(rows.at(-1)?.contacts ?? 0);
  story.table(LATENCY_HEAD, latencyLines(rows));
  story.more(`Recency at ${most} contacts takes ${flatness} times as long as at ${count(rows[0]?.contacts ?? 0)};`);
  story.more(`at ${most}, plain SQL takes ${sql} times as long as Recency, the recipe ${recipe} times`);
}
