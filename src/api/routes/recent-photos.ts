import { z } from 'zod';
import { answerParameters } from '../../contracts/answer-parameters.ts';
import {
  answerSchema,
  fieldsOf,
  noRelation,
  photosParameter,
  relationParameter,
  timeSchema,
  wholeNumber,
} from '../../contracts/http.ts';
import { idSchema } from '../../contracts/id.ts';
import { CONTACTS, extraSchema, type Kind } from '../../contracts/kind.ts';
import type { PhotosQuery, RecentPhotos } from '../../query/recent-photos.ts';
import type { Site } from '../../site/site.ts';
import { answerReplies, answerReply, answerRequestHeaders } from '../answer-reply.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { freshHeaders, readFresh } from '../fresh.ts';
import { HttpProblem } from '../http-problem.ts';
import type { ApiMetrics } from '../metrics.ts';
import { parse } from '../parse.ts';
import { capitalized, type HttpOperation, type Route, whereInUse } from '../route.ts';
import { contactView, photoView, shownSources } from '../views.ts';

const params = z.strictObject({ user: idSchema });

export const photoSchema = z
  .strictObject({ id: idSchema, uploaded_at: timeSchema, title: z.string(), extra: extraSchema.optional() })
  .meta({ id: 'Photo' });

function queryOf({ name, singular, hasRelations }: Kind, { relations }: Pick<Site, 'relations'>) {
  return z.strictObject({
    [name]: wholeNumber(1, 20, 1).meta({ description: `${capitalized(name)} in the answer.` }),
    photos: photosParameter.meta({ description: `The newest photos of each ${singular}.` }),
    relation: hasRelations ? relationParameter(relations) : noRelation,
    ...answerParameters,
  });
}

/** The parameters of {@link queryOf}, apart from the one that the kind names. */
type PhotosParameters = Pick<PhotosQuery, 'photos' | 'relation' | 'since' | 'consistency'> & {
  readonly max_lag?: number | undefined;
};

function answerOf(kind: Kind) {
  const { name, singular } = kind;
  return z
    .strictObject({
      user: idSchema,
      [name]: z
        .array(z.strictObject({ ...fieldsOf(kind), photos: z.array(photoSchema).min(1) }))
        .meta({ description: `Most recently active ${singular} first; the newest photo of each first.` }),
      answer: answerSchema,
    })
    .meta({ id: kind.name === CONTACTS.name ? 'RecentPhotos' : `Recent${capitalized(singular)}Photos` });
}

function operationOf(kind: Kind, query: z.ZodObject): HttpOperation {
  const { name, singular } = kind;
  return {
    id: name === CONTACTS.name ? 'recentPhotos' : `recent${capitalized(singular)}Photos`,
    method: 'get',
    path: `/v1/users/{user}/${name}/recent/photos`,
    scope: 'read',
    tag: 'answers',
    summary: `The newest photos of the user's most recently active ${name}`,
    description: `Grouped by ${singular}. Only photos that the user may see; this is checked again when the photos are read.${whereInUse(kind)}`,
    params,
    query,
    headers: answerRequestHeaders.extend(freshHeaders.shape),
    replies: answerReplies('The photos.', answerOf(kind)),
    ...(name === CONTACTS.name ? {} : { problems: [404] }),
  };
}

/** @param recent undefined: the kind is not in use */
export function recentPhotosRoute(
  kind: Kind,
  recent: Pick<RecentPhotos, 'find'> | undefined,
  { fresh, site }: Pick<ApiDependencies, 'fresh' | 'site'>,
  metrics: ApiMetrics,
): Route {
  const query = queryOf(kind, site);
  return {
    operation: operationOf(kind, query),
    handle: async (request, deadline) => {
      if (recent === undefined) throw new HttpProblem('not_found');
      const { user } = parse('path', params, request.params);
      const parameters = parse('query', query, request.query) as Readonly<Record<string, unknown>>;
      const { photos, relation, since, consistency, max_lag } = parameters as unknown as PhotosParameters;
      const contacts = Number(parameters[kind.name]);
      const wanted = { user, relation, contacts, photos, since, consistency, maxLagMs: max_lag, deadline };
      const found = await readFresh(fresh, request, { user, deadline }, (freshness) =>
        recent.find({ ...wanted, freshness }),
      );
      metrics.countAnswer(kind.name === CONTACTS.name ? 'photos' : `${kind.singular}_photos`, found);
      const shown = {
        user,
        [kind.name]: found.contacts.map((contact) => ({
          ...contactView(contact, kind),
          photos: contact.photos.map(photoView),
        })),
      };
      return answerReply(request, shown, shownSources(kind.name, found.contacts), found);
    },
  };
}
