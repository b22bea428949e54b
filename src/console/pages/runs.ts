import type { RunProgress } from '../../repair/run-progress.ts';
import type { PageDefinition } from '../gate.ts';
import { type Html, html } from '../html.ts';
import { time } from '../layout.ts';
import { badge, count, part, progress, table } from '../parts.ts';
import type { ConsoleSources } from '../sources.ts';

const LISTED = 20;

/** Runs of backfill and repair, the latest first. */
export function runsPage({ runs }: Pick<ConsoleSources, 'runs'>): PageDefinition {
  return {
    path: '/console/runs',
    show: async () => ({ title: 'Runs', isLive: true, content: await part(() => runs(LISTED), listed) }),
  };
}

function listed(runs: readonly RunProgress[]): Html {
  if (runs.length === 0) return html`<p>There was no run yet. <code>recency backfill</code> builds every index.</p>`;
  const columns = ['run', 'job', 'state', 'progress', 'users', 'a second', 'saved', 'ends', 'result'];
  return table('The latest runs of backfill and repair', columns, runs.map(rowOf));
}

function rowOf(found: RunProgress) {
  const { run, parameters, users, usersPerSecond, endsAt } = found;
  return [
    run.id,
    parameters.dryRun ? `${run.kind} (dry run)` : run.kind,
    stateOf(found),
    progress(`Run ${run.id}`, run.state === 'done' ? 1 : users.done, run.state === 'done' ? 1 : users.of),
    run.state === 'done' ? count(users.done) : `${count(users.done)} of about ${count(users.of)}`,
    usersPerSecond === undefined ? 'not known yet' : count(Math.round(usersPerSecond)),
    time(run.updatedAt),
    run.finishedAt !== undefined ? time(run.finishedAt) : endsAt === undefined ? 'not known' : time(endsAt),
    result(found),
  ];
}

function stateOf({ run, isStill }: RunProgress): Html {
  if (run.state === 'done') return badge('fine', 'done');
  if (!isStill) return badge('fine', 'running');
  return html`${badge('warning', 'stopped')}<p class="fix">Unless somebody runs it: <code>recency ${run.kind} --resume ${run.id}</code></p>`;
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
