import { type Html, html } from '../../../../console/html.ts';
import { count } from '../../layout.ts';
import type { ComparerCounts } from '../comparer.ts';

/** How many answers were wrong: the one figure that has to stay. @param isComparing false: that begins when the story has ended */
export function counterView(counts: ComparerCounts, example: string | undefined, isComparing: boolean): Html {
  const { compared, wrong, notExact, changed, unanswered } = counts;
  const more = [
    ['said not to be exact', notExact],
    ['not comparable: the site changed meanwhile', changed],
    ['not answered', unanswered],
  ] as const;
  return html`<p class="wrong ${wrong === 0 ? 'fine' : 'problem'}" data-wrong="${wrong}">${count(wrong)}</p>
<h2>Wrong answers</h2>
<p class="of">of <strong data-compared="${compared}">${count(compared)}</strong> compared with plain SQL</p>
${!isComparing && html`<p class="hint">Answers are compared here when the story has ended; until then it judges those that it reads itself.</p>`}
<ul class="others">${isComparing && more.map(([name, value]) => html`<li><strong>${count(value)}</strong> ${name}</li>`)}</ul>
${example !== undefined && html`<p class="notice problem">${example}</p>`}`;
}
