import type { EpochState } from '../../mysql/losses.ts';
import type { PageDefinition } from '../gate.ts';
import { type Html, html } from '../html.ts';
import { time } from '../layout.ts';
import { badge, facts, part, table } from '../parts.ts';
import type { ConsoleSources } from '../sources.ts';

/** The epoch in force; while it is suspended, what it waits for. */
export function epochPage({ epoch }: Pick<ConsoleSources, 'epoch'>): PageDefinition {
  return {
    path: '/console/epoch',
    show: async () => ({ title: 'Epoch', isLive: true, content: await part(epoch, shown) }),
  };
}

function shown({ epoch, suspended, losses }: EpochState): Html {
  const state = suspended ? badge('problem', 'suspended') : badge('fine', 'in force');
  const about = facts([
    ['State', state],
    ['Since', time(epoch.bumpedAt)],
    ['Why', epoch.why],
    ['Token', html`<span class="id">${epoch.token}</span>`],
  ]);
  return html`${about}${suspended && waiting(losses)}
<p class="hint">Indexes of another epoch are not used; each is rebuilt when it is read, or by <code>recency backfill</code>. <code>recency epoch bump --why …</code> begins a new one.</p>`;
}

function waiting(losses: EpochState['losses']): Html {
  const rows = losses.map(({ place, what, foundAt, end }) => [place, what, time(foundAt), end ?? 'not known yet']);
  return html`<p class="notice problem" role="status">Tasks were lost. No index is used or built until the consumers have caught up.</p>
${table('What it waits for', ['place', 'lost', 'found', 'up to'], rows)}`;
}
