import type { Logger } from 'pino';
import { loadTracing, type TracingConfig } from '../config/tracing.ts';

/** How long the end of a process may wait for the collector, ms. */
const FLUSH_MS = 2_000;

export interface TracingOpening {
  readonly version: string;
  /** Its binding `process` names the service: `recency-serve`. */
  readonly logger: Logger;
  /** Sends what is left, as the last thing that is closed. */
  readonly resources: AsyncDisposableStack;
}

/**
 * Turns tracing on if the environment asks for it (docs/tracing.md). Open it before anything else: what is opened later may
 * still make spans while it closes.
 * @throws ConfigError
 */
export async function startTracing(opening: TracingOpening, config = loadTracing()): Promise<void> {
  if (config === undefined) return;
  const { logger, resources } = opening;
  const opened = await open(config, opening);
  resources.defer(() => opened.close(FLUSH_MS));
  logger.info({ sampler: config.sampler, protocol: config.protocol }, 'tracing is on');
}

async function open(config: TracingConfig, { version, logger }: TracingOpening) {
  const { openTracing } = await import('../tracing/open-telemetry.ts');
  const onProblem = (problem: string) => logger.warn({ problem }, 'traces are not sent; spans may be lost');
  return await openTracing(config, { service: `recency-${logger.bindings().process}`, version }, onProblem);
}
