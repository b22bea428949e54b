import { z } from 'zod';
import { HttpProblem } from '../../api/http-problem.ts';
import { parse } from '../../api/parse.ts';
import { withinDeadline } from '../../timing/deadline.ts';
import { type ListedLetter, letterTime, letterView } from '../../transport/dead-letters.ts';
import type { PageDefinition, Visit } from '../gate.ts';
import { type Html, html } from '../html.ts';
import { exactTime, formToken, time } from '../layout.ts';
import { count, facts, part, partDeadline, table } from '../parts.ts';
import {
  choiceFields,
  choiceInputs,
  chosenLetters,
  filterFields,
  isFiltered,
  kindsTable,
  type LetterFilter,
  type Letters,
  LISTED,
  LOOKED_THROUGH,
  matchingLetters,
  noLetter,
  reasonOf,
} from './letter-choice.ts';

const listQuery = z.strictObject({ ...filterFields, after: z.string().min(1).max(64).optional() });
type ListQuery = z.output<typeof listQuery>;

/** One page of letters. `matching`: how many match in all; undefined: nobody counted them. */
interface LetterPage {
  readonly letters: readonly ListedLetter[];
  readonly matching: number | undefined;
}

/** Dead letters, oldest first. */
export function deadLettersPage(letters: Letters): PageDefinition {
  return {
    path: '/console/dead-letters',
    show: async ({ request, deadline, now }) => {
      const asked = parse('query', listQuery, request.query);
      const read = () => pageOf(letters, asked, partDeadline(deadline)).catch(refuseId);
      const content = html`${filterForm(asked)}${await part(read, (found) => listed(found, asked, now))}`;
      return { title: 'Dead letters', content };
    },
  };
}

async function pageOf(letters: Letters, asked: ListQuery, deadline: Visit['deadline']): Promise<LetterPage> {
  const { after } = asked;
  if (!isFiltered(asked)) {
    const options = { limit: LISTED, ...(after === undefined ? {} : { after }) };
    return { letters: await withinDeadline(deadline, letters.deadLetters.list(options)), matching: undefined };
  }
  const matching = await matchingLetters(letters, asked, deadline);
  const from = matching.findIndex(({ id }) => id === after) + 1;
  return { letters: matching.slice(from, from + LISTED), matching: matching.length };
}

function refuseId(error: unknown): never {
  throw error instanceof RangeError
    ? new HttpProblem('invalid_parameter', { detail: `after: ${error.message}` })
    : error;
}

function filterForm({ type = '', reason = '', user = '' }: LetterFilter): Html {
  return html`<form method="get" action="/console/dead-letters" class="search" role="search">
<p><label for="type">Type</label><input id="type" name="type" value="${type}"></p>
<p><label for="reason">Why</label><input id="reason" name="reason" value="${reason}"></p>
<p><label for="user">User</label><input id="user" name="user" value="${user}"></p>
<p><button class="primary">Filter</button> ${isFiltered({ type: type || undefined, reason: reason || undefined, user: user || undefined }) && html`<a href="/console/dead-letters">Show all</a>`}</p>
</form>`;
}

function listed({ letters, matching }: LetterPage, asked: ListQuery, now: number): Html {
  const { after, ...filter } = asked;
  if (letters.length === 0) {
    if (isFiltered(filter)) return html`<p>No ${after !== undefined && 'further '}dead letter matches.</p>`;
    return html`<p>There are no ${after !== undefined && 'further '}dead letters: every message could be applied.</p>`;
  }
  const rows = letters.map((letter) => [
    html`<input type="checkbox" name="id" value="${letter.id}" aria-label="Choose letter ${letter.id}">`,
    html`<a class="id" href="${pathOf(letter.id)}">${letter.id}</a>`,
    time(timeOf(letter), now),
    letter.headers.ce_type ?? '',
    reasonOf(letter),
  ]);
  const heading =
    matching === undefined ? 'Messages that cannot be applied' : `Messages that match (${count(matching)})`;
  return html`<form method="get" action="/console/dead-letters/replay" data-choices>
${table(`${heading}, the oldest first`, ['choose', 'id', 'time', 'type', 'why'], rows)}
<p class="buttons"><button class="primary">Replay the chosen letters…</button> ${discardButton('Discard the chosen letters…')}</p>
</form>
${allForm(filter, matching)}
${letters.length === LISTED && laterLetters(filter, letters)}
<p class="hint">Replay publishes a letter again, once its cause is fixed; one that fails again is a new letter, which gives both reasons. Discard keeps a reason. Both are listed no longer.</p>`;
}

/** About all that match, of which only some are on the page. */
function allForm(filter: LetterFilter, matching: number | undefined): Html {
  const some = matching === 1 ? 'the one that matches' : `all ${count(matching ?? 0)} that match`;
  const which = matching === undefined ? 'all letters' : some;
  return html`<form method="get" action="/console/dead-letters/replay">${choiceInputs({ ...filter, all: 'yes' })}
<p class="buttons"><button>Replay ${which}…</button> ${discardButton(`Discard ${which}…`)}</p>
</form>`;
}

function laterLetters(filter: LetterFilter, letters: readonly ListedLetter[]): Html {
  const query = new URLSearchParams(Object.entries({ ...filter, after: letters.at(-1)?.id }).flatMap(given));
  return html`<p><a href="/console/dead-letters?${query.toString()}">Later letters</a></p>`;
}

function given([name, value]: readonly [string, string | undefined]): [string, string][] {
  return value === undefined ? [] : [[name, value]];
}

/** ms since 1970 UTC; capped at what a date can hold. */
const timeOf = ({ timestamp }: Pick<ListedLetter, 'timestamp'>) => Date.parse(letterTime(timestamp));

/** Leads a form about letters to the question whether to discard them. */
function discardButton(text: string): Html {
  return html`<button formaction="/console/dead-letters/discard">${text}</button>`;
}

const pathOf = (letter: string) => `/console/dead-letters/${encodeURIComponent(letter)}`;

/** One letter: its headers, and the first 64 KiB of its body. */
export function deadLetterPage({ deadLetters }: Letters): PageDefinition {
  return {
    path: '/console/dead-letters/{id}',
    show: async ({ request, deadline, now }) => {
      const wanted = String(request.params.id);
      const letter = await withinDeadline(deadline, deadLetters.get(wanted));
      if (letter === undefined) throw noLetter(wanted);
      const { time: _, headers, body, ...encoding } = letterView(letter);
      const about = Object.entries({ ...headers, ...encoding }).filter(([name]) => name !== 'id');
      const at = timeOf(letter);
      const isCut = headers['dlq-body-truncated'] === 'true';
      const cut = html`<p class="notice warning">The body is truncated: ${letter.body?.length} of ${headers['dlq-body-bytes']} bytes are kept.</p>`;
      const content = html`${facts([['set aside', html`${time(at, now)}, at ${exactTime(at)}`], ...about])}
<h2>Body</h2>
${isCut && cut}
<pre tabindex="0" role="region" aria-label="Body">${body ?? '(no body)'}</pre>
<form method="get" action="/console/dead-letters/replay">
<input type="hidden" name="id" value="${wanted}">
<p class="buttons"><button class="primary">Replay…</button> ${discardButton('Discard…')}</p>
</form>
<p><a href="/console/dead-letters">All dead letters</a></p>`;
      return { title: `Dead letter ${wanted}`, content };
    },
  };
}

/** Asks before anything is published. */
export function confirmReplayPage(letters: Letters): PageDefinition {
  return {
    path: '/console/dead-letters/replay',
    show: async (visit) => {
      const { number, summary, fields } = await chosen(letters, visit);
      const content = html`<p>${number} of the dead letters will be published again, with their original bytes and headers. Is their cause fixed?</p>
${summary}
<form method="post" action="/console/dead-letters/replay">
${fields}
<p class="buttons"><button class="primary">Replay ${number}</button> <a href="/console/dead-letters">Cancel</a></p>
</form>`;
      return { title: 'Replay dead letters?', content };
    },
  };
}

/** Asks why before anything is discarded. */
export function confirmDiscardPage(letters: Letters): PageDefinition {
  return {
    path: '/console/dead-letters/discard',
    show: async (visit) => {
      const { number, summary, fields } = await chosen(letters, visit);
      const content = html`<p>${number} of the dead letters will be listed no longer. What they ask for is not done.</p>
${summary}
<form method="post" action="/console/dead-letters/discard">
${fields}
<p><label for="why">Why? It is kept.</label> <input id="why" name="why" required maxlength="1000"></p>
<p class="buttons"><button class="primary">Discard ${number}</button> <a href="/console/dead-letters">Cancel</a></p>
</form>`;
      return { title: 'Discard dead letters?', content };
    },
  };
}

const confirmQuery = z.object(choiceFields);

/** How many of the letters are listed before somebody agrees. */
const SHOWN = 20;

/** The letters that the query names, to look at and as fields of a form. */
async function chosen(letters: Letters, { request, session, deadline }: Visit) {
  const choice = parse('query', confirmQuery, request.query);
  const found = await chosenLetters(letters, choice, deadline);
  if (found.length === 0) throw new HttpProblem('not_found', { detail: 'No dead letter matches.' });
  const items = found
    .slice(0, SHOWN)
    .map(
      (letter) =>
        html`<li><span class="id">${letter.id}</span> ${letter.headers.ce_type ?? ''}: ${reasonOf(letter) || 'reason not known'}</li>`,
    );
  const rest = found.length - items.length;
  const isAsMany = found.length === LOOKED_THROUGH;
  const summary = html`${kindsTable('By type', found)}
<ul>${items}${rest > 0 && html`<li>and ${count(rest)} more</li>`}</ul>
${isAsMany && html`<p class="hint">The oldest ${count(LOOKED_THROUGH)} letters were looked through; there may be more.</p>`}`;
  const until = Math.max(...found.map(({ timestamp }) => timestamp));
  const fields = html`${formToken(session)}${choiceInputs({ ...choice, until })}<input type="hidden" name="count" value="${found.length}">`;
  return { number: count(found.length), summary, fields };
}
