import { z } from 'zod';
import { type Id, idSchema } from '../../contracts/id.ts';
import { parse } from '../parse.ts';
import { noContent } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const params = z.strictObject({ user: idSchema });
const query = z.strictObject({});

const operation: HttpOperation = {
  id: 'forgetIndex',
  method: 'delete',
  path: '/v1/users/{user}/index',
  scope: 'admin',
  tag: 'indexes',
  summary: 'Drops what Recency holds for a user: the indexes of every kind, and pending work',
  description:
    "Does not touch the user's rows in MySQL: a later read builds an index again. A build requested earlier does not.",
  params,
  query,
  replies: { 204: { description: 'Recency holds nothing for the user.' } },
};

export function forgetIndexRoute(forget: (user: Id) => Promise<void>): Route {
  return {
    operation,
    handle: async (request) => {
      const { user } = parse('path', params, request.params);
      parse('query', query, request.query);
      await forget(user);
      return noContent();
    },
  };
}
