/**
 * Spans, for the rest of the code. Tracing is off unless `useTracer` was called: then everything here returns at once, and
 * OpenTelemetry is not even loaded (open-telemetry.ts).
 *
 * A span never holds SQL, values of rows or tokens. Ids of users and tasks are the only data of a site in it.
 */
import type { TraceParent } from './trace-parent.ts';

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** Default: internal. */
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: SpanAttributes;
  /** Left out: the span that is active. Null: none, so that a trace begins. */
  readonly parent?: TraceParent | null | undefined;
  /** Other spans that led to this one. */
  readonly links?: readonly TraceParent[];
  /** Added to every log line within the span. */
  readonly logFields?: Readonly<Record<string, string>>;
}

/** A span that has begun. */
export interface LiveSpan {
  /** Its own context, for whatever it causes elsewhere. */
  readonly self: TraceParent;
  rename(name: string): void;
  /** Attributes that are undefined are left out. */
  set(attributes: SpanAttributes): void;
  /** @param cause an error, or the name of a class of errors */
  fail(cause: unknown): void;
  end(): void;
  /** Runs `work` with this span as the active one, also in what it awaits. */
  run<T>(work: () => T): T;
}

/** What makes spans. */
export interface SpanMaker {
  begin(name: string, options: SpanOptions): LiveSpan;
  /** The span that is active and has not ended, if it is recorded. */
  active(): LiveSpan | undefined;
  /** Fields of a log line: the ids of the active trace and span, and the `logFields` of the spans around. */
  logFields(): Readonly<Record<string, string>>;
  /** Calls a Lua script so in the spans of its calls. Left out: its calls are called EVALSHA. */
  nameScript?(lua: string, name: string): void;
}

let maker: SpanMaker | undefined;

/** Turns tracing on for this process, or off again. */
export function useTracer(given: SpanMaker | undefined): void {
  maker = given;
}

export function isTracing(): boolean {
  return maker !== undefined;
}

/** The caller ends it. Undefined: tracing is off. */
export function beginSpan(name: string, options: SpanOptions = {}): LiveSpan | undefined {
  return maker?.begin(name, options);
}

const PLAIN: SpanOptions = {};

/** Does the work within a span, which ends with it. @throws what the work throws, and the span says so */
export function inSpan<T>(name: string, work: () => Promise<T>, options: SpanOptions = PLAIN): Promise<T> {
  return maker === undefined ? work() : within(maker.begin(name, options), work);
}

/** The same in a span that has begun. */
export async function within<T>(span: LiveSpan, work: () => Promise<T>): Promise<T> {
  try {
    return await span.run(work);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** Adds to the active span. */
export function annotate(attributes: SpanAttributes): void {
  maker?.active()?.set(attributes);
}

/** The active span; undefined: none is recorded, or tracing is off. For work that begins here and is done elsewhere. */
export function activeSpan(): LiveSpan | undefined {
  return maker?.active();
}

/** The context of the active span; undefined: none, or tracing is off. */
export function activeParent(): TraceParent | undefined {
  return maker?.active()?.self;
}

const NO_FIELDS: Readonly<Record<string, string>> = {};

/** For every log line: see {@link SpanMaker.logFields}. */
export function traceLogFields(): Readonly<Record<string, string>> {
  return maker === undefined ? NO_FIELDS : maker.logFields();
}

/** See {@link SpanMaker.nameScript}. A script is named when it is defined, which is after tracing was turned on. */
export function nameScript(lua: string, name: string): void {
  maker?.nameScript?.(lua, name);
}
