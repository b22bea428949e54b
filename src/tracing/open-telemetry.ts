/**
 * Spans by OpenTelemetry's SDK. Loaded only where tracing is on.
 *
 * Spans that have ended wait in a queue of bounded length for the exporter, which sends them in the background. While the
 * collector is away or slow, the queue is full and spans are dropped: no request and no task waits for it.
 */
import { context, DiagLogLevel, diag } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { SamplerName, TracingConfig } from '../config/tracing.ts';
import { CallNames } from './call-names.ts';
import { OtelSpanMaker } from './otel-spans.ts';
import { recordStoreSpans } from './store-spans.ts';
import { useTracer } from './tracing.ts';

interface OpenTracing {
  /** Sends what waits, for at most so long, ms, and turns tracing off. What is not sent by then is lost. */
  close(withinMs: number): Promise<void>;
}

interface TracingIdentity {
  /** `service.name`, unless the environment names another. */
  readonly service: string;
  readonly version: string;
}

/**
 * Turns tracing on for this process.
 * @param onProblem told why spans are not sent, in the SDK's words; not more often than every `PROBLEM_MS`
 */
export async function openTracing(
  config: TracingConfig,
  { service, version }: TracingIdentity,
  onProblem: (problem: string) => void,
): Promise<OpenTracing> {
  diag.setLogger(problemsOnly(onProblem), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': service, 'service.version': version }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
  const exporter = await openExporter(config);
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...config.batches })],
  });
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  const names = new CallNames();
  useTracer(new OtelSpanMaker(provider.getTracer('recency', version), names));
  const stopRecording = recordStoreSpans(names);
  return {
    close: async (withinMs) => {
      stopRecording();
      useTracer(undefined);
      await settledWithin(provider.shutdown(), withinMs, onProblem);
      context.disable();
      diag.disable();
    },
  };
}

/** Only the protocol in use is loaded. The rest of its settings it reads itself: endpoint, headers, timeout, certificates. */
async function openExporter({ protocol }: TracingConfig): Promise<SpanExporter> {
  if (protocol === 'http/json') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    return new OTLPTraceExporter();
  }
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const roots: Readonly<Record<SamplerName, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
    parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    parentbased_traceidratio: () => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
  };
  return roots[sampler]();
}

async function settledWithin(work: Promise<void>, ms: number, onProblem: (problem: string) => void): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.reject(new Error(`not everything was sent within ${ms} ms`)), ms);
  try {
    await Promise.race([work, late.promise]);
  } catch (error) {
    onProblem(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
}

/** While a collector is away, every batch of spans fails in the same way. */
const PROBLEM_MS = 60_000;

/** The SDK's own log. Its errors come as JSON, of which only the message is passed on. */
function problemsOnly(onProblem: (problem: string) => void) {
  let last = Number.NEGATIVE_INFINITY;
  const tell = (message: string) => {
    if (performance.now() - last < PROBLEM_MS) return;
    last = performance.now();
    onProblem(messageIn(message));
  };
  const ignore = () => undefined;
  return { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
}

const LONGEST_PROBLEM = 300;

function messageIn(text: string): string {
  try {
    const { message, code, name } = JSON.parse(text) as Record<string, unknown>;
    const said = [message, code, name].find((part) => typeof part === 'string' && part !== '');
    return String(said ?? 'unknown error').slice(0, LONGEST_PROBLEM);
  } catch {
    return text.slice(0, LONGEST_PROBLEM);
  }
}
