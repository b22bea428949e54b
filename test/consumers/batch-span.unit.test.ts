import { describe, expect, it } from 'vitest';
import { inBatchSpan, MOST_LINKS } from '../../src/consumers/batch-span.ts';
import type { Delivery } from '../../src/transport/task-source.ts';
import { foreignParent } from '../support/collector.ts';
import { recordSpans } from '../support/span-recorder.ts';

function deliveryOf(offset: number, traceparent?: string): Delivery {
  const headers = traceparent === undefined ? {} : { traceparent };
  return { position: `kafka:a:b:3:${offset}`, body: null, headers, timestamp: -1 };
}

const [first, second] = [foreignParent(1).traceparent, foreignParent(2).traceparent];
const notSampled = foreignParent(3).traceparent.replace(/1$/, '0');

describe('the span of a batch', () => {
  it('belongs to the first sampled task, links to all others, and each sampled one links back', async () => {
    const spans = recordSpans();
    const causes = [undefined, 'malformed', notSampled, first, second, first];
    expect(
      await inBatchSpan(
        causes.map((cause, i) => deliveryOf(i, cause)),
        async () => 'done',
      ),
    ).toBe('done');
    const [batch, own, ...more] = spans;
    expect(batch).toMatchObject({ name: 'process a:b', options: { kind: 'consumer', parent: { traceparent: first } } });
    expect(batch?.options.links?.map(({ traceparent }) => traceparent)).toEqual([notSampled, second]);
    expect(batch?.options.attributes).toMatchObject({ 'messaging.batch.message_count': 6 });
    expect(own?.options).toMatchObject({ parent: { traceparent: second }, links: [batch?.self] });
    expect(more).toEqual([]);
    expect(spans.map(({ ends }) => ends)).toEqual([1, 1]);
  });

  it('of one task without a trace begins one, and says which message it is', async () => {
    const [span] = await recordedFor([deliveryOf(7)]);
    expect(span?.options).toMatchObject({ parent: null, links: [] });
    expect(span?.options.attributes).toMatchObject({
      'messaging.kafka.offset': 7,
      'messaging.destination.name': 'a:b',
    });
  });

  it(`has ${MOST_LINKS} links at most, and as many link back`, async () => {
    const causes = Array.from({ length: 500 }, (_, i) => first.replace(/1{16}/, String(i + 1).padStart(16, '0')));
    const spans = await recordedFor(causes.map((cause, i) => deliveryOf(i, cause)));
    expect(spans[0]?.options.links).toHaveLength(MOST_LINKS);
    expect(spans).toHaveLength(1 + MOST_LINKS);
  });

  it('fails with its work', async () => {
    const spans = recordSpans();
    const work = inBatchSpan([deliveryOf(1, first), deliveryOf(2, second)], () => Promise.reject(new Error('away')));
    await expect(work).rejects.toThrow('away');
    expect(spans.map(({ failure, ends }) => [String(failure), ends])).toEqual(Array(2).fill(['Error: away', 1]));
  });
});

async function recordedFor(deliveries: readonly Delivery[]) {
  const spans = recordSpans();
  await inBatchSpan(deliveries, async () => undefined);
  return spans;
}
