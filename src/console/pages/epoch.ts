import { z } from 'zod';
import type { EpochState } from '../../mysql/losses.ts';
import type { ActionDefinition, PageDefinition } from '../gate.ts';
import { type Html, html } from '../html.ts';
import { formToken, time } from '../layout.ts';
import { badge, facts, part, table } from '../parts.ts';
import type { ConsoleSources } from '../sources.ts';

const PATH = '/console/epoch/bump';

/** The epoch in force; while it is suspended, what it waits for. */
export function epochPage({ epoch }: Pick<ConsoleSources, 'epoch'>): PageDefinition {
  return {
    path: '/console/epoch',
    show: async ({ now }) => ({
      title: 'Epoch',
      isLive: true,
      content: await part(epoch, (state) => shown(state, now)),
      below: html`<p>${bumpButton()}</p>`,
    }),
  };
}

/** Leads to the question why. */
export function bumpButton(): Html {
  return html`<a class="button" href="${PATH}">Begin a new epoch…</a>`;
}

export function epochBadge({ suspended }: Pick<EpochState, 'suspended'>): Html {
  return suspended ? badge('problem', 'suspended') : badge('fine', 'in force');
}

function shown(state: EpochState, now: number): Html {
  const { epoch, suspended, losses } = state;
  const about = facts([
    ['State', epochBadge(state)],
    ['Begun', time(epoch.bumpedAt, now)],
    ['Why', epoch.why],
    ['Token', html`<span class="id">${epoch.token}</span>`],
  ]);
  return html`${about}${suspended && waiting(losses, now)}
<p class="hint">Indexes of another epoch are not used; each is rebuilt when it is read, or by <code class="command">recency backfill</code>.</p>`;
}

function waiting(losses: EpochState['losses'], now: number): Html {
  const rows = losses.map(({ place, what, foundAt, end }) => [place, what, time(foundAt, now), end ?? 'not known yet']);
  return html`<p class="notice problem" role="status">Tasks were lost. No index is used or built until the consumers have caught up.</p>
${table('What it waits for', ['place', 'lost', 'found', 'up to'], rows)}`;
}

/** Asks why before a new epoch begins. */
export function bumpPage({ epoch }: Pick<ConsoleSources, 'epoch'>): PageDefinition {
  return {
    path: PATH,
    show: async ({ session, now }) => {
      const inForce = await part(epoch, (state) => shown(state, now));
      const content = html`<p class="notice warning">Every index becomes cold at once. Until they are rebuilt, plain SQL on MySQL answers: reads of users with many contacts take longer, and MySQL has more to do. A suspension ends, so what was lost must not matter any more.</p>
<form method="post" action="${PATH}">
${formToken(session)}
<p><label for="why">Why? It is kept, and shown to those who ask why indexes are cold.</label> <input id="why" name="why" required maxlength="255"></p>
<p><button class="primary">Begin a new epoch</button> <a href="/console/epoch">Cancel</a></p>
</form>
<h2>The epoch until now</h2>
${inForce}`;
      return { title: 'Begin a new epoch?', content };
    },
  };
}

const bumpFields = z.object({ why: z.string().trim().min(1, 'say why a new epoch begins').max(255) });

/** As `recency epoch bump` does. @param log is told the new epoch, and why */
export function bumpAction(
  { bumpEpoch }: Pick<ConsoleSources, 'bumpEpoch'>,
  log: (facts: object) => void,
): ActionDefinition<typeof bumpFields> {
  return {
    path: PATH,
    fields: bumpFields,
    act: async ({ why }) => {
      const token = await bumpEpoch(why);
      log({ epoch: token, why });
      const content = html`<p class="notice fine" role="status">Epoch <span class="id">${token}</span> has begun: every index is cold.</p>
<p class="fix">Each is rebuilt when it is read; <code class="command">recency backfill</code> rebuilds all of them.</p>
<p><a href="/console/epoch">The epoch</a></p>`;
      return { title: 'A new epoch', content };
    },
  };
}
