/** Tracing is set by OpenTelemetry's own variables. https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
import process from 'node:process';
import { ConfigError, type Environment, type SettingProblem } from './environment.ts';

export const SAMPLERS = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
] as const;

export type SamplerName = (typeof SAMPLERS)[number];

export const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

export interface TracingConfig {
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly sampler: SamplerName;
  /** The share of new traces that a sampler by ratio takes, 0–1. */
  readonly ratio: number;
  readonly batches: {
    /** Spans that wait to be sent, at most: further ones are dropped. */
    readonly maxQueueSize: number;
    /** Spans sent together, at most. */
    readonly maxExportBatchSize: number;
    /** The longest wait of a span before it is sent, ms. */
    readonly scheduledDelayMillis: number;
    /** The longest that sending may take, ms. */
    readonly exportTimeoutMillis: number;
  };
}

/**
 * Undefined: tracing is off, as it is unless OTEL_TRACES_EXPORTER is `otlp`. Where it is off, no other variable is looked at.
 * @throws ConfigError which names every wrong variable
 */
export function loadTracing(environment: Environment = process.env): TracingConfig | undefined {
  const given = (name: string) => environment[name]?.trim() || undefined;
  const problems: SettingProblem[] = [];
  if (given('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const exporter = oneOf('OTEL_TRACES_EXPORTER', given('OTEL_TRACES_EXPORTER'), ['none', 'otlp'], problems);
  if (problems.length > 0) throw new ConfigError(problems);
  if (exporter === 'none') return undefined;
  const protocolName = given('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL')
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const whole = (name: string, fallback: number) => wholeAtLeastOne(name, given(name), fallback, problems);
  const maxQueueSize = whole('OTEL_BSP_MAX_QUEUE_SIZE', 2_048);
  const samplers = ['parentbased_always_on', ...SAMPLERS] as const;
  const config: TracingConfig = {
    protocol: oneOf(protocolName, given(protocolName), PROTOCOLS, problems),
    sampler: oneOf('OTEL_TRACES_SAMPLER', given('OTEL_TRACES_SAMPLER'), samplers, problems),
    ratio: share('OTEL_TRACES_SAMPLER_ARG', given('OTEL_TRACES_SAMPLER_ARG'), problems),
    batches: {
      maxQueueSize,
      maxExportBatchSize: whole('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', Math.min(512, maxQueueSize)),
      scheduledDelayMillis: whole('OTEL_BSP_SCHEDULE_DELAY', 5_000),
      exportTimeoutMillis: whole('OTEL_BSP_EXPORT_TIMEOUT', 30_000),
    },
  };
  endpointProblems(given, problems);
  if (config.batches.maxExportBatchSize > maxQueueSize) {
    problems.push({ name: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', message: 'must not exceed OTEL_BSP_MAX_QUEUE_SIZE' });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The value, which is the first of those allowed if none is given. */
function oneOf<const T extends string>(
  name: string,
  text: string | undefined,
  allowed: readonly [T, ...T[]],
  problems: SettingProblem[],
): T {
  const [fallback] = allowed;
  const found = allowed.find((value) => value === (text ?? fallback));
  if (found === undefined) problems.push({ name, message: `must be one of ${[...new Set(allowed)].join(', ')}` });
  return found ?? fallback;
}

const MOST = 1_000_000;

function wholeAtLeastOne(name: string, text: string | undefined, fallback: number, problems: SettingProblem[]): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= MOST) return value;
  problems.push({ name, message: `must be a whole number from 1 to ${MOST}` });
  return fallback;
}

function share(name: string, text: string | undefined, problems: SettingProblem[]): number {
  if (text === undefined) return 1;
  const value = Number(text);
  if (value >= 0 && value <= 1) return value;
  problems.push({ name, message: 'must be a number from 0 to 1' });
  return 1;
}

/** The exporter itself would only log a wrong one, or fail with every batch. The value may hold a password. */
function endpointProblems(given: (name: string) => string | undefined, problems: SettingProblem[]): void {
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) {
    const text = given(name);
    if (text === undefined || /^https?:$/.test(URL.parse(text)?.protocol ?? '')) continue;
    problems.push({ name, message: 'must be an address: http://… or https://…' });
  }
}
