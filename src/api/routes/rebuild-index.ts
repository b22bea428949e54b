import { z } from 'zod';
import { idSchema } from '../../contracts/id.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { HttpProblem, unavailableProblem } from '../http-problem.ts';
import { indexSchema, indexView } from '../index-view.ts';
import { parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const params = z.strictObject({ user: idSchema });
const query = z.strictObject({});

const operation: HttpOperation = {
  id: 'rebuildIndex',
  method: 'post',
  path: '/v1/users/{user}/index/rebuild',
  scope: 'admin',
  tag: 'indexes',
  summary: "Rebuilds a user's index from MySQL",
  params,
  query,
  replies: {
    200: {
      description: 'The index after the rebuild; cold if MySQL has nothing for the user.',
      schema: indexSchema,
    },
  },
  problems: [409],
};

export function rebuildIndexRoute(rebuild: ApiDependencies['rebuild'], inspect: ApiDependencies['inspect']): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      const { user } = parse('path', params, request.params);
      parse('query', query, request.query);
      const { obstructed, unsettled, forgotten, suspended, slow } = await rebuild(user, deadline);
      if (obstructed.length > 0) throw new HttpProblem('key_in_the_way');
      if (suspended.length > 0) throw unavailableProblem('epoch_suspended');
      if (slow.length > 0) throw unavailableProblem('index_slow');
      if (unsettled.length > 0 || forgotten.length > 0) throw unavailableProblem('contended');
      return json(200, indexView(await inspect(user, deadline)));
    },
  };
}
