import { z } from 'zod';
import { idSchema } from '../../contracts/id.ts';
import type { Kind } from '../../contracts/kind.ts';
import type { KindIndexes } from '../dependencies.ts';
import { HttpProblem } from '../http-problem.ts';
import { indexSchema, indexView } from '../index-view.ts';
import { capitalized, problemsWhereUnused, whereInUse } from '../kind-texts.ts';
import { parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const params = z.strictObject({ user: idSchema });
const query = z.strictObject({});

const NO_USE = 'Does not count as use, so it does not keep the index from being dropped as idle.';

const common = {
  method: 'get',
  scope: 'admin',
  tag: 'indexes',
  params,
  query,
  replies: { 200: { description: 'The index; its state says if there is none.', schema: indexSchema } },
} as const;

function operationOf(kind: Kind): HttpOperation {
  const { name } = kind;
  return {
    ...common,
    id: `inspect${capitalized(name)}Index`,
    path: `/v1/users/{user}/${name}/index`,
    summary: `A user's index of ${name} as it is`,
    description: `${NO_USE}${whereInUse(kind)}`,
    ...problemsWhereUnused(kind),
  };
}

const operationOfContacts: HttpOperation = {
  ...common,
  id: 'inspectIndex',
  path: '/v1/users/{user}/index',
  summary: "A user's index of contacts as it is",
  description: `The same as \`…/contacts/index\`. ${NO_USE}`,
};

/** @param inspect undefined: the kind is not in use */
export function inspectIndexRoute(kind: Kind, inspect: KindIndexes['inspect'] | undefined): Route {
  return routeOf(operationOf(kind), inspect);
}

/** The route from before there were kinds. @param inspect undefined: contacts are not in use */
export function inspectContactsRoute(inspect: KindIndexes['inspect'] | undefined): Route {
  return routeOf(operationOfContacts, inspect);
}

function routeOf(operation: HttpOperation, inspect: KindIndexes['inspect'] | undefined): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      if (inspect === undefined) throw new HttpProblem('not_found');
      const { user } = parse('path', params, request.params);
      parse('query', query, request.query);
      return json(200, indexView(await inspect(user, deadline)));
    },
  };
}
