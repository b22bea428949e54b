import { fanOutView } from '../../api/fan-out-view.ts';
import type { FanOutInProgress } from '../../index/redis/fan-out-progress.ts';
import type { PageDefinition } from '../gate.ts';
import { type Html, html } from '../html.ts';
import { count, part, partDeadline, progress, table } from '../parts.ts';
import type { ConsoleSources } from '../sources.ts';

/** Large fan-outs in progress, the oldest first. */
export function fanOutsPage({ fanOuts }: Pick<ConsoleSources, 'fanOuts'>): PageDefinition {
  return {
    path: '/console/fan-outs',
    show: async ({ deadline }) => {
      const content = await part(() => fanOuts(partDeadline(deadline)), listed);
      return { title: 'Fan-outs', isLive: true, content };
    },
  };
}

function listed(found: readonly FanOutInProgress[]): Html {
  if (found.length === 0) return html`<p>No large fan-out is in progress.</p>`;
  const rows = found
    .map(fanOutView)
    .map(({ kind, owner, planned_at, segments, followers, users_per_second, ends_at }) => [
      owner,
      kind,
      html`<span class="at">${planned_at}</span>`,
      progress(`Fan-out of ${owner}`, segments.done, segments.of),
      `${count(segments.done)} of ${count(segments.of)}`,
      `${count(followers.done)} of about ${count(followers.estimated)}`,
      users_per_second === null ? 'not known yet' : count(users_per_second),
      ends_at ?? 'not known yet',
    ]);
  const columns = ['owner', 'kind', 'planned', 'progress', 'segments', 'followers', 'a second', 'ends'];
  return table('Large fan-outs in progress, the oldest first', columns, rows);
}
