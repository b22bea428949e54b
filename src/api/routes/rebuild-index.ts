import { z } from 'zod';
import { idSchema } from '../../contracts/id.ts';
import type { Kind } from '../../contracts/kind.ts';
import type { KindIndexes } from '../dependencies.ts';
import { HttpProblem, unavailableProblem } from '../http-problem.ts';
import { indexSchema, indexView } from '../index-view.ts';
import { capitalized, problemsWhereUnused, whereInUse } from '../kind-texts.ts';
import { parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const params = z.strictObject({ user: idSchema });
const query = z.strictObject({});

const common = {
  method: 'post',
  scope: 'admin',
  tag: 'indexes',
  params,
  query,
  replies: {
    200: {
      description: 'The index after the rebuild; cold if MySQL has nothing for the user.',
      schema: indexSchema,
    },
  },
} as const;

function operationOf(kind: Kind): HttpOperation {
  const { name } = kind;
  const { problems = [] } = problemsWhereUnused(kind);
  return {
    ...common,
    id: `rebuild${capitalized(name)}Index`,
    path: `/v1/users/{user}/${name}/index/rebuild`,
    summary: `Rebuilds a user's index of ${name} from MySQL`,
    description: `The user's other indexes stay as they are.${whereInUse(kind)}`,
    problems: [...problems, 409],
  };
}

const operationOfContacts: HttpOperation = {
  ...common,
  id: 'rebuildIndex',
  path: '/v1/users/{user}/index/rebuild',
  summary: "Rebuilds a user's index of contacts from MySQL",
  description: 'The same as `…/contacts/index/rebuild`.',
  problems: [409],
};

/** @param indexes undefined: the kind is not in use */
export function rebuildIndexRoute(kind: Kind, indexes: KindIndexes | undefined): Route {
  return routeOf(operationOf(kind), indexes);
}

/** The route from before there were kinds. @param indexes undefined: contacts are not in use */
export function rebuildContactsRoute(indexes: KindIndexes | undefined): Route {
  return routeOf(operationOfContacts, indexes);
}

function routeOf(operation: HttpOperation, indexes: KindIndexes | undefined): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      if (indexes === undefined) throw new HttpProblem('not_found');
      const { user } = parse('path', params, request.params);
      parse('query', query, request.query);
      const { obstructed, unsettled, forgotten, suspended, slow } = await indexes.rebuild(user, deadline);
      if (obstructed.length > 0) throw new HttpProblem('key_in_the_way');
      if (suspended.length > 0) throw unavailableProblem('epoch_suspended');
      if (slow.length > 0) throw unavailableProblem('index_slow');
      if (unsettled.length > 0 || forgotten.length > 0) throw unavailableProblem('contended');
      return json(200, indexView(await indexes.inspect(user, deadline)));
    },
  };
}
