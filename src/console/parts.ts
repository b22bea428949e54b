import { problemOf } from '../api/http-problem.ts';
import type { Finding } from '../health/finding.ts';
import { type Deadline, DeadlineExceeded, RequestCancelled, withTimeout } from '../timing/deadline.ts';
import { type Html, type HtmlPart, html } from './html.ts';
import { time } from './layout.ts';
import type { Examined } from './sources.ts';

/** The longest that a part of a page waits for a server, ms: the other parts wait for it. */
const PART_MS = 3_000;

/** A part of a page, or why it cannot be shown: a server that is unavailable leaves the others readable. */
export async function part<T>(read: () => Promise<T>, show: (found: T) => Html): Promise<Html> {
  try {
    return show(await withTimeout(read(), PART_MS, () => new DeadlineExceeded()));
  } catch (error) {
    if (error instanceof RequestCancelled) throw error;
    const { message, code } = problemOf(error);
    if (code === 'internal') throw error;
    return html`<p class="notice problem"><strong>Not available.</strong> ${message}</p>`;
  }
}

/** The deadline of a part. */
export function partDeadline(deadline: Deadline): Deadline {
  return deadline.within(PART_MS);
}

interface ColumnHeading {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** A table. The first cell of a row names it. It scrolls by itself where it is wider than the page. */
export function table(
  caption: string,
  columns: readonly (string | ColumnHeading)[],
  rows: readonly (readonly HtmlPart[])[],
): Html {
  const all = columns.map((column) => (typeof column === 'string' ? { title: column } : column));
  const kind = (i: number) => all[i]?.isNumber === true && html` class="number"`;
  const heads = all.map(({ title }, i) => html`<th scope="col"${kind(i)}>${title}</th>`);
  const cells = (row: readonly HtmlPart[]) =>
    row.map((cell, i) => (i === 0 ? html`<th scope="row"${kind(i)}>${cell}</th>` : html`<td${kind(i)}>${cell}</td>`));
  const body = rows.map((row) => html`<tr>${cells(row)}</tr>\n`);
  return html`<div class="table" role="region" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${body}</tbody>
</table></div>`;
}

/** Names with their values. */
export function facts(pairs: readonly (readonly [name: string, value: HtmlPart])[]): Html {
  return html`<dl>${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}

const WORDS = { fine: 'fine', warning: 'warning', problem: 'problem' } as const;

/** A state, in words as well as in colour. */
export function badge(state: keyof typeof WORDS, word: string = WORDS[state]): Html {
  return html`<span class="badge ${state}">${word}</span>`;
}

/** Where the console itself can fix what a check found, by the name of the check. */
const FIXES: Readonly<Record<string, Html>> = {
  sampler: html`<a class="button" href="/console/drift#wrong">Rebuild those users…</a>`,
};

/** What checks found, each with how to fix it and with its age. @param now ms since 1970 UTC */
export function findingsTable(caption: string, { findings, at }: Examined, now: number): Html {
  const rows = findings.map((finding) => [finding.check, badge(finding.state), detailOf(finding), time(at, now)]);
  return table(caption, ['check', 'state', 'detail', 'checked'], rows);
}

function detailOf({ check, state, detail, mend }: Finding): Html {
  const button = state === 'fine' ? undefined : FIXES[check];
  return html`<span class="lines">${detail}</span>${mend !== undefined && html`<p class="fix">${prose(mend)} ${button}</p>`}`;
}

/** A sentence in which commands are between backticks, as the command line prints it. They can be copied. */
export function prose(text: string): Html {
  const code = (one: string) => html`<code${one.startsWith('recency ') && html` class="command"`}>${one}</code>`;
  return html`${text.split('`').map((one, i) => (i % 2 === 0 ? one : code(one)))}`;
}

/** A whole number, with separators. */
export function count(value: number): string {
  return value.toLocaleString('en');
}

/** Seconds, minutes or hours, in words. @param ms ≥ 0 */
export function duration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  const minutes = seconds / 60;
  return minutes < 90 ? `${minutes.toFixed(0)} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** How far something is, for eyes and ears. */
export function progress(name: string, done: number, of: number): Html {
  const percent = of > 0 ? Math.min(100, Math.floor((100 * done) / of)) : 0;
  return html`<progress max="100" value="${percent}" aria-label="${name}">${percent} %</progress> ${percent} %`;
}
