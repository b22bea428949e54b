import { z } from 'zod';
import type { FanOutInProgress } from '../../index/redis/fan-out-progress.ts';
import type { Deadline } from '../../timing/deadline.ts';
import { fanOutSchema, fanOutView } from '../fan-out-view.ts';
import { parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

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
