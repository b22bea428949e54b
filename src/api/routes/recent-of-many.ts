import type { Request } from 'express';
import { z } from 'zod';
import { CONSISTENCIES, GREATEST_LAG_MS, NO_TIME, timeOf } from '../../contracts/answer-parameters.ts';
import { DEFAULT_LIMIT } from '../../contracts/http.ts';
import { idSchema } from '../../contracts/id.ts';
import { CONTACTS } from '../../contracts/kind.ts';
import { problemSchema } from '../../contracts/problem.ts';
import { RELATIONS } from '../../contracts/relation.ts';
import type { BatchOutcome, RecentBatch } from '../../query/recent-batch.ts';
import { answerWith } from '../answer-reply.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { freshHeaders, readManyFresh } from '../fresh.ts';
import { type HttpProblem, problemOf } from '../http-problem.ts';
import { jsonBody } from '../json-body.ts';
import type { ApiMetrics } from '../metrics.ts';
import { parse } from '../parse.ts';
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

const bodySchema = z
  .strictObject({
    users: z
      .array(idSchema, 'must be an array of ids')
      .min(1, 'contains no user')
      .max(MAX_USERS, `contains more than ${MAX_USERS} users`)
      .meta({ description: 'A user may come several times.' }),
    kind: z.enum([CONTACTS.name]).default(CONTACTS.name),
    limit: z.int().min(1).max(100).default(DEFAULT_LIMIT).meta({ description: 'Contacts in each answer.' }),
    relation: z.enum(RELATIONS).default('any'),
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
    answers: z.array(z.union([recentSchemaOf(CONTACTS), problemSchema])).meta({
      description:
        'In the order of `users`: the same as a single answer, or a problem (it has `code`) for a user who cannot be answered now.',
    }),
  })
  .meta({ id: 'RecentAnswers' });

const operation: HttpOperation = {
  id: 'recentOfMany',
  method: 'post',
  path: '/v1/recent',
  scope: 'read',
  tag: 'answers',
  summary: 'The most recently active contacts of up to 100 users',
  description:
    'For digests and pages with many users. Each answer is the first page, certified by that user’s own index; `next` continues it at the route of that user. The reply is a problem only when nobody can be answered.',
  query,
  headers: freshHeaders,
  body: bodySchema,
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
};

/** Called with the problem of a user who could not be answered. */
export type OnUnanswered = (problem: HttpProblem, requestId: string) => void;

export function recentOfManyRoute(
  batch: Pick<RecentBatch, 'find'>,
  fresh: ApiDependencies['fresh'],
  metrics: ApiMetrics,
  onUnanswered: OnUnanswered,
): Route {
  return {
    operation,
    before: jsonBody,
    handle: async (request, deadline) => {
      parse('query', query, request.query);
      const { users, limit, relation, since, consistency, max_lag } = parse('body', bodySchema, request.body);
      const asked = { limit, relation, since, consistency, maxLagMs: max_lag, deadline };
      const { outcomes, timing } = await readManyFresh(fresh, request, { users, deadline }, (freshness) =>
        batch.find(users, { ...asked, freshness }),
      );
      const requestId = requestIdIn(request);
      const views = new Map(Array.from(outcomes, ([user, outcome]) => [user, viewOf(user, outcome)]));
      return json(200, { answers: users.map((user) => views.get(user)) }, serverTiming(timing));

      function viewOf(user: string, outcome: BatchOutcome) {
        if ('answer' in outcome) {
          metrics.countAnswer('contacts', outcome.answer);
          return {
            ...pageView(CONTACTS, user, outcome.answer),
            answer: answerWith(outcome.answer, shownSources(CONTACTS.name, outcome.answer.contacts)),
          };
        }
        const problem = problemOf(outcome.error);
        onUnanswered(problem, requestId);
        return problemBody(problem, requestId);
      }
    },
  };
}

/** As the exchange gave it. */
function requestIdIn(request: Request): string {
  return String(request.res?.locals.requestId);
}
