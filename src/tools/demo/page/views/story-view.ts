import { type Html, html } from '../../../../console/html.ts';
import type { Story, ToldStep } from '../../story.ts';

/** What the terminal tells, step by step. */
export function storyView({ told, verdict }: Pick<Story, 'told' | 'verdict'>): Html {
  const running = verdict === undefined ? told.at(-1) : undefined;
  return html`<details class="card story"${verdict === undefined ? html` open` : html` data-over`}>
<summary><h2>The story</h2> <span class="${verdict?.good === false ? 'problem' : 'now'}">${verdict?.text ?? nowText(running)}</span></summary>
${running !== undefined && bar(running)}
<ol class="steps">${told.map(step)}</ol>
</details>`;
}

function nowText(running: ToldStep | undefined): string {
  if (running === undefined) return '';
  const percent = running.share === undefined ? '' : ` ${Math.floor(running.share * 100)} %`;
  return `Under way: ${running.label}${percent}. The site's buttons work when it has ended.`;
}

function bar({ label, share }: ToldStep): Html {
  if (share === undefined) return html`<progress aria-label="${label}"></progress>`;
  const percent = Math.floor(share * 100);
  return html`<progress max="100" value="${percent}" aria-label="${label}">${percent} %</progress>`;
}

function step({ label, lines, seconds }: ToldStep): Html {
  const time = seconds === undefined ? '…' : `${seconds.toFixed(1)} s`;
  return html`<li data-key="${label}"><span class="time">${time}</span> <strong>${label}</strong> <span>${lines.map((line) => html`<span class="line">${line}</span> `)}</span></li>`;
}
