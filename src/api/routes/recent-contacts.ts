import { z } from 'zod';
import {
  afterParameter,
  answerSchema,
  contactFields,
  DEFAULT_LIMIT,
  relationParameter,
  wholeNumber,
} from '../../contracts/http.ts';
import { idSchema } from '../../contracts/id.ts';
import { encodeCursor } from '../../contracts/page-cursor.ts';
import type { RecentContacts } from '../../query/recent-contacts.ts';
import type { ApiMetrics } from '../metrics.ts';
import { parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { Operation, Route } from '../route.ts';
import { answerView, contactView, serverTiming } from '../views.ts';

const params = z.strictObject({ user: idSchema });

const query = z.strictObject({
  limit: wholeNumber(1, 100, DEFAULT_LIMIT).meta({
    description:
      'Contacts in the answer. The index answers up to RECENCY_MAX (24) of them; a trim leaves room for up to four there, so that between 21 and 24 the database answers now and then, until the index is filled again. Beyond RECENCY_MAX the database answers.',
  }),
  relation: relationParameter,
  after: afterParameter,
});

const recentContactsSchema = z
  .strictObject({
    user: idSchema,
    contacts: z.array(z.strictObject(contactFields)).meta({ description: 'The most recently active one first.' }),
    next: z.string().nullable().meta({ description: '`after` of the next page; null: there is none.' }),
    answer: answerSchema,
  })
  .meta({ id: 'RecentContacts' });

const operation: Operation = {
  id: 'recentContacts',
  method: 'get',
  path: '/v1/users/{user}/contacts/recent',
  scope: 'read',
  tag: 'answers',
  summary: "The user's most recently active contacts",
  description: 'Only contacts of whom the user may see a photo, ordered by the newest of these photos.',
  params,
  query,
  replies: {
    200: {
      description: 'One page.',
      schema: recentContactsSchema,
      headers: z.object({ 'Server-Timing': z.string().meta({ description: 'index: Redis, db: MySQL; in ms.' }) }),
    },
  },
};

export function recentContactsRoute(recent: Pick<RecentContacts, 'find'>, metrics: ApiMetrics): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      const { user } = parse('path', params, request.params);
      const { limit, relation, after } = parse('query', query, request.query);
      const found = await recent.find({ user, relation, limit, below: after, deadline });
      metrics.countAnswer('contacts', found);
      const last = found.more ? found.contacts.at(-1) : undefined;
      const body: z.input<typeof recentContactsSchema> = {
        user,
        contacts: found.contacts.map(contactView),
        next: last === undefined ? null : encodeCursor(last),
        answer: answerView(found),
      };
      return json(200, body, serverTiming(found.timing));
    },
  };
}
