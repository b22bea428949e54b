import type { SiteIds } from '../task-row.ts';

/** How tasks are written. */
export interface WriteOptions extends SiteIds {
  /**
   * The W3C trace context of the change, for its spans in Recency: what `propagation.inject` of OpenTelemetry gives. It is written
   * to the column `traceparent`, which `recency migrate` adds. A malformed one is left out, as the standard says.
   */
  readonly traceparent?: string | undefined;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header-field-values */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** The columns for it: none without a valid one, so that the table needs none. */
export function traceColumns({ traceparent = '' }: WriteOptions): { readonly traceparent?: string } {
  return TRACEPARENT.test(traceparent) ? { traceparent } : {};
}
