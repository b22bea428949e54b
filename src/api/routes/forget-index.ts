import { z } from 'zod';
import { type Id, idSchema } from '../../contracts/id.ts';
import { parse } from '../parse.ts';
import { noContent } from '../reply.ts';
import type { Operation, Route } from '../route.ts';

const params = z.strictObject({ user: idSchema });
const query = z.strictObject({});

const operation: Operation = {
  id: 'forgetIndex',
  method: 'delete',
  path: '/v1/users/{user}/index',
  scope: 'admin',
  tag: 'indexes',
  summary: 'Drops what Recency holds of a user: the index and pending work',
  description:
    "The user's rows in MySQL are not touched: a later read has the index built again. A build that was asked for before does not bring it back.",
  params,
  query,
  replies: { 204: { description: 'Nothing of the user is held.' } },
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
