import type { Registry } from 'prom-client';
import { text } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

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
