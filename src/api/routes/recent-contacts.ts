import { z } from 'zod';
import { answerParameters } from '../../contracts/answer-parameters.ts';
import {
  afterParameter,
  answerSchema,
  DEFAULT_LIMIT,
  fieldsOf,
  noRelation,
  relationParameter,
  unseenParameter,
  wholeNumber,
} from '../../contracts/http.ts';
import { type Id, idSchema } from '../../contracts/id.ts';
import { encodeCursor } from '../../contracts/key.ts';
import { CONTACTS, KINDS, type Kind } from '../../contracts/kind.ts';
import type { ContactPage } from '../../query/narrow.ts';
import type { RecentAnswer, RecentQuery } from '../../query/recent-answer.ts';
import type { BatchQuery, RecentBatch } from '../../query/recent-batch.ts';
import type { RecentContacts } from '../../query/recent-contacts.ts';
import type { Site } from '../../site/site.ts';
import { answerHead, answerReplies, answerReply, answerRequestHeaders } from '../answer-reply.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { freshHeaders, readFresh } from '../fresh.ts';
import { HttpProblem } from '../http-problem.ts';
import type { ApiMetrics } from '../metrics.ts';
import { parse } from '../parse.ts';
import { capitalized, type HttpOperation, type Route, whereInUse } from '../route.ts';
import type { HeadOutcome } from '../streams/live-head.ts';
import type { FoundHead } from '../streams/open-stream.ts';
import { contactView, shownSources } from '../views.ts';

const params = z.strictObject({ user: idSchema });

function queryOf({ name, hasRelations }: Kind, { relations }: Pick<Site, 'relations'>) {
  return z.strictObject({
    limit: wholeNumber(1, 100, DEFAULT_LIMIT).meta({
      description: `${capitalized(name)} in the answer. The index answers up to RECENCY_MAX (24). A trim may remove up to four entries, so from 21 to 24 the database answers now and then, until the index is refilled. Beyond RECENCY_MAX the database answers.`,
    }),
    relation: hasRelations ? relationParameter(relations) : noRelation,
    after: afterParameter,
    unseen: unseenParameter,
    ...answerParameters,
  });
}

/** The schema of a page about this kind: one object, because several routes document it. */
export function recentSchemaOf(kind: Kind): z.ZodObject {
  return SCHEMAS.get(kind.name) ?? newSchemaOf(kind);
}

const ORDER =
  'Most recently active first; of those that were active at the same time, by their ids as texts, from the highest ("9" before "10").';

function newSchemaOf(kind: Kind) {
  return z
    .strictObject({
      user: idSchema,
      [kind.name]: z.array(z.strictObject(fieldsOf(kind))).meta({ description: ORDER }),
      next: z.string().nullable().meta({ description: 'The `after` of the next page; null: this is the last page.' }),
      answer: answerSchema,
    })
    .meta({ id: `Recent${capitalized(kind.name)}` });
}

const SCHEMAS: ReadonlyMap<string, z.ZodObject> = new Map(KINDS.map((kind) => [kind.name, newSchemaOf(kind)]));

function operationOf(kind: Kind, query: z.ZodObject): HttpOperation {
  const { name, singular } = kind;
  return {
    id: `recent${capitalized(name)}`,
    method: 'get',
    path: `/v1/users/{user}/${name}/recent`,
    scope: 'read',
    tag: 'answers',
    summary: `The user's most recently active ${name}`,
    description: `Only ${name} with a photo that the user may see, ordered by the newest such photo.${whereInUse(kind)}`,
    params,
    query,
    headers: answerRequestHeaders.extend(freshHeaders.shape),
    replies: answerReplies('One page.', recentSchemaOf(kind)),
    ...(singular === CONTACTS.singular ? {} : { problems: [404] }),
  };
}

/** @param recent undefined: the kind is not in use */
export function recentContactsRoute(
  kind: Kind,
  recent: Pick<RecentContacts, 'find'> | undefined,
  { fresh, site }: Pick<ApiDependencies, 'fresh' | 'site'>,
  metrics: ApiMetrics,
): Route {
  const query = queryOf(kind, site);
  return {
    operation: operationOf(kind, query),
    handle: async (request, deadline) => {
      if (recent === undefined) throw new HttpProblem('not_found');
      const { user } = parse('path', params, request.params);
      const { limit, relation, after, unseen, since, consistency, max_lag } = parse('query', query, request.query);
      const wanted = { user, relation, limit, below: after, unseen, since, consistency, maxLagMs: max_lag, deadline };
      const found = await readFresh(fresh, request, { user, deadline }, (freshness) =>
        recent.find({ ...wanted, freshness }),
      );
      metrics.countAnswer(kind.name, found);
      return answerReply(request, pageView(kind, user, found), shownSources(kind.name, found.contacts), found);
    },
  };
}

/** The answer as a stream tells it. @throws what an answer throws */
export async function recentHead(
  kind: Kind,
  recent: Pick<RecentContacts, 'find'>,
  wanted: RecentQuery,
): Promise<FoundHead> {
  const found = await recent.find(wanted);
  return answerHead(pageView(kind, wanted.user, found), shownSources(kind.name, found.contacts), found);
}

/** The answers about several users, each as a stream tells it. @throws what answers throw, when there is none */
export async function recentHeads(
  kind: Kind,
  recentBatch: Pick<RecentBatch, 'find'>,
  users: readonly Id[],
  wanted: BatchQuery,
): Promise<ReadonlyMap<Id, HeadOutcome>> {
  const { outcomes } = await recentBatch.find(users, wanted);
  const headOf = (user: Id, found: RecentAnswer) =>
    answerHead(pageView(kind, user, found), shownSources(kind.name, found.contacts), found);
  return new Map(
    Array.from(outcomes, ([user, outcome]) => [
      user,
      'answer' in outcome ? { found: headOf(user, outcome.answer) } : outcome,
    ]),
  );
}

/** The page without `answer`. */
export function pageView(kind: Kind, user: Id, { contacts, more }: ContactPage) {
  const last = more ? contacts.at(-1) : undefined;
  const rows = contacts.map((contact) => contactView(contact, kind));
  return { user, [kind.name]: rows, next: last === undefined ? null : encodeCursor(last) };
}
