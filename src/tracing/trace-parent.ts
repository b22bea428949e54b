/** The trace context that requests, messages and rows carry. https://www.w3.org/TR/trace-context/ */
export interface TraceParent {
  readonly traceparent: string;
  /** Of the systems that the trace has passed through; only passed on. */
  readonly tracestate?: string;
}

// Fields that a later version may add come after another dash; version 00 has none.
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** As long as vendors must pass on. A longer one may be left out. */
const LONGEST_STATE = 512;

const LONGEST_PARENT = 255;

export function isTraceparent(text: string): boolean {
  if (text.length > LONGEST_PARENT) return false;
  const [found, version, , , , more] = TRACEPARENT.exec(text) ?? [];
  return found !== undefined && !(version === '00' && more !== undefined);
}

/** Those of headers; undefined where there is none, or a malformed one, which the standard says to ignore. */
export function traceParentOf(headers: Readonly<Record<string, unknown>>): TraceParent | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || !isTraceparent(traceparent)) return undefined;
  const isCarried = typeof tracestate === 'string' && tracestate !== '' && tracestate.length <= LONGEST_STATE;
  return isCarried ? { traceparent, tracestate } : { traceparent };
}

/** Whether its spans are recorded: the sampled flag. */
export function isSampled({ traceparent }: TraceParent): boolean {
  const flags = TRACEPARENT.exec(traceparent)?.[4] ?? '00';
  return (Number.parseInt(flags, 16) & 1) === 1;
}
