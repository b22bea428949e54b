import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Check, Readiness } from '../api/readiness.ts';
import { PortTaken, startMetricsServer } from './metrics-server.ts';
import type { ProcessContext } from './run-process.ts';

/** Metrics of one process, with those of Node itself. @param process as a label on every metric */
export function openRegistry(process: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** ms that each check of the readiness may take. */
const CHECK_DEADLINE_MS = 2_000;

export interface MetricsOptions {
  readonly registry: Registry;
  /** What must be there for the process to do its work, by name. */
  readonly checks: Readonly<Record<string, Check>>;
  /** Used when METRICS_PORT is not set, on loopback. */
  readonly port: number;
}

/**
 * Serves the metrics and the readiness of a process without an API, unless METRICS_PORT is 0. A port that somebody else has is
 * a warning: a second consumer of the same machine does its work without.
 * @throws StartError when the address cannot be used
 */
export async function serveMetrics(
  { config, logger, resources }: Pick<ProcessContext, 'config' | 'logger' | 'resources'>,
  { registry, checks, port: fallback }: MetricsOptions,
): Promise<void> {
  const { metricsPort } = config;
  const [host, port] = metricsPort === undefined ? ['127.0.0.1', fallback] : [config.host, metricsPort];
  if (port === 0) return;
  const onFailure = (check: string, err: unknown) => logger.warn({ check, err }, 'not ready');
  const readiness = new Readiness({
    ...{ checks, deadlineMs: CHECK_DEADLINE_MS, onFailure },
    now: () => performance.now(),
  });
  try {
    const onError = (err: Error) => logger.error({ err }, 'a connection could not be accepted');
    const running = await startMetricsServer({ registry, readiness, host, port, onError });
    resources.defer(() => running.close());
    logger.info({ host, port }, 'metrics at /metrics, readiness at /readyz');
  } catch (error) {
    if (!(error instanceof PortTaken)) throw error;
    const text = 'another process has this port: no metrics here. Set RECENCY_METRICS_PORT to another one, or to 0';
    logger.warn({ host, port }, text);
  }
}
