import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until.ts';

type Value = string | number | boolean;

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  /** '' in a span that begins a trace. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly attributes: Readonly<Record<string, Value>>;
  /** The spans that it links to. */
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isFailed: boolean;
}

/** Receives spans by OTLP over HTTP, as JSON. */
export class Collector implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      this.spans.push(...spansIn(JSON.parse(Buffer.concat(parts).toString())));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });

  static async open(): Promise<Collector> {
    const collector = new Collector();
    await once(collector.#server.listen(0, '127.0.0.1'), 'listening');
    return collector;
  }

  /** The variables with which a process sends its spans here at once. */
  get environment(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
  }

  /** Waits for a span. */
  has(what: string, is: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
    return until(() => this.spans.find(is), { what: `the span ${what}` });
  }

  /** Waits for a span with this name under another one, at any depth. */
  hasUnder({ spanId }: Pick<ReceivedSpan, 'spanId'>, name: string | RegExp): Promise<ReceivedSpan> {
    const isNamed = (span: ReceivedSpan) => (typeof name === 'string' ? span.name === name : name.test(span.name));
    return this.has(`${name} under ${spanId}`, (span) => isNamed(span) && this.#isUnder(span, spanId));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #isUnder(span: ReceivedSpan, ancestor: string): boolean {
    if (span.parentSpanId === ancestor) return true;
    const parent = this.spans.find(({ spanId }) => spanId === span.parentSpanId);
    return parent !== undefined && this.#isUnder(parent, ancestor);
  }
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, Value>>;
}

interface OtlpSpan extends Omit<ReceivedSpan, 'attributes' | 'service' | 'isFailed'> {
  readonly attributes?: readonly OtlpAttribute[];
  readonly status?: { readonly code?: number };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
function spansIn({ resourceSpans }: OtlpBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes = [], status, parentSpanId = '', traceState = '', links = [], ...span }) => ({
        ...span,
        ...{ service, parentSpanId, traceState, links },
        attributes: valuesOf(attributes),
        isFailed: status?.code === 2,
      })),
    );
  });
}

function valuesOf(attributes: readonly OtlpAttribute[]): Record<string, Value> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as Value]));
}

/** A sampled context of a caller that is not Recency. `digit`: its ids consist of it, 1–9. */
export function foreignParent(digit: number) {
  const [traceId, spanId] = [String(digit).repeat(32), String(digit).repeat(16)];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
}
