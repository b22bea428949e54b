import { z } from 'zod';
import type { Id } from '../../contracts/id.ts';
import { idSchema } from '../../contracts/id.ts';
import type { Explanation } from '../../query/explain.ts';
import { explanationSchema, explanationView } from '../explanation-view.ts';
import { parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { Operation, Route } from '../route.ts';

const params = z.strictObject({ user: idSchema, contact: idSchema });
const query = z.strictObject({});

const operation: Operation = {
  id: 'explainContact',
  method: 'get',
  path: '/v1/users/{user}/contacts/{contact}/explain',
  scope: 'read',
  tag: 'answers',
  summary: "Why a contact is, or is not, in the user's index and answer",
  description: 'Costs as much as a plain query: it also counts who was active more recently.',
  params,
  query,
  replies: { 200: { description: 'The explanation.', schema: explanationSchema } },
};

export function explainRoute(explain: (user: Id, contact: Id) => Promise<Explanation>): Route {
  return {
    operation,
    handle: async (request) => {
      const { user, contact } = parse('path', params, request.params);
      parse('query', query, request.query);
      return json(200, explanationView(await explain(user, contact)));
    },
  };
}
