import { AsyncLocalStorage } from 'node:async_hooks';
import { onTestFinished } from 'vitest';
import type { TraceParent } from '../../src/tracing/trace-parent.ts';
import { type LiveSpan, type SpanOptions, useTracer } from '../../src/tracing/tracing.ts';

export interface RecordedSpan {
  readonly name: string;
  readonly options: SpanOptions;
  readonly self: TraceParent;
  failure?: unknown;
  ends: number;
}

/** Turns tracing on in this process for one test, and keeps what is recorded. */
export function recordSpans(): RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  const here = new AsyncLocalStorage<LiveSpan>();
  const begin = (name: string, options: SpanOptions): LiveSpan => {
    const id = String(spans.length + 1).padStart(16, '0');
    const self = { traceparent: `00-${'f'.repeat(32)}-${id}-01` };
    const recorded: RecordedSpan = { name, options, self, ends: 0 };
    spans.push(recorded);
    const span: LiveSpan = {
      self,
      rename: () => undefined,
      set: () => undefined,
      fail: (cause) => {
        recorded.failure = cause;
      },
      end: () => {
        recorded.ends++;
      },
      run: (work) => here.run(span, work),
    };
    return span;
  };
  useTracer({ begin, active: () => here.getStore(), logFields: () => ({ trace_id: 'f'.repeat(32) }) });
  onTestFinished(() => useTracer(undefined));
  return spans;
}
