import { z } from 'zod';
import { answerParameters } from '../../contracts/answer-parameters.ts';
import {
  answerSchema,
  DEFAULT_LIMIT,
  fieldsOf,
  noRelation,
  photosParameter,
  sourceCursorParameter,
  unseenParameter,
  wholeNumber,
} from '../../contracts/http.ts';
import { type Id, idSchema } from '../../contracts/id.ts';
import { encodeSourceCursor } from '../../contracts/key.ts';
import { KINDS, type Kind } from '../../contracts/kind.ts';
import type { ShownContact } from '../../mysql/statements/contacts.ts';
import {
  type OfKind,
  type OverKindsQuery,
  photosOverKinds,
  type RecentOverKinds,
  recentOverKinds,
} from '../../query/over-kinds.ts';
import { answerHead, answerReplies, answerReply, answerRequestHeaders } from '../answer-reply.ts';
import type { ApiDependencies, KindAnswers } from '../dependencies.ts';
import { freshHeaders, readFresh } from '../fresh.ts';
import type { ApiMetrics } from '../metrics.ts';
import { parse } from '../parse.ts';
import type { HttpOperation, Route } from '../route.ts';
import type { FoundHead } from '../streams/open-stream.ts';
import { contactView, photoView, shownSources } from '../views.ts';
import { photoSchema } from './recent-photos.ts';

const params = z.strictObject({ user: idSchema });

const query = z.strictObject({
  limit: wholeNumber(1, 100, DEFAULT_LIMIT).meta({ description: 'Sources in the answer, of all kinds together.' }),
  relation: noRelation,
  after: sourceCursorParameter,
  unseen: unseenParameter,
  ...answerParameters,
});

const photosQuery = z.strictObject({
  sources: wholeNumber(1, 20, 1).meta({ description: 'Sources in the answer, of all kinds together.' }),
  photos: photosParameter.meta({ description: 'The newest photos of each source.' }),
  relation: noRelation,
  ...answerParameters,
});

/** A row of any kind, with the fields of its kind and these. */
function rowSchema(fields: z.ZodRawShape) {
  const [first, ...others] = KINDS.map((kind: Kind) =>
    z.strictObject({ kind: z.literal(kind.name), ...fieldsOf(kind), ...fields }),
  );
  return z.discriminatedUnion('kind', [first as NonNullable<typeof first>, ...others]);
}

const ORDER =
  'Most recently active first; of those that were active at the same time, contacts before groups, and in the order of their own list.';

const recentSchema = z
  .strictObject({
    user: idSchema,
    sources: z.array(rowSchema({})).meta({ description: ORDER }),
    next: z.string().nullable().meta({ description: 'The `after` of the next page; null: this is the last page.' }),
    answer: answerSchema,
  })
  .meta({ id: 'RecentSources' });

const photosSchema = z
  .strictObject({
    user: idSchema,
    sources: z
      .array(rowSchema({ photos: z.array(photoSchema).min(1) }))
      .meta({ description: `${ORDER} The newest photo of each first.` }),
    answer: answerSchema,
  })
  .meta({ id: 'RecentSourcesPhotos' });

const common = {
  method: 'get',
  scope: 'read',
  tag: 'answers',
  params,
  headers: answerRequestHeaders.extend(freshHeaders.shape),
} as const;

const CERTAINTY =
  '`answer` says what holds for all kinds: the index answered if it did for each, and the floor is the highest. `answer.through` covers every kind. Each kind is read at a moment of its own, after `as_of`: everything committed before then is in the answer, and of what one transaction changes in two kinds afterwards, one may be shown without the other.';

const operation: HttpOperation = {
  ...common,
  id: 'recentSources',
  path: '/v1/users/{user}/recent',
  summary: "The user's most recently active sources of every kind",
  description: `Contacts and whatever else RECENCY_KINDS names, in one list. ${CERTAINTY}`,
  query,
  replies: answerReplies('One page.', recentSchema),
};

const photosOperation: HttpOperation = {
  ...common,
  id: 'recentSourcesPhotos',
  path: '/v1/users/{user}/recent/photos',
  summary: "The newest photos of the user's most recently active sources of every kind",
  description: `Grouped by source. Only photos that the user may see; this is checked again when the photos are read. ${CERTAINTY}`,
  query: photosQuery,
  replies: answerReplies('The photos.', photosSchema),
};

interface Parts {
  readonly fresh: ApiDependencies['fresh'];
  readonly metrics: ApiMetrics;
}

/** @param answers of every kind in use */
export function recentOverKindsRoutes(answers: readonly KindAnswers[], { fresh, metrics }: Parts): Route[] {
  return [
    {
      operation,
      handle: async (request, deadline) => {
        const { user } = parse('path', params, request.params);
        const { limit, after, unseen, since, consistency, max_lag } = parse('query', query, request.query);
        const wanted = { user, limit, after, unseen, since, consistency, maxLagMs: max_lag, deadline };
        const found = await readFresh(fresh, request, { user, deadline }, (freshness) =>
          recentOverKinds(answers, { ...wanted, freshness }),
        );
        metrics.countAnswer('sources', found);
        return answerReply(request, sourcesView(user, found), shownOfEach(answers, found.sources), found);
      },
    },
    {
      operation: photosOperation,
      handle: async (request, deadline) => {
        const { user } = parse('path', params, request.params);
        const { sources, photos, since, consistency, max_lag } = parse('query', photosQuery, request.query);
        const wanted = { user, sources, photos, since, consistency, maxLagMs: max_lag, deadline };
        const found = await readFresh(fresh, request, { user, deadline }, (freshness) =>
          photosOverKinds(answers, { ...wanted, freshness }),
        );
        metrics.countAnswer('sources_photos', found);
        const shown = {
          user,
          sources: found.sources.map((source) => ({ ...sourceView(source), photos: source.photos.map(photoView) })),
        };
        return answerReply(request, shown, shownOfEach(answers, found.sources), found);
      },
    },
  ];
}

/** The answer as a stream tells it. @throws what an answer throws */
export async function recentSourcesHead(answers: readonly KindAnswers[], wanted: OverKindsQuery): Promise<FoundHead> {
  const found = await recentOverKinds(answers, wanted);
  return answerHead(sourcesView(wanted.user, found), shownOfEach(answers, found.sources), found);
}

/** The page without `answer`. */
function sourcesView(user: Id, { sources, more }: RecentOverKinds) {
  const last = more ? sources.at(-1) : undefined;
  const next = last === undefined ? null : encodeSourceCursor({ ...last, kind: last.kind.name });
  return { user, sources: sources.map(sourceView), next };
}

function sourceView(source: OfKind<ShownContact>) {
  return { kind: source.kind.name, ...contactView(source, source.kind) };
}

/** What the rows show of the list of each kind. */
function shownOfEach(answers: readonly KindAnswers[], rows: readonly OfKind<ShownContact>[]) {
  return answers.map(({ kind }) =>
    shownSources(
      kind.name,
      rows.filter((row) => row.kind.name === kind.name),
    ),
  );
}
