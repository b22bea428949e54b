import { z } from 'zod';
import { answerParameters } from '../../contracts/answer-parameters.ts';
import { answerSchema, relationParameter } from '../../contracts/http.ts';
import { idSchema } from '../../contracts/id.ts';
import { CONTACTS } from '../../contracts/kind.ts';
import type { RecentContacts } from '../../query/recent-contacts.ts';
import { answerReplies, answerReply, answerRequestHeaders } from '../answer-reply.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { freshHeaders, readFresh } from '../fresh.ts';
import type { ApiMetrics } from '../metrics.ts';
import { parse } from '../parse.ts';
import type { HttpOperation, Route } from '../route.ts';
import { shownSources } from '../views.ts';

/** Counting ends here: a badge shows "99+". */
const MOST = 100;

const params = z.strictObject({ user: idSchema });

const query = z.strictObject({ relation: relationParameter, ...answerParameters });

const unseenSchema = z
  .strictObject({
    user: idSchema,
    count: z.int().min(0).max(MOST).meta({ description: 'Contacts with something that is new to the user.' }),
    at_least: z.boolean().meta({ description: 'There are more than `count`.' }),
    answer: answerSchema,
  })
  .meta({ id: 'Unseen' });

const operation: HttpOperation = {
  id: 'countUnseenContacts',
  method: 'get',
  path: '/v1/users/{user}/contacts/unseen',
  scope: 'read',
  tag: 'seen',
  summary: 'How many contacts have something new',
  description: `Counted up to ${MOST}. They are the rows of \`…/contacts/recent?unseen=true\`, so \`answer.through\` covers all of them.`,
  params,
  query,
  headers: answerRequestHeaders.extend(freshHeaders.shape),
  replies: answerReplies('The count.', unseenSchema),
};

export function countUnseenRoute(
  recent: Pick<RecentContacts, 'find'>,
  fresh: ApiDependencies['fresh'],
  metrics: ApiMetrics,
): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      const { user } = parse('path', params, request.params);
      const { relation, since, consistency, max_lag } = parse('query', query, request.query);
      const page = { user, relation, limit: MOST, below: undefined, unseen: true, deadline };
      const found = await readFresh(fresh, request, { user, deadline }, (freshness) =>
        recent.find({ ...page, since, consistency, maxLagMs: max_lag, freshness }),
      );
      metrics.countAnswer('contacts', found);
      const shown: Omit<z.input<typeof unseenSchema>, 'answer'> = {
        user,
        count: found.contacts.length,
        at_least: found.more,
      };
      return answerReply(request, shown, shownSources(CONTACTS.name, found.contacts), found);
    },
  };
}
