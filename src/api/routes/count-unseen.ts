import { z } from 'zod';
import { answerParameters } from '../../contracts/answer-parameters.ts';
import { answerSchema, noRelation, relationParameter } from '../../contracts/http.ts';
import { idSchema } from '../../contracts/id.ts';
import { CONTACTS, type Kind } from '../../contracts/kind.ts';
import { countOverKinds } from '../../query/over-kinds.ts';
import type { Site } from '../../site/site.ts';
import { answerReplies, answerReply, answerRequestHeaders } from '../answer-reply.ts';
import type { ApiDependencies, KindAnswers } from '../dependencies.ts';
import { freshHeaders, readFresh } from '../fresh.ts';
import { HttpProblem } from '../http-problem.ts';
import type { ApiMetrics } from '../metrics.ts';
import { parse } from '../parse.ts';
import { capitalized, type HttpOperation, type Route, whereInUse } from '../route.ts';
import { shownSources } from '../views.ts';

/** Counting ends here: a badge shows "99+". */
const MOST = 100;

const params = z.strictObject({ user: idSchema });

function queryOf({ hasRelations }: Pick<Kind, 'hasRelations'>, { relations }: Pick<Site, 'relations'>) {
  return z.strictObject({ relation: hasRelations ? relationParameter(relations) : noRelation, ...answerParameters });
}

const unseenSchema = z
  .strictObject({
    user: idSchema,
    count: z.int().min(0).max(MOST).meta({ description: 'How many have something that is new to the user.' }),
    at_least: z.boolean().meta({ description: 'There are more than `count`.' }),
    answer: answerSchema,
  })
  .meta({ id: 'Unseen' });

const common = {
  method: 'get',
  scope: 'read',
  tag: 'seen',
  params,
  headers: answerRequestHeaders.extend(freshHeaders.shape),
  replies: answerReplies('The count.', unseenSchema),
} as const;

function operationOf(kind: Kind, query: z.ZodObject): HttpOperation {
  const { name } = kind;
  return {
    ...common,
    id: `countUnseen${capitalized(name)}`,
    path: `/v1/users/{user}/${name}/unseen`,
    summary: `How many ${name} have something new`,
    description: `Counted up to ${MOST}. They are the rows of \`…/${name}/recent?unseen=true\`, so \`answer.through\` covers all of them.${whereInUse(kind)}`,
    query,
    ...(name === CONTACTS.name ? {} : { problems: [404] }),
  };
}

const operationOfAll: HttpOperation = {
  ...common,
  id: 'countUnseen',
  path: '/v1/users/{user}/unseen',
  summary: 'How many sources of every kind have something new',
  description: `The sum over the kinds in use, up to ${MOST}. \`answer\` says what holds for all of them: the index answered if it did for each, and the floor is the highest. \`answer.through\` covers every kind.`,
  query: queryOf({ hasRelations: false }, { relations: [] }),
};

/** @param counted undefined: the kind is not in use */
export function countUnseenRoute(
  kind: Kind,
  counted: KindAnswers | undefined,
  { fresh, site }: Pick<ApiDependencies, 'fresh' | 'site'>,
  metrics: ApiMetrics,
): Route {
  const query = queryOf(kind, site);
  return routeOf(operationOf(kind, query), counted === undefined ? [] : [counted], query, { fresh, metrics });
}

/** @param counted every kind in use */
export function countUnseenOfAllRoute(
  counted: readonly KindAnswers[],
  fresh: ApiDependencies['fresh'],
  metrics: ApiMetrics,
): Route {
  return routeOf(operationOfAll, counted, queryOf({ hasRelations: false }, { relations: [] }), { fresh, metrics });
}

function routeOf(
  operation: HttpOperation,
  counted: readonly KindAnswers[],
  query: ReturnType<typeof queryOf>,
  { fresh, metrics }: { readonly fresh: ApiDependencies['fresh']; readonly metrics: ApiMetrics },
): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      if (counted.length === 0) throw new HttpProblem('not_found');
      const { user } = parse('path', params, request.params);
      const { relation, since, consistency, max_lag } = parse('query', query, request.query);
      const page = { user, relation, limit: MOST, below: undefined, unseen: true, deadline };
      const found = await readFresh(fresh, request, { user, deadline }, (freshness) =>
        countOverKinds(
          counted.map(({ recentContacts }) => recentContacts),
          { ...page, since, consistency, maxLagMs: max_lag, freshness },
        ),
      );
      const lists = counted.map(({ kind }, i) => {
        const { [i]: answer } = found.answers;
        if (answer !== undefined) metrics.countAnswer(kind.name, answer);
        return shownSources(kind.name, answer?.contacts ?? []);
      });
      const { count, atLeast } = found;
      const shown: Omit<z.input<typeof unseenSchema>, 'answer'> = { user, count, at_least: atLeast };
      return answerReply(request, shown, lists, found);
    },
  };
}
