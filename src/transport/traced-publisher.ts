import type { TraceParent } from '../tracing/trace-parent.ts';
import { activeParent, beginSpan, isTracing, type LiveSpan } from '../tracing/tracing.ts';
import { type OutgoingTask, PartlyPublished, type TaskPublisher } from './task-publisher.ts';

/** Where tasks go, in the words of OpenTelemetry's conventions for messaging. */
interface TracedDestination {
  readonly system: 'kafka' | 'redis';
  /** The topic, or the stream's key. */
  readonly name: string;
}

/**
 * Gives tasks the context of the span in which they are published: consumers continue from there. Tasks of one cause (a
 * transaction, a request) share a span; those without a known one share a new trace. While tracing is off, tasks keep the
 * context that they came with.
 */
export class TracedPublisher implements TaskPublisher {
  readonly #publisher: TaskPublisher;
  readonly #destination: TracedDestination;

  constructor(publisher: TaskPublisher, destination: TracedDestination) {
    this.#publisher = publisher;
    this.#destination = destination;
  }

  checkRoom(): Promise<void> {
    return this.#publisher.checkRoom();
  }

  /** @throws what the publisher throws */
  publish(...[tasks, onTaken]: Parameters<TaskPublisher['publish']>): Promise<void> {
    return isTracing() && tasks.length > 0 ? this.#traced(tasks, onTaken) : this.#publisher.publish(tasks, onTaken);
  }

  close(): Promise<void> {
    return this.#publisher.close();
  }

  async #traced(...[tasks, onTaken]: Parameters<TaskPublisher['publish']>): Promise<void> {
    const here = activeParent();
    const spans: LiveSpan[] = [];
    const givenOf = new Map<OutgoingTask, OutgoingTask>();
    const carriedBy = new Map<string | undefined, Partial<TraceParent>>();
    for (const [cause, some] of Map.groupBy(tasks, ({ traceparent }) => traceparent)) {
      const span = this.#begin(some, causeOf(some) ?? here ?? null);
      if (span === undefined) continue;
      spans.push(span);
      carriedBy.set(cause, span.self);
    }
    for (const task of tasks) givenOf.set({ ...task, ...carriedBy.get(task.traceparent) }, task);
    try {
      await inOnly(spans, () => this.#publisher.publish([...givenOf.keys()], onTaken));
    } catch (error) {
      for (const span of spans) span.fail(error);
      throw error instanceof PartlyPublished ? asGiven(error, givenOf) : error;
    } finally {
      for (const span of spans) span.end();
    }
  }

  #begin(tasks: readonly OutgoingTask[], parent: TraceParent | null): LiveSpan | undefined {
    const { system, name } = this.#destination;
    return beginSpan(`send ${name}`, {
      kind: 'producer',
      parent,
      attributes: {
        'messaging.system': system,
        'messaging.destination.name': name,
        'messaging.operation.name': 'send',
        'messaging.operation.type': 'send',
        ...(tasks.length === 1
          ? { 'messaging.message.id': tasks[0]?.id, 'cloudevents.event_type': tasks[0]?.task.type }
          : { 'messaging.batch.message_count': tasks.length }),
      },
    });
  }
}

function causeOf([first]: readonly OutgoingTask[]): TraceParent | undefined {
  if (first?.traceparent === undefined) return undefined;
  const { traceparent, tracestate } = first;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** What the transport's client does belongs to the span, if there is only one. */
function inOnly(spans: readonly LiveSpan[], work: () => Promise<void>): Promise<void> {
  const [only, another] = spans;
  return only === undefined || another !== undefined ? work() : only.run(work);
}

/** The caller looks for the tasks that it gave. */
function asGiven({ notTaken }: PartlyPublished, givenOf: ReadonlyMap<OutgoingTask, OutgoingTask>): PartlyPublished {
  return new PartlyPublished(new Map([...notTaken].map(([task, error]) => [givenOf.get(task) ?? task, error])));
}
