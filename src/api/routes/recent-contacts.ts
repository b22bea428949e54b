import { z } from 'zod';
import { answerParameters } from '../../contracts/answer-parameters.ts';
import {
  afterParameter,
  answerSchema,
  contactFields,
  DEFAULT_LIMIT,
  relationParameter,
  unseenParameter,
  wholeNumber,
} from '../../contracts/http.ts';
import { type Id, idSchema } from '../../contracts/id.ts';
import { CONTACTS } from '../../contracts/kind.ts';
import { encodeCursor } from '../../contracts/page-cursor.ts';
import type { ContactPage } from '../../query/narrow.ts';
import type { RecentContacts } from '../../query/recent-contacts.ts';
import { answerReplies, answerReply, answerRequestHeaders } from '../answer-reply.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { freshHeaders, readFresh } from '../fresh.ts';
import type { ApiMetrics } from '../metrics.ts';
import { parse } from '../parse.ts';
import type { HttpOperation, Route } from '../route.ts';
import { contactView, shownSources } from '../views.ts';

const params = z.strictObject({ user: idSchema });

const query = z.strictObject({
  limit: wholeNumber(1, 100, DEFAULT_LIMIT).meta({
    description:
      'Contacts in the answer. The index answers up to RECENCY_MAX (24). A trim may remove up to four entries, so from 21 to 24 the database answers now and then, until the index is refilled. Beyond RECENCY_MAX the database answers.',
  }),
  relation: relationParameter,
  after: afterParameter,
  unseen: unseenParameter,
  ...answerParameters,
});

export const recentContactsSchema = z
  .strictObject({
    user: idSchema,
    contacts: z.array(z.strictObject(contactFields)).meta({ description: 'Most recently active first.' }),
    next: z.string().nullable().meta({ description: 'The `after` of the next page; null: this is the last page.' }),
    answer: answerSchema,
  })
  .meta({ id: 'RecentContacts' });

const operation: HttpOperation = {
  id: 'recentContacts',
  method: 'get',
  path: '/v1/users/{user}/contacts/recent',
  scope: 'read',
  tag: 'answers',
  summary: "The user's most recently active contacts",
  description: 'Only contacts with a photo that the user may see, ordered by the newest such photo.',
  params,
  query,
  headers: answerRequestHeaders.extend(freshHeaders.shape),
  replies: answerReplies('One page.', recentContactsSchema),
};

export function recentContactsRoute(
  recent: Pick<RecentContacts, 'find'>,
  fresh: ApiDependencies['fresh'],
  metrics: ApiMetrics,
): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      const { user } = parse('path', params, request.params);
      const { limit, relation, after, unseen, since, consistency, max_lag } = parse('query', query, request.query);
      const wanted = { user, relation, limit, below: after, unseen, since, consistency, maxLagMs: max_lag, deadline };
      const found = await readFresh(fresh, request, { user, deadline }, (freshness) =>
        recent.find({ ...wanted, freshness }),
      );
      metrics.countAnswer('contacts', found);
      return answerReply(request, pageView(user, found), shownSources(CONTACTS.name, found.contacts), found);
    },
  };
}

/** The page without `answer`. */
export function pageView(
  user: Id,
  { contacts, more }: ContactPage,
): Omit<z.input<typeof recentContactsSchema>, 'answer'> {
  const last = more ? contacts.at(-1) : undefined;
  return { user, contacts: contacts.map(contactView), next: last === undefined ? null : encodeCursor(last) };
}
