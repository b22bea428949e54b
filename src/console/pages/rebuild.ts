import { z } from 'zod';
import { HttpProblem, problemOf } from '../../api/http-problem.ts';
import { type Id, idSchema } from '../../contracts/id.ts';
import type { RebuildReport } from '../../index/rebuild.ts';
import { type Deadline, RequestCancelled } from '../../timing/deadline.ts';
import type { ActionDefinition } from '../gate.ts';
import { type Html, html } from '../html.ts';
import { formToken } from '../layout.ts';
import { badge, table } from '../parts.ts';
import type { Session } from '../sessions.ts';
import type { ConsoleKind, ConsoleSources } from '../sources.ts';

const PATH = '/console/user/rebuild';

/** Indexes of one form. */
const MOST = 100;

/** An index that a form names: `contacts:42`. */
interface NamedIndex {
  readonly kind: string;
  readonly user: Id;
}

/** Rebuilds these at once, without asking: an index of the present rows is never wrong. */
export function rebuildForm(indexes: readonly NamedIndex[], session: Session): Html {
  const fields = indexes
    .slice(0, MOST)
    .map(({ kind, user }) => html`<input type="hidden" name="index" value="${kind}:${user}">`);
  const [only] = indexes;
  const name = indexes.length === 1 && only !== undefined ? `Rebuild the index of ${only.user}` : undefined;
  return html`<form method="post" action="${PATH}">${formToken(session)}${fields}<button${
    name !== undefined && html` aria-label="${name}"`
  }>${indexes.length === 1 ? 'Rebuild' : `Rebuild these ${indexes.length}`}</button></form>`;
}

const named = z.string().transform((text, context): NamedIndex => {
  const [, kind = '', user] = /^(\w+):(.*)$/.exec(text) ?? [];
  const id = idSchema.safeParse(user);
  if (id.success) return { kind, user: id.data };
  context.addIssue({ code: 'custom', message: 'must be a kind and a user, such as contacts:42' });
  return z.NEVER;
});

const rebuildFields = z.object({
  index: z.union([named.transform((one) => [one]), z.array(named).min(1).max(MOST)], 'name at least one index'),
});

/** As `POST /v1/users/{user}/…/index/rebuild` does. @param log is told which indexes, and what became of them */
export function rebuildAction(
  { kinds }: Pick<ConsoleSources, 'kinds'>,
  log: (facts: object) => void,
): ActionDefinition<typeof rebuildFields> {
  return {
    path: PATH,
    fields: rebuildFields,
    act: async ({ index: indexes }, { deadline }) => {
      const outcomes: { readonly index: NamedIndex; readonly outcome: string }[] = [];
      for (const index of indexes) outcomes.push({ index, outcome: await rebuilt(kinds, index, deadline) });
      log({ indexes: outcomes.map(({ index: { kind, user }, outcome }) => `${kind}:${user}: ${outcome}`) });
      const rows = outcomes.map(({ index: { kind, user }, outcome }) => [
        html`<a class="id" href="/console/user?user=${user}&amp;kind=${kind}">${user}</a>`,
        kind,
        badge(GOOD.has(outcome) ? 'fine' : 'warning', outcome),
      ]);
      const content = html`<div role="status">${table('Indexes that were to be rebuilt', ['user', 'kind', 'outcome'], rows)}</div>
<p><a href="/console/drift">Drift</a></p>`;
      return { title: 'Rebuilt', content };
    },
  };
}

/** One that fails does not keep the others from being rebuilt. */
async function rebuilt(kinds: readonly ConsoleKind[], { kind, user }: NamedIndex, deadline: Deadline): Promise<string> {
  const of = kinds.find((one) => one.kind.name === kind);
  if (of === undefined) throw new HttpProblem('invalid_body', { detail: `index: ${kind} is not in use` });
  if (deadline.leftMs === 0) return NO_TIME;
  try {
    return outcomeOf(await of.rebuild(user, deadline));
  } catch (error) {
    const { code, message } = problemOf(error);
    if (code === 'internal' || error instanceof RequestCancelled) throw error;
    return message;
  }
}

const NO_TIME = 'not begun: the time of the request was over';
const REBUILT = 'rebuilt';
const SMALL = 'none is kept: few contacts';
const GOOD: ReadonlySet<string> = new Set([REBUILT, SMALL]);

function outcomeOf({ small, obstructed, suspended, slow, unsettled, forgotten }: RebuildReport): string {
  if (obstructed.length > 0) return 'a key of the wrong type is in the way';
  if (suspended.length > 0) return 'not now: the epoch is suspended';
  if (slow.length > 0) return 'later: a consumer builds it';
  if (unsettled.length > 0 || forgotten.length > 0) return 'changed at the same time: try again';
  return small.length > 0 ? SMALL : REBUILT;
}
