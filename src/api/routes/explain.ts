import { z } from 'zod';
import { idSchema } from '../../contracts/id.ts';
import type { Kind } from '../../contracts/kind.ts';
import type { KindIndexes } from '../dependencies.ts';
import { explanationSchema, explanationView } from '../explanation-view.ts';
import { HttpProblem } from '../http-problem.ts';
import { capitalized, problemsWhereUnused, whereInUse } from '../kind-texts.ts';
import { parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const query = z.strictObject({});

function operationOf(kind: Kind, params: z.ZodObject): HttpOperation {
  const { name, singular } = kind;
  return {
    id: `explain${capitalized(singular)}`,
    method: 'get',
    path: `/v1/users/{user}/${name}/{${singular}}/explain`,
    scope: 'read',
    tag: 'answers',
    summary: `Why a ${singular} is, or is not, in the user's index and answer`,
    description: `Costs as much as a plain query, because it counts who was active more recently.${whereInUse(kind)}`,
    params,
    query,
    replies: { 200: { description: 'The explanation.', schema: explanationSchema(kind) } },
    ...problemsWhereUnused(kind),
  };
}

/** @param explain undefined: the kind is not in use */
export function explainRoute(kind: Kind, explain: KindIndexes['explain'] | undefined): Route {
  const ids = { user: idSchema, [kind.singular]: idSchema };
  const params = z.strictObject(ids);
  return {
    operation: operationOf(kind, params),
    handle: async (request, deadline) => {
      if (explain === undefined) throw new HttpProblem('not_found');
      const { user = '', [kind.singular]: explained = '' } = parse('path', params, request.params);
      parse('query', query, request.query);
      return json(200, explanationView(await explain(user, explained, deadline)));
    },
  };
}
