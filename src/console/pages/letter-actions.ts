import { z } from 'zod';
import { HttpProblem } from '../../api/http-problem.ts';
import type { Deadline } from '../../timing/deadline.ts';
import { NotReplayable } from '../../transport/dead-letters.ts';
import type { ActionDefinition } from '../gate.ts';
import { html } from '../html.ts';
import type { View } from '../layout.ts';
import { count, table } from '../parts.ts';
import {
  type ChosenLetter,
  choiceFields,
  chosenLetters,
  type LetterChoice,
  type Letters,
  typeOf,
} from './letter-choice.ts';

/** Letters that are replayed or discarded in one call. */
const AT_ONCE = 100;

/** `count`: how many of all that match were shown. */
const replayFields = z.object({ ...choiceFields, count: z.coerce.number().optional() });
const discardFields = replayFields.extend({
  why: z.string().trim().min(1, 'say why they are discarded').max(1_000, 'use at most 1,000 characters'),
});

/** What became of a letter. `undefined`: its turn did not come. */
type LetterOutcome = 'done' | 'missing' | { readonly refused: string } | undefined;

/** As `recency dlq replay` does. @param log is told which letters were replayed */
export function replayAction(letters: Letters, log: (facts: object) => void): ActionDefinition<typeof replayFields> {
  return {
    path: '/console/dead-letters/replay',
    fields: replayFields,
    act: async (choice, { deadline }) => {
      const chosen = await confirmed(letters, choice, deadline);
      const outcomes = await inTurn(chosen, deadline, (some) => replayed(letters, some));
      log({ replayed: idsOf(outcomes, 'done'), missing: idsOf(outcomes, 'missing') });
      return outcomeView('Replayed', 'were published again', outcomes);
    },
  };
}

/** As `recency dlq discard` does. @param log is told which letters were discarded, and why */
export function discardAction(letters: Letters, log: (facts: object) => void): ActionDefinition<typeof discardFields> {
  return {
    path: '/console/dead-letters/discard',
    fields: discardFields,
    act: async ({ why, ...choice }, { deadline }) => {
      const chosen = await confirmed(letters, choice, deadline);
      const outcomes = await inTurn(chosen, deadline, async (some) => {
        const { missing } = await letters.deadLetters.discard(some, why);
        return new Map(some.map((id) => [id, missing.includes(id) ? 'missing' : 'done'] as const));
      });
      log({ discarded: idsOf(outcomes, 'done'), missing: idsOf(outcomes, 'missing'), why });
      return outcomeView('Discarded', `were discarded: ${why}`, outcomes);
    },
  };
}

/** Of all that match, no more than somebody has agreed to. Those that are named may have gone since: that is told of each. */
async function confirmed(
  letters: Letters,
  choice: LetterChoice & { readonly count?: number | undefined },
  deadline: Deadline,
): Promise<readonly ChosenLetter[]> {
  const { id: wanted, all, count: agreed = 0 } = choice;
  if (all === undefined && wanted !== undefined) {
    const find = async (id: string) => (await letters.deadLetters.get(id)) ?? { id, headers: {}, timestamp: 0 };
    return await Promise.all([...new Set(wanted)].map(find));
  }
  const chosen = await chosenLetters(letters, choice, deadline);
  if (chosen.length <= agreed) return chosen;
  const detail = `${count(chosen.length)} letters match by now, and not ${count(agreed)}. Look at them again.`;
  throw new HttpProblem('invalid_body', { detail });
}

type Outcomes = ReadonlyMap<ChosenLetter, LetterOutcome>;

/** Goes on until the time of the request is over. */
async function inTurn(
  chosen: readonly ChosenLetter[],
  deadline: Deadline,
  act: (ids: readonly string[]) => Promise<ReadonlyMap<string, LetterOutcome>>,
): Promise<Outcomes> {
  const outcomes = new Map<ChosenLetter, LetterOutcome>(chosen.map((letter) => [letter, undefined]));
  for (let from = 0; from < chosen.length && deadline.leftMs > 0; from += AT_ONCE) {
    const some = chosen.slice(from, from + AT_ONCE);
    const found = await act(some.map(({ id }) => id));
    for (const letter of some) outcomes.set(letter, found.get(letter.id));
  }
  return outcomes;
}

/** One letter that cannot be replayed refuses all that are sent with it, so they are sent one by one then. */
async function replayed(letters: Letters, ids: readonly string[]): Promise<Map<string, LetterOutcome>> {
  try {
    const { missing } = await letters.deadLetters.replay(ids);
    return new Map(ids.map((id) => [id, missing.includes(id) ? 'missing' : 'done']));
  } catch (error) {
    if (!(error instanceof NotReplayable)) throw error;
    if (ids.length === 1) return new Map(ids.map((id) => [id, { refused: error.message }]));
    const outcomes = new Map<string, LetterOutcome>();
    for (const id of ids) outcomes.set(id, (await replayed(letters, [id])).get(id));
    return outcomes;
  }
}

const idsOf = (outcomes: Outcomes, wanted: LetterOutcome) =>
  [...outcomes].filter(([, outcome]) => outcome === wanted).map(([{ id }]) => id);

const isRefused = (outcome: LetterOutcome) => typeof outcome === 'object';

function outcomeView(title: string, what: string, outcomes: Outcomes): View {
  const done = idsOf(outcomes, 'done').length;
  const missing = idsOf(outcomes, 'missing');
  const left = idsOf(outcomes, undefined).length;
  const refused = [...outcomes.values()].filter((outcome) => typeof outcome === 'object');
  const state = done === outcomes.size ? 'fine' : 'warning';
  const rows = [...Map.groupBy(outcomes, ([letter]) => typeOf(letter))].map(([type, some]) => {
    const counted = (is: (outcome: LetterOutcome) => boolean) =>
      count(some.filter(([, outcome]) => is(outcome)).length);
    return [
      type,
      count(some.length),
      counted((one) => one === 'done'),
      counted((one) => one === 'missing'),
      counted(isRefused),
    ];
  });
  const columns = ['type', ...['chosen', 'done', 'gone', 'refused'].map((name) => ({ title: name, isNumber: true }))];
  const content = html`<p class="notice ${state}" role="status">${count(done)} of ${count(outcomes.size)} ${what}${what.includes(':') ? '' : '.'}</p>
${missing.length > 0 && html`<p>There is no dead letter ${missing.slice(0, 10).join(', ')}${missing.length > 10 && ', …'} any more.</p>`}
${refused.length > 0 && html`<p class="notice problem">${refused[0]?.refused}${refused.length > 1 && `; so ${count(refused.length - 1)} more`}.</p>`}
${left > 0 && html`<p class="notice warning">The time of the request was over before ${count(left)} of them: do it again.</p>`}
${table('By type', columns, rows)}
<p><a href="/console/dead-letters">All dead letters</a></p>`;
  return { title, content };
}
