import { type Html, html } from '../../../../console/html.ts';
import type { Feed } from '../../../harness/servers.ts';
import type { FollowedChange, Station } from '../task-way.ts';

const WORDS: Readonly<Record<Station, readonly [title: string, what: string]>> = {
  published: ['published', 'the relay has taken it to the transport'],
  applied: ['applied', 'a consumer has refreshed the index'],
  answered: ['answered', 'the API shows it'],
};

/** The way of the latest change, with the times that were measured. */
export function wayView(latest: FollowedChange | undefined, feed: Feed): Html {
  return html`<h2>The way of a change</h2>
${latest === undefined ? html`<p class="hint">Change something, and its way is shown here: from the commit over the transport to the index and an answer.</p>` : way(latest)}
<p class="hint">${feed === 'outbox' ? 'The relay waits 150 ms between two batches on purpose, to shuffle them.' : 'Changes are captured from the binary log, so there is no outbox to be looked at.'}
An answer may be earlier than the index: whom it names already is read from MySQL.</p>`;
}

function way({ what, transactionMs, seen }: FollowedChange): Html {
  const stations = [...seen].map(([station, ms]) => {
    const [title, says] = WORDS[station];
    const time = ms === undefined ? 'not yet' : `${ms.toFixed(0)} ms`;
    return html`<li class="${ms === undefined ? 'coming' : 'passed'}"><strong>${title}</strong> <span class="ms">${time}</span> <span class="hint">${says}</span></li>`;
  });
  return html`<p class="words">${what}</p>
<ol class="stations"><li class="passed"><strong>written</strong> <span class="ms">0 ms</span> <span class="hint">committed to MySQL, in ${transactionMs.toFixed(0)} ms</span></li>${stations}</ol>`;
}
