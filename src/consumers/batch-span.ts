import { isSampled, type TraceParent, traceParentOf } from '../tracing/trace-parent.ts';
import { beginSpan, isTracing, within } from '../tracing/tracing.ts';
import type { Delivery } from '../transport/task-source.ts';

/** Links of one span, at most, as in OpenTelemetry's own limit: of a batch with more causes, the first ones have links. */
export const MOST_LINKS = 128;

/**
 * Does the work of a batch within a span. Its tasks are done together, and what they ask for once; so their traces meet here.
 * The batch belongs to the trace of its first sampled task, and links to all others; each of these gets a span of its own,
 * which links to the batch.
 */
export function inBatchSpan<T>(deliveries: readonly Delivery[], work: () => Promise<T>): Promise<T> {
  return isTracing() ? traced(deliveries, work) : work();
}

async function traced<T>(deliveries: readonly Delivery[], work: () => Promise<T>): Promise<T> {
  const { parent, others } = causesOf(deliveries);
  const { name, attributes } = described(deliveries);
  const span = beginSpan(name, { kind: 'consumer', parent: parent ?? null, links: others, attributes });
  if (span === undefined) return await work();
  const links = [span.self];
  const own = others.filter(isSampled).map((cause) => beginSpan(name, { kind: 'consumer', parent: cause, links }));
  try {
    return await within(span, work);
  } catch (error) {
    for (const one of own) one?.fail(error);
    throw error;
  } finally {
    for (const one of own) one?.end();
  }
}

/** The contexts of the tasks, each once. */
function causesOf(deliveries: readonly Delivery[]): { parent: TraceParent | undefined; others: TraceParent[] } {
  const causes = new Map<string, TraceParent>();
  for (const { headers } of deliveries) {
    const cause = traceParentOf(headers);
    if (cause !== undefined) causes.set(cause.traceparent, cause);
  }
  const all = [...causes.values()];
  const parent = all.find(isSampled) ?? all[0];
  return { parent, others: all.filter((cause) => cause !== parent).slice(0, MOST_LINKS) };
}

/** `kafka:<topic>:<partition>:<offset>`, `streams:<key>:<entry>`. */
const POSITION = /^(?:(kafka):(.*):(\d+):(\d+)|streams:(.*):[^:]*)$/;

function described(deliveries: readonly Delivery[]) {
  const [first] = deliveries;
  const [, kafka, topic, partition, offset, stream] = POSITION.exec(first?.position ?? '') ?? [];
  const destination = topic ?? stream;
  const isOne = deliveries.length === 1;
  const attributes = {
    'messaging.system': kafka ?? 'redis',
    'messaging.destination.name': destination,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.batch.message_count': isOne ? undefined : deliveries.length,
    'messaging.message.id': isOne ? first?.headers.ce_id : undefined,
    'cloudevents.event_type': isOne ? first?.headers.ce_type : undefined,
    'messaging.destination.partition.id': isOne ? partition : undefined,
    'messaging.kafka.offset': isOne && offset !== undefined ? Number(offset) : undefined,
  };
  return { name: destination === undefined ? 'process' : `process ${destination}`, attributes };
}
