import type { Request } from 'express';
import { z } from 'zod';
import { DEFAULT_LIMIT, givenOnce, noRelation, relationParameter, wholeNumber } from '../../contracts/http.ts';
import { idSchema } from '../../contracts/id.ts';
import type { Kind } from '../../contracts/kind.ts';
import type { Deadline } from '../../timing/deadline.ts';
import type { ApiDependencies, KindAnswers } from '../dependencies.ts';
import { HttpProblem } from '../http-problem.ts';
import { parse } from '../parse.ts';
import type { Reply } from '../reply.ts';
import { capitalized, type HttpOperation, problemsWhereUnused, type Route, whereInUse } from '../route.ts';
import { HeadBatch, type HeadQuestion } from '../streams/live-head.ts';
import { STREAM_HEADERS } from '../streams/streams.ts';
import { recentHead, recentHeads } from './recent-contacts.ts';
import { recentSourcesHead } from './recent-over-kinds.ts';

const params = z.strictObject({ user: idSchema });

const NO_TAG = 'must be the id of an event';

const lastEventId = z
  .string({ error: givenOnce(NO_TAG) })
  .max(100, NO_TAG)
  .optional()
  .meta({
    description: 'As the header Last-Event-ID, for a client that cannot set it. The header is the one that counts.',
  });

function queryOf(relation: ReturnType<typeof relationParameter> | typeof noRelation) {
  return z.strictObject({ limit: wholeNumber(1, 100, DEFAULT_LIMIT), relation, last_event_id: lastEventId });
}

const headers = z.object({
  'Last-Event-ID': z.string().max(100).optional().meta({
    description:
      'The id of the last event that the client has. While it is still the current head, the stream begins without one. Browsers send it when they connect again.',
  }),
});

const DESCRIPTION =
  'Server-Sent Events that do not end: first the current head, then the head after every change. `event: head`, `data:` what the route without `/stream` answers, `id:` its ETag. No history is needed: a client that reconnects is sent the current head, unless its Last-Event-ID names that head. A comment comes every 15 s; `retry:` says how long to wait before connecting again. A client that does not read is disconnected. What the user has marked as seen is shown with the next change, or within a minute.';

function operationOf(of: Pick<HttpOperation, 'id' | 'path' | 'summary' | 'problems'>, where = ''): HttpOperation {
  return {
    ...of,
    method: 'get',
    scope: 'read',
    tag: 'answers',
    description: `${DESCRIPTION}${where}`,
    params,
    headers,
    replies: { 200: { description: 'The stream.', contentType: 'text/event-stream' } },
  };
}

type StreamParts = Pick<ApiDependencies, 'streams' | 'site' | 'access'>;

/** The stream of one kind's list. @param answers undefined: the kind is not in use */
export function streamRecentRoute(
  kind: Kind,
  answers: Pick<KindAnswers, 'recentContacts' | 'recentBatch'> | undefined,
  { streams, site, access }: StreamParts,
): Route {
  const { name, hasRelations } = kind;
  const batches = new Map<string, HeadBatch>();
  const query = queryOf(hasRelations ? relationParameter(site.relations) : noRelation);
  const operation = operationOf(
    {
      id: `streamRecent${capitalized(name)}`,
      path: `/v1/users/{user}/${name}/recent/stream`,
      summary: `The user's most recently active ${name}, whenever they change`,
      ...problemsWhereUnused(kind),
    },
    whereInUse(kind),
  );
  return {
    operation: { ...operation, query },
    handle: async (request, deadline) => {
      if (answers === undefined) throw new HttpProblem('not_found');
      const { user } = parse('path', params, request.params);
      const { limit, relation, last_event_id } = parse('query', query, request.query);
      const { recentContacts, recentBatch } = answers;
      const list = `${name} ${relation} ${limit}`;
      const batch =
        batches.get(list) ??
        new HeadBatch((users, by) => recentHeads(kind, recentBatch, users, { relation, limit, deadline: by }));
      batches.set(list, batch); // at most as many as there are relations and limits
      const question = {
        ...{ user, name: list, kinds: [name], batch },
        find: (by: Deadline) =>
          recentHead(kind, recentContacts, { user, relation, limit, below: undefined, deadline: by }),
      };
      return await replyTo(request, question, { last_event_id, streams, access, deadline });
    },
  };
}

/** The stream of the list over all kinds. @param answers of every kind in use */
export function streamOverKindsRoute(
  answers: readonly KindAnswers[],
  { streams, access }: Pick<StreamParts, 'streams' | 'access'>,
): Route {
  const query = queryOf(noRelation);
  const operation = operationOf({
    id: 'streamRecentSources',
    path: '/v1/users/{user}/recent/stream',
    summary: "The user's most recently active sources of every kind, whenever they change",
  });
  return {
    operation: { ...operation, query },
    handle: async (request, deadline) => {
      const { user } = parse('path', params, request.params);
      const { limit, last_event_id } = parse('query', query, request.query);
      const question = {
        user,
        name: `sources ${limit}`,
        kinds: answers.map(({ kind }) => kind.name),
        find: (by: Deadline) => recentSourcesHead(answers, { user, limit, after: undefined, deadline: by }),
      };
      return await replyTo(request, question, { last_event_id, streams, access, deadline });
    },
  };
}

interface ReplyParts extends Pick<StreamParts, 'streams' | 'access'> {
  readonly last_event_id: string | undefined;
  readonly deadline: Deadline;
}

/** A HEAD request would hold a stream that nobody reads: it is answered without one. */
async function replyTo(
  request: Request,
  question: HeadQuestion,
  { streams, access, last_event_id, deadline }: ReplyParts,
): Promise<Reply> {
  if (request.method !== 'HEAD') {
    const { authorization } = request.headers;
    const has = request.get('last-event-id') ?? last_event_id;
    return await streams.reply(question, { has, deadline, isAllowed: () => access.allows('read', authorization) });
  }
  await question.find(deadline);
  return { status: 200, headers: STREAM_HEADERS, content: '', stream: (sink) => sink.end() };
}
