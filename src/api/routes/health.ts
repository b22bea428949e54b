import { z } from 'zod';
import type { CheckResult, Readiness } from '../readiness.ts';
import { json, type Reply } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const aliveSchema = z.strictObject({ status: z.literal('alive') }).meta({ id: 'Alive' });
const startedSchema = z.strictObject({ status: z.enum(['started', 'starting']) }).meta({ id: 'Started' });

const checkSchema = z.strictObject({
  ok: z.boolean(),
  ms: z.number().nonnegative(),
  detail: z.string().optional(),
});

const readySchema = z
  .strictObject({
    status: z.enum(['ready', 'degraded', 'unready']).meta({
      description:
        'degraded: Redis or the transport is unavailable; MySQL answers. unready: MySQL is unavailable; there are no answers.',
    }),
    failing: z.array(z.string()).meta({ description: 'The names of the checks that failed.' }),
    checks: z.record(z.string(), checkSchema).optional().meta({ description: 'Only with ?verbose: every check.' }),
  })
  .meta({ id: 'Readiness' });

const livez: HttpOperation = {
  id: 'livez',
  method: 'get',
  path: '/livez',
  tag: 'service',
  summary: 'Is the process alive? Restart it if this does not answer',
  replies: { 200: { description: 'It is.', schema: aliveSchema } },
};

const readyz: HttpOperation = {
  id: 'readyz',
  method: 'get',
  path: '/readyz',
  tag: 'service',
  summary: 'Should requests be sent here?',
  problems: [429],
  query: z.object({ verbose: z.string().optional().meta({ description: 'With any value: list every check.' }) }),
  replies: {
    200: { description: 'Yes: ready, or degraded.', schema: readySchema },
    503: { description: 'No: unready.', schema: readySchema },
  },
};

const startupz: HttpOperation = {
  id: 'startupz',
  method: 'get',
  path: '/startupz',
  tag: 'service',
  summary: 'Has the process started?',
  replies: {
    200: { description: 'It has.', schema: startedSchema },
    503: { description: 'Not yet.', schema: startedSchema },
  },
};

export function healthRoutes(readiness: Readiness, hasStarted: () => boolean): Route[] {
  return [
    { operation: livez, handle: () => json(200, { status: 'alive' }) },
    {
      operation: readyz,
      handle: async (request) => readyReply(await readiness.check(), 'verbose' in request.query),
    },
    {
      operation: startupz,
      handle: () => (hasStarted() ? json(200, { status: 'started' }) : json(503, { status: 'starting' })),
    },
  ];
}

/** 503 if a needed check failed, otherwise 200; with the names of all failed checks. @param verbose include every check */
export function readyReply(results: readonly CheckResult[], verbose: boolean): Reply {
  const failed = results.filter(({ ok }) => !ok);
  const isUnready = failed.some(({ needed }) => needed);
  const body: z.input<typeof readySchema> = {
    status: isUnready ? 'unready' : failed.length > 0 ? 'degraded' : 'ready',
    failing: failed.map(({ name }) => name),
    ...(verbose ? { checks: Object.fromEntries(results.map((result) => [result.name, checkView(result)])) } : {}),
  };
  return json(isUnready ? 503 : 200, body);
}

function checkView({ ok, ms, detail }: CheckResult): z.input<typeof checkSchema> {
  return { ok, ms: Math.round(ms * 1000) / 1000, ...(detail === undefined ? {} : { detail }) };
}
