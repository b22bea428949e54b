import type { FanOutInProgress } from '../../index/redis/fan-out-progress.ts';
import type { RunProgress } from '../../repair/run-progress.ts';
import { chartsOf } from '../charts.ts';
import type { PageDefinition } from '../gate.ts';
import { type Html, html } from '../html.ts';
import { time } from '../layout.ts';
import { badge, count, part, partDeadline, progress, table } from '../parts.ts';
import type { ConsoleSources } from '../sources.ts';

const LISTED = 20;

/** Runs of backfill and repair, the latest first. */
export function runsPage({ runs }: Pick<ConsoleSources, 'runs'>): PageDefinition {
  return {
    path: '/console/runs',
    show: async ({ now }) => {
      const content = await part(
        () => runs(LISTED),
        (found) => listed(found, now),
      );
      return { title: 'Runs', isLive: true, content };
    },
  };
}

function listed(runs: readonly RunProgress[], now: number): Html {
  if (runs.length === 0)
    return html`<p>There was no run yet. <code class="command">recency backfill</code> builds every index.</p>`;
  const columns = ['run', 'job', 'state', 'progress', 'users', 'a second', 'saved', 'ends', 'result'];
  const rows = runs.map((run) => rowOf(run, now));
  return table('The latest runs of backfill and repair', columns, rows);
}

function rowOf(found: RunProgress, now: number) {
  const { run, parameters, users, usersPerSecond, endsAt } = found;
  return [
    run.id,
    parameters.dryRun ? `${run.kind} (dry run)` : run.kind,
    stateOf(found),
    progress(`Run ${run.id}`, run.state === 'done' ? 1 : users.done, run.state === 'done' ? 1 : users.of),
    run.state === 'done' ? count(users.done) : `${count(users.done)} of about ${count(users.of)}`,
    usersPerSecond === undefined ? 'not known yet' : count(Math.round(usersPerSecond)),
    time(run.updatedAt, now),
    run.finishedAt !== undefined ? time(run.finishedAt, now) : endsAt === undefined ? 'not known' : time(endsAt, now),
    result(found),
  ];
}

function stateOf({ run, isStill }: RunProgress): Html {
  if (run.state === 'done') return badge('fine', 'done');
  if (!isStill) return badge('fine', 'running');
  return html`${badge('warning', 'stopped')}<p class="fix">Unless somebody runs it: <code class="command">recency ${run.kind} --resume ${run.id}</code></p>`;
}

/** What it found and did, without what is 0. */
function result({ counts: { before, after } }: RunProgress): string {
  const { wrong, visible, unsettled } = before;
  const named = { wrong, visible, 'found unsettled': unsettled, ...after };
  const parts = Object.entries(named).flatMap(([name, value]) =>
    value === undefined || value === 0 ? [] : [`${name.replaceAll('_', ' ')} ${count(value)}`],
  );
  return parts.join(', ') || 'nothing';
}

/** Large fan-outs in progress, the oldest first. */
export function fanOutsPage(sources: Pick<ConsoleSources, 'fanOuts' | 'history'>): PageDefinition {
  return {
    path: '/console/fan-outs',
    show: async (visit) => {
      const { deadline, now } = visit;
      const [content, charts] = await Promise.all([
        part(
          () => sources.fanOuts(partDeadline(deadline)),
          (found) => listedFanOuts(found, now),
        ),
        chartsOf(visit, sources, ['fanOuts', 'waiting', 'lag']),
      ]);
      return { title: 'Fan-outs', isLive: true, content, charts };
    },
  };
}

function listedFanOuts(found: readonly FanOutInProgress[], now: number): Html {
  if (found.length === 0) return html`<p>No large fan-out is in progress.</p>`;
  const rows = found.map(({ kind, owner, plannedAt, segments, followers, usersPerSecond, endsAt }) => [
    owner,
    kind,
    time(plannedAt, now),
    progress(`Fan-out of ${owner}`, segments.done, segments.of),
    `${count(segments.done)} of ${count(segments.of)}`,
    `${count(followers.done)} of about ${count(followers.estimated)}`,
    usersPerSecond === undefined ? 'not known yet' : count(Math.round(usersPerSecond)),
    endsAt === undefined ? 'not known yet' : time(endsAt, now),
  ]);
  const columns = ['owner', 'kind', 'planned', 'progress', 'segments', 'followers', 'a second', 'ends'];
  return table('Large fan-outs in progress, the oldest first', columns, rows);
}
