import type { Registry } from 'prom-client';
import { z } from 'zod';
import type { CheckResult, Readiness, ReportResult } from '../readiness.ts';
import { json, type Reply, text } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const aliveSchema = z.strictObject({ status: z.literal('alive') }).meta({ id: 'Alive' });
const startedSchema = z.strictObject({ status: z.enum(['started', 'starting']) }).meta({ id: 'Started' });

const checkSchema = z.strictObject({
  ok: z.boolean().meta({ description: 'Of a report: whether its state is fine.' }),
  state: z.enum(['fine', 'warning', 'problem']).optional().meta({
    description:
      'Only of a report, such as a backlog or the epoch: how bad is what it says. A report is never in `failing`, and changes no status.',
  }),
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
    checks: z
      .record(z.string(), checkSchema)
      .optional()
      .meta({ description: 'Only with ?verbose: every check and report.' }),
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
  query: z.object({
    verbose: z.string().optional().meta({ description: 'With any value: list every check and report.' }),
  }),
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
      handle: (request) => readyReply(readiness, 'verbose' in request.query),
    },
    {
      operation: startupz,
      handle: () => (hasStarted() ? json(200, { status: 'started' }) : json(503, { status: 'starting' })),
    },
  ];
}

/** 503 if a needed check failed, otherwise 200; with the names of all failed checks. @param verbose every check and report */
export async function readyReply(readiness: Pick<Readiness, 'check' | 'report'>, verbose: boolean): Promise<Reply> {
  const [results, reports] = await Promise.all([readiness.check(), verbose ? readiness.report() : []]);
  const failed = results.filter(({ ok }) => !ok);
  const isUnready = failed.some(({ needed }) => needed);
  const views = [...results.map(checkView), ...reports.map(reportView)];
  const body: z.input<typeof readySchema> = {
    status: isUnready ? 'unready' : failed.length > 0 ? 'degraded' : 'ready',
    failing: failed.map(({ name }) => name),
    ...(verbose ? { checks: Object.fromEntries(views) } : {}),
  };
  return json(isUnready ? 503 : 200, body);
}

type NamedView = readonly [name: string, view: z.input<typeof checkSchema>];

function checkView({ name, ok, ms, detail }: CheckResult): NamedView {
  return [name, { ok, ms: rounded(ms), ...(detail === undefined ? {} : { detail }) }];
}

function reportView({ name, state, ms, detail }: ReportResult): NamedView {
  return [name, { ok: state === 'fine', state, ms: rounded(ms), detail }];
}

const rounded = (ms: number) => Math.round(ms * 1000) / 1000;

const operation: HttpOperation = {
  id: 'metrics',
  method: 'get',
  path: '/metrics',
  tag: 'service',
  summary: 'Metrics for Prometheus',
  problems: [429],
  replies: { 200: { description: 'Prometheus text format.', contentType: 'text/plain' } },
};

/** @param read the text of all metrics */
export function metricsRoute({ contentType }: Pick<Registry, 'contentType'>, read: () => Promise<string>): Route {
  return { operation, handle: async () => text(200, contentType, await read()) };
}
