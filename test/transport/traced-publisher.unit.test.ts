import { describe, expect, it } from 'vitest';
import { inSpan } from '../../src/tracing/tracing.ts';
import { type OutgoingTask, PartlyPublished } from '../../src/transport/task-publisher.ts';
import { TracedPublisher } from '../../src/transport/traced-publisher.ts';
import { foreignParent } from '../support/collector.ts';
import { recordSpans } from '../support/span-recorder.ts';

const [first, second] = [foreignParent(1).traceparent, foreignParent(2).traceparent];

function taskOf(id: string, traceparent?: string): OutgoingTask {
  return { task: { type: 'recency.user.changed', user: '1' }, id, source: '/test', time: 0, traceparent };
}

function publisherTo(publish: (tasks: readonly OutgoingTask[]) => Promise<void>) {
  const inner = { checkRoom: async () => undefined, close: async () => undefined, publish };
  return new TracedPublisher(inner, { system: 'kafka', name: 'tasks' });
}

describe('a publisher', () => {
  it('leaves tasks as they are while tracing is off', async () => {
    const tasks = [taskOf('a', first), taskOf('b')];
    let taken: readonly OutgoingTask[] = [];
    await publisherTo(async (some) => {
      taken = some;
    }).publish(tasks);
    expect(taken).toBe(tasks);
  });

  it('gives tasks of one cause one span, in their order, and those without a cause the active one', async () => {
    const spans = recordSpans();
    let taken: readonly OutgoingTask[] = [];
    const publisher = publisherTo(async (some) => {
      taken = some;
    });
    const tasks = [taskOf('a', first), taskOf('b', second), taskOf('c', first), taskOf('d')];
    await inSpan('request', () => publisher.publish(tasks));
    const [request, ofFirst, ofSecond, own] = spans;
    expect(taken.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(taken.map(({ traceparent }) => traceparent)).toEqual(
      [ofFirst, ofSecond, ofFirst, own].map((span) => span?.self.traceparent),
    );
    expect([ofFirst, ofSecond, own].map((span) => span?.options.parent?.traceparent)).toEqual([
      first,
      second,
      request?.self.traceparent,
    ]);
    expect(spans.map(({ ends }) => ends)).toEqual([1, 1, 1, 1]);
  });

  it('names the tasks that were not taken as the caller gave them', async () => {
    const spans = recordSpans();
    const [a, b] = [taskOf('a', first), taskOf('b', second)];
    const publisher = publisherTo(async ([, notTaken]) => {
      throw new PartlyPublished(new Map([[notTaken as OutgoingTask, new Error('no leader')]]));
    });
    const error = await publisher.publish([a, b]).catch((thrown: unknown) => thrown);
    expect([...(error as PartlyPublished).notTaken.keys()]).toEqual([b]);
    expect(spans.every(({ failure, ends }) => failure !== undefined && ends === 1)).toBe(true);
  });
});
