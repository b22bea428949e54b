import type { Request } from 'express';
import { z } from 'zod';
import { CONSISTENCIES, GREATEST_LAG_MS, NO_TIME, timeOf } from '../../contracts/answer-parameters.ts';
import { DEFAULT_LIMIT, relationField } from '../../contracts/http.ts';
import { idSchema } from '../../contracts/id.ts';
import { CONTACTS, KIND_NAMES, KINDS } from '../../contracts/kind.ts';
import { problemSchema } from '../../contracts/problem.ts';
import type { BatchOutcome } from '../../query/recent-batch.ts';
import type { Site } from '../../site/site.ts';
import { answerWith } from '../answer-reply.ts';
import type { ApiDependencies, KindAnswers } from '../dependencies.ts';
import { freshHeaders, readManyFresh } from '../fresh.ts';
import { HttpProblem, problemOf } from '../http-problem.ts';
import type { ApiMetrics } from '../metrics.ts';
import { jsonBody, parse } from '../parse.ts';
import { json, problemBody } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';
import { serverTiming, shownSources } from '../views.ts';
import { pageView, recentSchemaOf } from './recent-contacts.ts';

const MAX_USERS = 100;

const query = z.strictObject({});

const sinceField = z
  .union([z.string(), z.int().nonnegative()], NO_TIME)
  .transform((given, context) => {
    const at = typeof given === 'number' ? given : timeOf(given);
    if (at === undefined) context.issues.push({ code: 'custom', input: given, message: NO_TIME });
    return at ?? z.NEVER;
  })
  .optional()
  .meta({
    description: 'Only what was active at this time or later: RFC 3339, or ms since 1970 UTC.',
    override: { type: ['string', 'integer'] },
  });

const bodyOf = ({ relations }: Pick<Site, 'relations'>) =>
  z
    .strictObject({
      users: z
        .array(idSchema, 'must be an array of ids')
        .min(1, 'contains no user')
        .max(MAX_USERS, `contains more than ${MAX_USERS} users`)
        .meta({ description: 'A user may come several times.' }),
      kind: z.enum(KIND_NAMES).default(CONTACTS.name).meta({ description: 'One that RECENCY_KINDS names.' }),
      limit: z.int().min(1).max(100).default(DEFAULT_LIMIT).meta({ description: 'Sources in each answer.' }),
      relation: relationField(relations).default('any').meta({ description: 'Only of contacts.' }),
      since: sinceField,
      consistency: z.enum(CONSISTENCIES).default('index'),
      max_lag: z
        .int()
        .min(0)
        .max(GREATEST_LAG_MS)
        .optional()
        .meta({ description: 'As in the query of a single answer, ms.' }),
    })
    .meta({ id: 'RecentOfMany' });

const answersSchema = z
  .strictObject({
    answers: z.array(z.union([...KINDS.map(recentSchemaOf), problemSchema])).meta({
      description:
        'In the order of `users`: the same as a single answer, or a problem (it has `code`) for a user who cannot be answered now.',
    }),
  })
  .meta({ id: 'RecentAnswers' });

const operationWith = (body: z.ZodType): HttpOperation => ({
  id: 'recentOfMany',
  method: 'post',
  path: '/v1/recent',
  scope: 'read',
  tag: 'answers',
  summary: 'The most recently active contacts, or groups, of up to 100 users',
  description:
    'For digests and pages with many users. Each answer is the first page, certified by that user’s own index; `next` continues it at the route of that user. The reply is a problem only when nobody can be answered.',
  query,
  headers: freshHeaders,
  body,
  replies: {
    200: {
      description: 'An answer or a problem for each user.',
      schema: answersSchema,
      headers: z.object({
        'Server-Timing': z.string().meta({
          description: 'Time spent waiting, ms; where several users waited at once, the sum. index: Redis; db: MySQL.',
        }),
      }),
    },
  },
});

/** Called with the problem of a user who could not be answered. */
type OnUnanswered = (problem: HttpProblem, requestId: string) => void;

/** @param answers of every kind in use */
export function recentOfManyRoute(
  answers: readonly Pick<KindAnswers, 'kind' | 'recentBatch'>[],
  { fresh, site }: Pick<ApiDependencies, 'fresh' | 'site'>,
  metrics: ApiMetrics,
  onUnanswered: OnUnanswered,
): Route {
  const bodySchema = bodyOf(site);
  return {
    operation: operationWith(bodySchema),
    before: jsonBody,
    handle: async (request, deadline) => {
      parse('query', query, request.query);
      const body = parse('body', bodySchema, request.body);
      const { users, limit, relation, since, consistency, max_lag } = body;
      const { kind, recentBatch } = answersFor(body, answers);
      const asked = { limit, relation, since, consistency, maxLagMs: max_lag, deadline };
      const { outcomes, timing } = await readManyFresh(fresh, request, { users, deadline }, (freshness) =>
        recentBatch.find(users, { ...asked, freshness }),
      );
      const requestId = requestIdIn(request);
      const views = new Map(Array.from(outcomes, ([user, outcome]) => [user, viewOf(user, outcome)]));
      return json(200, { answers: users.map((user) => views.get(user)) }, serverTiming(timing));

      function viewOf(user: string, outcome: BatchOutcome) {
        if ('answer' in outcome) {
          metrics.countAnswer(kind.name, outcome.answer);
          return {
            ...pageView(kind, user, outcome.answer),
            answer: answerWith(outcome.answer, shownSources(kind.name, outcome.answer.contacts)),
          };
        }
        const problem = problemOf(outcome.error);
        onUnanswered(problem, requestId);
        return problemBody(problem, requestId);
      }
    },
  };
}

/** @throws HttpProblem invalid_body: the kind is not in use, or cannot be filtered */
function answersFor<A extends Pick<KindAnswers, 'kind'>>(
  { kind: name, relation }: Pick<z.output<ReturnType<typeof bodyOf>>, 'kind' | 'relation'>,
  answers: readonly A[],
): A {
  const refused = (field: string, detail: string) =>
    new HttpProblem('invalid_body', { detail: `${field}: ${detail}`, errors: [{ field, in: 'body', detail }] });
  const found = answers.find(({ kind }) => kind.name === name);
  if (found === undefined) {
    const names = answers.map(({ kind }) => kind.name).join(',');
    throw refused('kind', `${name} are not in use here; RECENCY_KINDS is ${names}`);
  }
  if (relation !== 'any' && !found.kind.hasRelations)
    throw refused('relation', 'must be any: only contacts are called friend or family');
  return found;
}

/** As the exchange gave it. */
function requestIdIn(request: Request): string {
  return String(request.res?.locals.requestId);
}
