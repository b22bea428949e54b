import { z } from 'zod';
import { HttpProblem } from '../../api/http-problem.ts';
import { type Id, idSchema } from '../../contracts/id.ts';
import { type Deadline, withinDeadline } from '../../timing/deadline.ts';
import type { ListedLetter } from '../../transport/dead-letters.ts';
import { type Html, html } from '../html.ts';
import { count, table } from '../parts.ts';
import type { ConsoleSources } from '../sources.ts';

/** Letters of a page. */
export const LISTED = 50;

/** Letters that are looked through for those that match, the oldest first. */
export const LOOKED_THROUGH = 10_000;

/** A field of a form that was not filled in is empty. */
const filled = <S extends z.ZodType>(schema: S) =>
  z.preprocess((text) => (text === '' ? undefined : text), schema.optional());

const id = z.string().min(1).max(64);
/** A form sends one value as text, and several as a list. */
const ids = z.union(
  [id.transform((one) => [one]), z.array(id).min(1).max(LISTED)],
  'choose at least one letter, and at most 50',
);

export const filterFields = {
  /** Part of it. */
  type: filled(z.string().trim().max(64)),
  /** Part of the error's class or message. */
  reason: filled(z.string().trim().max(200)),
  user: filled(idSchema),
};

export interface LetterFilter {
  readonly type?: string | undefined;
  readonly reason?: string | undefined;
  readonly user?: Id | undefined;
}

/** Which letters a form is about: those with these ids, or with `all` every one that matches. */
export const choiceFields = {
  ...filterFields,
  id: ids.optional(),
  all: z.literal('yes').optional(),
  /** Of all that match, those that were set aside until then, ms since 1970 UTC: no later one was shown. */
  until: z.coerce.number().nonnegative().optional(),
};

export interface LetterChoice extends LetterFilter {
  readonly id?: readonly string[] | undefined;
  readonly all?: 'yes' | undefined;
  readonly until?: number | undefined;
}

export type Letters = Pick<ConsoleSources, 'deadLetters'>;
export type ChosenLetter = Pick<ListedLetter, 'id' | 'headers' | 'timestamp'>;

export const isFiltered = ({ type, reason, user }: LetterFilter) => (type ?? reason ?? user) !== undefined;
export const typeOf = ({ headers }: Pick<ListedLetter, 'headers'>) => headers.ce_type ?? 'without a type';
export const reasonOf = ({ headers }: Pick<ListedLetter, 'headers'>) => headers['dlq-exception-message'] ?? '';

/** Those that match, the oldest first. */
export async function matchingLetters(
  { deadLetters }: Letters,
  { type = '', reason = '', user }: LetterFilter,
  deadline: Deadline,
): Promise<ListedLetter[]> {
  const [letters, naming] = await withinDeadline(
    deadline,
    Promise.all([deadLetters.list({ limit: LOOKED_THROUGH }), user === undefined ? user : deadLetters.naming(user)]),
  );
  const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());
  return letters.filter(
    (letter) =>
      has(letter.headers.ce_type ?? '', type) &&
      has(`${letter.headers['dlq-exception-class'] ?? ''} ${reasonOf(letter)}`, reason) &&
      naming?.has(letter.id) !== false,
  );
}

/** @throws HttpProblem 404 when a letter that is named does not exist */
export async function chosenLetters(
  letters: Letters,
  choice: LetterChoice,
  deadline: Deadline,
): Promise<readonly ChosenLetter[]> {
  const { id: wanted, all, until = Number.POSITIVE_INFINITY } = choice;
  if (all !== undefined) {
    const matching = await matchingLetters(letters, choice, deadline);
    return matching.filter(({ timestamp }) => timestamp <= until);
  }
  if (wanted === undefined)
    throw new HttpProblem('invalid_parameter', { detail: 'id: choose at least one letter, and at most 50' });
  const found = await withinDeadline(deadline, Promise.all(wanted.map((one) => letters.deadLetters.get(one))));
  const missing = wanted.find((_, i) => found[i] === undefined);
  if (missing !== undefined) throw noLetter(missing);
  return found.filter((letter) => letter !== undefined);
}

export function noLetter(wanted: string): HttpProblem {
  return new HttpProblem('not_found', { detail: `There is no dead letter ${wanted}.` });
}

/** How many there are of each type. */
export function kindsTable(caption: string, letters: readonly ChosenLetter[]): Html {
  const byType = Map.groupBy(letters, typeOf);
  const rows = [...byType].map(([type, some]) => [type, count(some.length)]);
  return table(caption, ['type', { title: 'letters', isNumber: true }], rows);
}

/** The choice as fields of a form. */
export function choiceInputs(choice: LetterChoice): Html {
  const { id: wanted = [], all, until, type, reason, user } = choice;
  const fields =
    all === undefined ? wanted.map((one) => ['id', one] as const) : Object.entries({ all, until, type, reason, user });
  return html`${fields.map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  )}`;
}
