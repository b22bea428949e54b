import { z } from 'zod';
import { HttpProblem } from '../../api/http-problem.ts';
import { parse } from '../../api/parse.ts';
import { explanationView } from '../../api/routes/explain.ts';
import { indexView } from '../../api/routes/user-index.ts';
import { type Id, idSchema } from '../../contracts/id.ts';
import { KIND_NAMES } from '../../contracts/kind.ts';
import type { Deadline } from '../../timing/deadline.ts';
import type { PageDefinition, Visit } from '../gate.ts';
import { type Html, html } from '../html.ts';
import type { View } from '../layout.ts';
import { badge, facts, part, partDeadline, prose } from '../parts.ts';
import type { ConsoleKind, ConsoleSources } from '../sources.ts';
import { comparisonTable } from './comparison.ts';
import { rebuildForm } from './rebuild.ts';

/** An empty field of a form is one that was not filled in. */
const filled = <S extends z.ZodType>(schema: S) =>
  z.preprocess((text) => (text === '' ? undefined : text), schema.optional());

const query = z.strictObject({ user: filled(idSchema), contact: filled(idSchema), kind: filled(z.enum(KIND_NAMES)) });

interface UserQuery {
  readonly user?: Id | undefined;
  readonly contact?: Id | undefined;
  readonly kind?: string | undefined;
}

/** A user's index beside plain SQL, and why a contact is, or is not, in it. */
export function userPage({ kinds, max }: ConsoleSources): PageDefinition {
  return {
    path: '/console/user',
    show: async (visit) => {
      try {
        const asked = parse('query', query, visit.request.query);
        return await userView({ kinds, max }, asked, visit);
      } catch (error) {
        if (!(error instanceof HttpProblem && error.status === 400)) throw error;
        const wrong = html`<p class="notice problem" role="alert">${error.message}</p>`;
        return { title: 'User', status: 400, content: html`${wrong}${searchForm(kinds, {})}` };
      }
    },
  };
}

async function userView(
  { kinds, max }: Pick<ConsoleSources, 'kinds' | 'max'>,
  asked: UserQuery,
  { deadline, session }: Visit,
): Promise<View> {
  const { user, contact, kind: name } = asked;
  const of = name === undefined ? kinds[0] : kinds.find(({ kind }) => kind.name === name);
  if (of === undefined) throw new HttpProblem('invalid_parameter', { detail: `kind: ${name} is not in use` });
  const form = searchForm(kinds, { ...asked, kind: of.kind.name });
  if (user === undefined) return { title: 'User', content: html`${form}<p class="hint">Enter the id of a user.</p>` };
  const within = partDeadline(deadline);
  const [explained, inspected, compared] = await Promise.all([
    contact !== undefined &&
      part(
        () => explain(of, user, contact, within),
        (text) => text,
      ),
    part(
      () => of.inspect(user, within),
      (found) => indexFacts(indexView(found)),
    ),
    part(
      () => of.compare(user, within),
      (found) => comparisonTable(found, of.kind, max),
    ),
  ]);
  return {
    title: `User ${user}`,
    content: html`${form}${explained}<h2>Index of ${of.kind.name}</h2>${inspected}${rebuildForm([{ kind: of.kind.name, user }], session)}${compared}`,
  };
}

function searchForm(kinds: readonly ConsoleKind[], { user = '', contact = '', kind }: UserQuery): Html {
  const options = kinds.map(({ kind: { name } }) => html`<option${name === kind && html` selected`}>${name}</option>`);
  const choice =
    kinds.length > 1 && html`<p><label for="kind">Kind</label><select id="kind" name="kind">${options}</select></p>`;
  return html`<form method="get" action="/console/user" class="search" role="search">
<p><label for="user">User</label><input id="user" name="user" inputmode="numeric" required value="${user}"></p>
<p><label for="contact">Explain contact (optional)</label><input id="contact" name="contact" inputmode="numeric" value="${contact}"></p>
${choice}
<p><button class="primary">Show</button></p>
</form>`;
}

function indexFacts(index: ReturnType<typeof indexView>): Html {
  const { state, epoch_current, size, complete, floor, last_used_on, changes_left } = index;
  const isGood = state === 'warm' && epoch_current === true;
  const epoch = epoch_current === false ? ' of another epoch: it counts as cold' : '';
  return facts([
    ['State', html`${badge(isGood || state === 'small' ? 'fine' : 'warning', state)}${epoch}`],
    ['Size', size],
    ['Floor', floor === null ? (complete ? 'none: nobody was ever left out' : 'none') : `${floor.at}, ${floor.id}`],
    ['Last used on', last_used_on ?? 'not known'],
    ['Changes left', changes_left ?? 'no end'],
  ]);
}

async function explain(of: ConsoleKind, user: Id, contact: Id, deadline: Deadline): Promise<Html> {
  const { singular } = of.kind;
  const view = explanationView(await of.explain(user, contact, deadline));
  const { verdict, drift, breaks, answer, mysql, index } = view;
  const source = answer.reason === undefined ? answer.source : `${answer.source}: ${answer.reason}`;
  const row =
    mysql === null
      ? 'no row for the pair'
      : [
          mysql.related ? ['related', ...(mysql.relation ?? [])].join(', ') : 'not related',
          `last upload ${mysql.last_upload_at ?? 'none'}`,
          `place ${mysql.place ?? 'none'}`,
          `sees ${mysql.sees.length === 0 ? 'no audience' : `audiences ${mysql.sees.join(', ')}`}`,
          `version ${mysql.version}`,
        ].join('; ');
  return html`<section aria-labelledby="explain"><h2 id="explain">Why ${singular} ${contact} is, or is not, there</h2>
<p class="notice ${drift === null ? 'fine' : 'problem'}">${prose(verdict.sentence)}</p>
${facts([
  ...(drift === null ? [] : [['Drift', html`${badge('problem', drift)} ${breaks ?? ''}`] as const]),
  ['Answer', prose(`${answer.verdict.sentence} (From the ${source}.)`)],
  ['MySQL', row],
  ['Index', `${index.state}; entry ${index.last_upload_at ?? 'none'}`],
])}</section>`;
}
