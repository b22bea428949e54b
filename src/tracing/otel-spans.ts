/** Spans of OpenTelemetry's API, as the rest of the code knows them. Loaded only where tracing is on. */
import {
  type Context,
  context,
  createContextKey,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { CallNames } from './call-names.ts';
import type { TraceParent } from './trace-parent.ts';
import type { LiveSpan, SpanAttributes, SpanMaker, SpanOptions } from './tracing.ts';

const LOG_FIELDS = createContextKey('log fields of recency');

const KINDS: Readonly<Record<NonNullable<SpanOptions['kind']>, SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

const W3C = new W3CTraceContextPropagator();

const GETTER = {
  get: (carrier: TraceParent, name: string) => carrier[name as keyof TraceParent],
  keys: (carrier: TraceParent) => Object.keys(carrier),
};

const SETTER = {
  set: (carrier: Record<string, string>, name: string, value: string) => {
    if (value !== '') carrier[name] = value;
  },
};

export class OtelSpanMaker implements SpanMaker {
  readonly #tracer: Tracer;
  readonly #names: CallNames;

  constructor(tracer: Tracer, names: CallNames) {
    this.#tracer = tracer;
    this.#names = names;
  }

  nameScript(lua: string, name: string): void {
    this.#names.nameScript(lua, name);
  }

  begin(name: string, { kind = 'internal', attributes, parent, links, logFields }: SpanOptions): LiveSpan {
    const around = contextUnder(parent);
    const span = this.#tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        ...(attributes === undefined ? {} : { attributes: { ...attributes } }),
        ...(links === undefined ? {} : { links: links.flatMap(linkOf) }),
      },
      around,
    );
    const own = trace.setSpan(around, span);
    return new OtelSpan(span, logFields === undefined ? own : own.setValue(LOG_FIELDS, logFields));
  }

  active(): LiveSpan | undefined {
    const here = context.active();
    const span = trace.getSpan(here);
    return span?.isRecording() ? new OtelSpan(span, here) : undefined;
  }

  logFields(): Readonly<Record<string, string>> {
    const here = context.active();
    const own = here.getValue(LOG_FIELDS) as Readonly<Record<string, string>> | undefined;
    const span = trace.getSpanContext(here);
    if (span === undefined) return own ?? {};
    return { trace_id: span.traceId, span_id: span.spanId, trace_flags: flagsOf(span.traceFlags), ...own };
  }
}

function flagsOf(flags: number): string {
  return flags.toString(16).padStart(2, '0');
}

function contextUnder(parent: SpanOptions['parent']): Context {
  if (parent === undefined) return context.active();
  const outside = trace.deleteSpan(context.active());
  return parent === null ? outside : W3C.extract(outside, parent, GETTER);
}

function linkOf(parent: TraceParent): Link[] {
  const linked = trace.getSpanContext(W3C.extract(ROOT_CONTEXT, parent, GETTER));
  return linked === undefined ? [] : [{ context: linked }];
}

class OtelSpan implements LiveSpan {
  readonly #span: Span;
  readonly #context: Context;

  constructor(span: Span, own: Context) {
    this.#span = span;
    this.#context = own;
  }

  get self(): TraceParent {
    const carrier: Record<string, string> = {};
    W3C.inject(this.#context, carrier, SETTER);
    return carrier as unknown as TraceParent;
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes({ ...attributes });
  }

  fail(cause: unknown): void {
    // Not the message: it may quote a row, a statement or an address with a password.
    this.#span.setAttribute('error.type', cause instanceof Error ? cause.name : String(cause));
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end();
  }

  run<T>(work: () => T): T {
    return context.with(this.#context, work);
  }
}
