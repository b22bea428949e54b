import { z } from 'zod';
import { type Id, idSchema } from '../../contracts/id.ts';
import type { IndexInspection } from '../../query/inspect-index.ts';
import { indexSchema, indexView } from '../index-view.ts';
import { parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const params = z.strictObject({ user: idSchema });
const query = z.strictObject({});

const operation: HttpOperation = {
  id: 'inspectIndex',
  method: 'get',
  path: '/v1/users/{user}/index',
  scope: 'admin',
  tag: 'indexes',
  summary: "A user's index as it is",
  description: 'Does not count as use, so it does not keep the index from being dropped as idle.',
  params,
  query,
  replies: { 200: { description: 'The index; its state says if there is none.', schema: indexSchema } },
};

export function inspectIndexRoute(inspect: (user: Id) => Promise<IndexInspection>): Route {
  return {
    operation,
    handle: async (request) => {
      const { user } = parse('path', params, request.params);
      parse('query', query, request.query);
      return json(200, indexView(await inspect(user)));
    },
  };
}
