import { z } from 'zod';
import { answerParameters } from '../../contracts/answer-parameters.ts';
import { answerSchema, contactFields, relationParameter, timeSchema, wholeNumber } from '../../contracts/http.ts';
import { idSchema } from '../../contracts/id.ts';
import { isoTime } from '../../contracts/iso-time.ts';
import { CONTACTS } from '../../contracts/kind.ts';
import type { Photo } from '../../mysql/photos.ts';
import type { RecentPhotos } from '../../query/recent-photos.ts';
import { answerReplies, answerReply, answerRequestHeaders } from '../answer-reply.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { freshHeaders, readFresh } from '../fresh.ts';
import type { ApiMetrics } from '../metrics.ts';
import { parse } from '../parse.ts';
import type { HttpOperation, Route } from '../route.ts';
import { contactView, shownSources } from '../views.ts';

const params = z.strictObject({ user: idSchema });

const query = z.strictObject({
  contacts: wholeNumber(1, 20, 1).meta({ description: 'Contacts in the answer.' }),
  photos: wholeNumber(1, 50, 10).meta({ description: 'The newest photos of each contact.' }),
  relation: relationParameter,
  ...answerParameters,
});

const photoSchema = z.strictObject({ id: idSchema, uploaded_at: timeSchema, title: z.string() }).meta({ id: 'Photo' });

const recentPhotosSchema = z
  .strictObject({
    user: idSchema,
    contacts: z
      .array(z.strictObject({ ...contactFields, photos: z.array(photoSchema).min(1) }))
      .meta({ description: 'Most recently active contact first; the newest photo of each first.' }),
    answer: answerSchema,
  })
  .meta({ id: 'RecentPhotos' });

const operation: HttpOperation = {
  id: 'recentPhotos',
  method: 'get',
  path: '/v1/users/{user}/contacts/recent/photos',
  scope: 'read',
  tag: 'answers',
  summary: "The newest photos of the user's most recently active contacts",
  description: 'Grouped by contact. Only photos that the user may see; this is checked again when the photos are read.',
  params,
  query,
  headers: answerRequestHeaders.extend(freshHeaders.shape),
  replies: answerReplies('The photos.', recentPhotosSchema),
};

export function recentPhotosRoute(
  recent: Pick<RecentPhotos, 'find'>,
  fresh: ApiDependencies['fresh'],
  metrics: ApiMetrics,
): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      const { user } = parse('path', params, request.params);
      const { contacts, photos, relation, since, consistency, max_lag } = parse('query', query, request.query);
      const wanted = { user, relation, contacts, photos, since, consistency, maxLagMs: max_lag, deadline };
      const found = await readFresh(fresh, request, { user, deadline }, (freshness) =>
        recent.find({ ...wanted, freshness }),
      );
      metrics.countAnswer('photos', found);
      const shown: Omit<z.input<typeof recentPhotosSchema>, 'answer'> = {
        user,
        contacts: found.contacts.map((contact) => ({
          ...contactView(contact),
          photos: contact.photos.map(photoView),
        })),
      };
      return answerReply(request, shown, shownSources(CONTACTS.name, found.contacts), found);
    },
  };
}

function photoView({ id, uploadedAt, title }: Photo) {
  return { id, uploaded_at: isoTime(uploadedAt), title };
}
