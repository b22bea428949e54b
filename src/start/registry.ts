import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { closeServer, startMetricsServer } from './metrics-server.ts';
import type { ProcessContext } from './run-process.ts';

/** Metrics of one process, with those of Node itself. @param process as a label on every metric */
export function openRegistry(process: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Serves the metrics of a process without an API, unless METRICS_PORT is 0. @throws StartError when the port is taken */
export async function serveMetrics(
  { config, logger, resources }: Pick<ProcessContext, 'config' | 'logger' | 'resources'>,
  registry: Registry,
): Promise<void> {
  const { metricsPort: port, host }: Config = config;
  if (port === 0) return;
  resources.adopt(await startMetricsServer({ registry, host, port }), closeServer);
  logger.info({ host, port }, 'metrics at /metrics');
}
