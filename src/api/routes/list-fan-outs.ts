import { z } from 'zod';
import { isoTime, timeSchema } from '../../contracts/http.ts';
import { idSchema } from '../../contracts/id.ts';
import { KIND_NAMES } from '../../contracts/kind.ts';
import type { FanOutInProgress } from '../../index/redis/fan-out-progress.ts';
import type { Deadline } from '../../timing/deadline.ts';
import { parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const count = z.int().nonnegative();

const fanOutSchema = z
  .strictObject({
    kind: z.enum(KIND_NAMES),
    owner: idSchema,
    planned_at: timeSchema,
    segments: z.strictObject({ done: count, of: count }),
    followers: z
      .strictObject({ done: count, estimated: count })
      .meta({ description: 'Refreshed so far; and of the whole audience, as far as the segments that are done tell.' }),
    users_per_second: count.nullable().meta({ description: 'null: no segment is done yet.' }),
    ends_at: timeSchema.nullable().meta({ description: 'If it goes on like this; null: no segment is done yet.' }),
  })
  .meta({ id: 'FanOut' });

/** One large fan-out in JSON, for the API and the command line. */
export function fanOutView({ kind, owner, plannedAt, segments, followers, ...found }: FanOutInProgress) {
  const { usersPerSecond, endsAt } = found;
  return {
    ...{ kind, owner, planned_at: isoTime(plannedAt), segments, followers },
    users_per_second: usersPerSecond === undefined ? null : Math.round(usersPerSecond),
    ends_at: endsAt === undefined ? null : isoTime(Math.round(endsAt)),
  } satisfies z.input<typeof fanOutSchema>;
}

const query = z.strictObject({});

const operation: HttpOperation = {
  id: 'listFanOuts',
  method: 'get',
  path: '/v1/fan-outs',
  scope: 'admin',
  tag: 'indexes',
  summary: 'Large fan-outs in progress',
  description:
    'Those to audiences of more than a page of followers, from their plan until their last segment is done; the oldest first.',
  query,
  replies: {
    200: {
      description: 'None, if there are none.',
      schema: z.strictObject({ fan_outs: z.array(fanOutSchema) }).meta({ id: 'FanOuts' }),
    },
  },
};

/** @param list those that are in progress */
export function listFanOutsRoute(list: (deadline: Deadline) => Promise<readonly FanOutInProgress[]>): Route {
  return {
    operation,
    handle: async (request, deadline) => {
      parse('query', query, request.query);
      return json(200, { fan_outs: (await list(deadline)).map(fanOutView) });
    },
  };
}
