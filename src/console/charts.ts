import type { Visit } from './gate.ts';
import { CHARTS, type ChartLine, type ChartName, type HistoryWindow, summaryOf } from './history.ts';
import { type Html, html } from './html.ts';
import { part } from './parts.ts';
import type { ConsoleSources } from './sources.ts';

/** The script of an open page asks for the page again, and keeps its charts: see assets/console.js. */
const REFRESH = 'x-recency-refresh';

/** Charts of the last hour: their numbers, above which a script draws them. */
export async function chartsOf(
  { request }: Pick<Visit, 'request'>,
  { history }: Pick<ConsoleSources, 'history'>,
  names: readonly ChartName[],
): Promise<Html> {
  if (request.headers[REFRESH] !== undefined) return html``;
  return await part(
    () => history(0),
    (window) =>
      html`<section class="charts" aria-label="The last hour">${names.map((name) => chart(name, window))}</section>`,
  );
}

function chart(name: ChartName, window: HistoryWindow): Html {
  const { title, unit, lines } = CHARTS[name];
  const heading = unit === '' ? title : `${title} (${unit})`;
  const heads = COLUMNS.map((column, i) => html`<th scope="col"${i > 0 && NUMBER}>${column}</th>`);
  return html`<figure class="chart" data-chart="${name}">
<figcaption aria-hidden="true">${heading}</figcaption>
<div class="plot" role="img" aria-label="${heading}: the numbers are in the table below"></div>
<table>
<caption>${heading}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${lines(window).map(rowOf)}</tbody>
</table>
</figure>
`;
}

const COLUMNS = ['line', 'now', 'least', 'most'];
const NUMBER = html` class="number"`;

/** As the script writes it anew. */
function rowOf(line: ChartLine): Html {
  const { latest = null, least = null, most = null } = summaryOf(line) ?? {};
  const cells = [latest, least, most].map((value) => html`<td${NUMBER}>${value ?? '–'}</td>`);
  return html`<tr><th scope="row">${line.name}</th>${cells}</tr>
`;
}
