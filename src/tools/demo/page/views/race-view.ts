import { type Html, html } from '../../../../console/html.ts';
import type { VariantName } from '../../../harness/latency.ts';
import { count } from '../../layout.ts';
import type { RaceArm, RaceRow } from '../race.ts';

const TITLES: Readonly<Record<VariantName, string>> = {
  sql: 'Plain SQL',
  recipe: 'The recipe',
  recency: 'Recency',
};

/** The arms as bars of one scale. @param rows undefined: the race has not begun */
export function raceView(rows: readonly RaceRow[] | undefined, isResting: boolean): Html {
  const most = Math.max(1, ...(rows ?? []).flatMap(({ arms }) => arms.map(({ p50 }) => p50 ?? 0)));
  return html`<h2>The race</h2>
<p class="hint">The same request over HTTP, in turns: medians of the latest 25, on one scale. The recipe is as quick, but cannot say whether it is right.</p>
${isResting && html`<p class="hint">It rests while the story measures.</p>`}
${rows === undefined ? html`<p class="hint">It is about to begin.</p>` : rows.map((row) => contest(row, most))}`;
}

function contest({ contacts, arms }: RaceRow, most: number): Html {
  return html`<h3>${count(contacts)} contacts</h3>
<ul class="arms">${arms.map((arm) => armBar(arm, most))}</ul>`;
}

/** A bar is a drawing with a width, because the page allows no inline style. */
function armBar({ name, p50 }: RaceArm, most: number): Html {
  const width = p50 === undefined ? 0 : Math.max(0.6, (100 * p50) / most);
  const time = p50 === undefined ? '–' : `${p50.toFixed(p50 < 10 ? 2 : 1)} ms`;
  return html`<li><span>${TITLES[name]}</span><svg class="bar ${name}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${width.toFixed(1)}" height="10"/></svg><span class="ms">${time}</span></li>`;
}
