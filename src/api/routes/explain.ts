import { z } from 'zod';
import { idSchema } from '../../contracts/id.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { explanationSchema, explanationView } from '../explanation-view.ts';
import { parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const params = z.strictObject({ user: idSchema, contact: idSchema });
const query = z.strictObject({});

const operation: HttpOperation = {
  id: 'explainContact',
  method: 'get',
  path: '/v1/users/{user}/contacts/{contact}/explain',
  scope: 'read',
  tag: 'answers',
  summary: "Why a contact is, or is not, in the user's index and answer",
  description: 'Costs as much as a plain query, because it counts who was active more recently.',
  params,
  query,
  replies: { 200: { description: 'The explanation.', schema: explanationSchema } },
};

export function explainRoute(explain: ApiDependencies['explain']): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      const { user, contact } = parse('path', params, request.params);
      parse('query', query, request.query);
      return json(200, explanationView(await explain(user, contact, deadline)));
    },
  };
}
