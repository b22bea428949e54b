import { z } from 'zod';
import { HttpProblem } from '../../api/http-problem.ts';
import { parse } from '../../api/parse.ts';
import { withinDeadline } from '../../timing/deadline.ts';
import { letterTime, letterView } from '../../transport/dead-letter-view.ts';
import { type ListedLetter, NotReplayable } from '../../transport/dead-letters.ts';
import type { ActionDefinition, PageDefinition } from '../gate.ts';
import { type Html, html } from '../html.ts';
import { formToken, type View } from '../layout.ts';
import { count, facts, part, table } from '../parts.ts';
import type { ConsoleSources } from '../sources.ts';

/** Letters of a page. */
const LISTED = 50;

const id = z.string().min(1).max(64);
/** A form sends one value as text, and several as a list. */
const ids = z.union(
  [id.transform((one) => [one]), z.array(id).min(1).max(LISTED)],
  'choose at least one letter, and at most 50',
);

const listQuery = z.strictObject({ after: id.optional() });
const replayFields = z.object({ id: ids });

type Letters = Pick<ConsoleSources, 'deadLetters'>;

/** Dead letters, oldest first. */
export function deadLettersPage({ deadLetters }: Letters): PageDefinition {
  return {
    path: '/console/dead-letters',
    show: async ({ request }) => {
      const { after } = parse('query', listQuery, request.query);
      const ask = () => deadLetters.list({ limit: LISTED, ...(after === undefined ? {} : { after }) }).catch(refuseId);
      return { title: 'Dead letters', content: await part(ask, (letters) => listed(letters, after)) };
    },
  };
}

function refuseId(error: unknown): never {
  throw error instanceof RangeError
    ? new HttpProblem('invalid_parameter', { detail: `after: ${error.message}` })
    : error;
}

function listed(letters: readonly ListedLetter[], after: string | undefined): Html {
  if (letters.length === 0)
    return html`<p>There are no ${after !== undefined && 'further '}dead letters: every message could be applied.</p>`;
  const rows = letters.map((letter) => [
    html`<a class="id" href="${pathOf(letter.id)}">${letter.id}</a>`,
    html`<span class="at">${letterTime(letter.timestamp)}</span>`,
    letter.headers.ce_type ?? '',
    letter.headers['dlq-exception-message'] ?? '',
    html`<input type="checkbox" name="id" value="${letter.id}" aria-label="Replay letter ${letter.id}">`,
  ]);
  const isMore = letters.length === LISTED;
  const next = html`<p><a href="/console/dead-letters?after=${letters.at(-1)?.id}">Later letters</a></p>`;
  return html`<form method="get" action="/console/dead-letters/replay">
${table('Messages that cannot be applied, oldest first', ['id', 'time', 'type', 'why', 'replay'], rows)}
<p><button class="primary">Replay the chosen letters…</button></p>
</form>
${isMore && next}
<p class="hint">Replay publishes a letter again, once its cause is fixed. Replayed letters stay listed; one that fails again is a new letter.</p>`;
}

const pathOf = (letter: string) => `/console/dead-letters/${encodeURIComponent(letter)}`;

/** One letter: its headers, and the first 64 KiB of its body. */
export function deadLetterPage({ deadLetters }: Letters): PageDefinition {
  return {
    path: '/console/dead-letters/{id}',
    show: async ({ request, deadline }) => {
      const wanted = String(request.params.id);
      const letter = await withinDeadline(deadline, deadLetters.get(wanted));
      if (letter === undefined) throw noLetter(wanted);
      const { time, headers, body, ...encoding } = letterView(letter);
      const about = Object.entries({ time, ...headers, ...encoding }).filter(([name]) => name !== 'id');
      const isCut = headers['dlq-body-truncated'] === 'true';
      const cut = html`<p class="notice warning">The body is truncated: ${letter.body?.length} of ${headers['dlq-body-bytes']} bytes are kept.</p>`;
      const content = html`${facts(about)}
<h2>Body</h2>
${isCut && cut}
<pre tabindex="0" role="region" aria-label="Body">${body ?? '(no body)'}</pre>
<form method="get" action="/console/dead-letters/replay">
<input type="hidden" name="id" value="${wanted}">
<p><button class="primary">Replay…</button></p>
</form>
<p><a href="/console/dead-letters">All dead letters</a></p>`;
      return { title: `Dead letter ${wanted}`, content };
    },
  };
}

function noLetter(wanted: string): HttpProblem {
  return new HttpProblem('not_found', { detail: `There is no dead letter ${wanted}.` });
}

/** Asks before anything is published. */
export function confirmReplayPage({ deadLetters }: Letters): PageDefinition {
  return {
    path: '/console/dead-letters/replay',
    show: async ({ request, session, deadline }) => {
      const { id: wanted } = parse('query', replayFields, request.query);
      const letters = await withinDeadline(deadline, Promise.all(wanted.map((one) => deadLetters.get(one))));
      const missing = wanted.find((_, i) => letters[i] === undefined);
      if (missing !== undefined) throw noLetter(missing);
      const items = letters.map(
        (letter) =>
          html`<li><span class="id">${letter?.id}</span> ${letter?.headers.ce_type ?? ''}: ${letter?.headers['dlq-exception-message'] ?? 'reason not known'}</li>`,
      );
      const fields = wanted.map((one) => html`<input type="hidden" name="id" value="${one}">`);
      const content = html`<p>${count(wanted.length)} of the dead letters will be published again, with their original bytes and headers. Is their cause fixed?</p>
<ul>${items}</ul>
<form method="post" action="/console/dead-letters/replay">
${formToken(session)}${fields}
<p><button class="primary">Replay ${count(wanted.length)}</button> <a href="/console/dead-letters">Cancel</a></p>
</form>`;
      return { title: 'Replay dead letters?', content };
    },
  };
}

/** As `recency dlq replay` does. @param log is told which letters were replayed */
export function replayAction(
  { deadLetters }: Letters,
  log: (facts: object) => void,
): ActionDefinition<typeof replayFields> {
  return {
    path: '/console/dead-letters/replay',
    fields: replayFields,
    act: async ({ id: wanted }): Promise<View> => {
      const { replayed, missing } = await deadLetters.replay(wanted).catch((error: unknown) => {
        if (!(error instanceof NotReplayable)) throw error;
        throw new HttpProblem('invalid_body', { detail: `${error.message}. Nothing was replayed.` });
      });
      log({ letters: wanted, replayed, missing });
      const asked = new Set(wanted).size;
      const content = html`<p class="notice ${missing.length === 0 ? 'fine' : 'warning'}" role="status">${replayed} of ${asked} were published again.</p>
${missing.length > 0 && html`<p>There is no dead letter ${missing.join(', ')} any more.</p>`}
<p><a href="/console/dead-letters">All dead letters</a></p>`;
      return { title: 'Replayed', content };
    },
  };
}
