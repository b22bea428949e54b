import { z } from 'zod';
import { answerParameters } from '../../contracts/answer-parameters.ts';
import { afterParameter, answerSchema, photosParameter, unseenParameter } from '../../contracts/http.ts';
import { idSchema } from '../../contracts/id.ts';
import { encodeCursor } from '../../contracts/key.ts';
import type { Kind } from '../../contracts/kind.ts';
import type { ShownList } from '../../contracts/seen.ts';
import type { Photo } from '../../mysql/statements/photos.ts';
import type { SourcePhotos } from '../../query/source-photos.ts';
import { answerReplies, answerReply, answerRequestHeaders } from '../answer-reply.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { freshHeaders, readFresh } from '../fresh.ts';
import { HttpProblem } from '../http-problem.ts';
import type { ApiMetrics } from '../metrics.ts';
import { parse } from '../parse.ts';
import { capitalized, type HttpOperation, problemsWhereUnused, type Route, whereInUse } from '../route.ts';
import { photoView } from '../views.ts';
import { photoSchema } from './recent-photos.ts';

const params = z.strictObject({ user: idSchema, id: idSchema });

const query = z.strictObject({
  limit: photosParameter.meta({ description: 'Photos in the answer.' }),
  after: afterParameter,
  unseen: unseenParameter.meta({ description: 'true: only what is new to the user, oldest first.' }),
  ...answerParameters,
});

const schema = z
  .strictObject({
    user: idSchema,
    id: idSchema.meta({ description: 'What the user follows.' }),
    photos: z.array(photoSchema).meta({ description: 'Newest first; with `unseen=true`, oldest first.' }),
    next: z.string().nullable().meta({ description: 'The `after` of the next page; null: this is the last page.' }),
    answer: answerSchema,
  })
  .meta({ id: 'SourcePhotos' });

function operationOf(kind: Kind): HttpOperation {
  const { name, singular } = kind;
  return {
    id: `photosOf${capitalized(singular)}`,
    method: 'get',
    path: `/v1/users/{user}/${name}/{id}/photos`,
    scope: 'read',
    tag: 'answers',
    summary: `The photos of one of the user's ${name}`,
    description: `Only photos that the user may see; none of a ${singular} whom the user does not follow. To show what is new without missing anything: ask with \`unseen=true\`, show the page, pass its \`answer.through\` to \`PUT …/${name}/{id}/seen\`, and ask again.${whereInUse(kind)}`,
    params,
    query,
    headers: answerRequestHeaders.extend(freshHeaders.shape),
    replies: answerReplies('One page.', schema),
    ...problemsWhereUnused(kind),
  };
}

/** @param photos undefined: the kind is not in use */
export function sourcePhotosRoute(
  kind: Kind,
  photos: Pick<SourcePhotos, 'find'> | undefined,
  fresh: ApiDependencies['fresh'],
  metrics: ApiMetrics,
): Route {
  return {
    operation: operationOf(kind),
    handle: async (request, deadline) => {
      if (photos === undefined) throw new HttpProblem('not_found');
      const { user, id: source } = parse('path', params, request.params);
      const { limit, after, unseen, since, consistency, max_lag } = parse('query', query, request.query);
      const wanted = { user, source, limit, after, unseen, since, consistency, maxLagMs: max_lag, deadline };
      const found = await readFresh(fresh, request, { user, deadline }, (freshness) =>
        photos.find({ ...wanted, freshness }),
      );
      metrics.countAnswer(`one_${kind.singular}_photos`, found);
      const last = found.more ? found.photos.at(-1) : undefined;
      const next = last === undefined ? null : encodeCursor(keyOf(last));
      const shown = { user, id: source, photos: found.photos.map(photoView), next };
      return answerReply(request, shown, shownPhotos(kind, source, found.photos, unseen), found);
    },
  };
}

/** What the page shows of the source: everything up to its newest photo. */
function shownPhotos({ name }: Kind, source: string, photos: readonly Photo[], isOldestFirst: boolean): ShownList {
  const newest = isOldestFirst ? photos.at(-1) : photos[0];
  return { kind: name, source, key: newest && keyOf(newest) };
}

function keyOf({ id, uploadedAt }: Photo) {
  return { id, at: uploadedAt };
}
