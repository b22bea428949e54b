import type { Redis } from 'ioredis';
import { beforeAll, describe, expect, it } from 'vitest';
import { acceptTasks } from '../../src/app/admission.ts';
import { StreamRoom, StreamsTaskPublisher } from '../../src/transport/streams/publisher.ts';
import { TracedPublisher } from '../../src/transport/traced-publisher.ts';
import { post, startTestApi, type TestApi } from '../support/api.ts';
import { foreignParent } from '../support/collector.ts';
import { recordSpans } from '../support/span-recorder.ts';
import { freshRedis, freshStores } from '../support/stores.ts';
import { recordedStream } from '../support/stream-record.ts';

let client: Redis;
let stream: string;
let api: TestApi;
beforeAll(async () => {
  client = (await freshRedis()) as Redis;
  const stores = await freshStores();
  stream = `${stores.prefix}:{tasks}:stream`;
  const room = new StreamRoom({ client, stream, max: 1_000 });
  const publisher = new StreamsTaskPublisher({ recorded: recordedStream(client, stream), room });
  api = await startTestApi(stores, {
    accept: acceptTasks(new TracedPublisher(publisher, { system: 'redis', name: stream })),
  });
});

/** Posts two tasks. @returns the trace context of each on the transport */
async function sent(headers: Record<string, string>) {
  await client.xtrim(stream, 'MAXLEN', 0);
  const tasks = ['1', '2'].map((user) => ({ type: 'recency.user.changed', user }));
  expect((await post(api, '/v1/tasks', tasks, headers)).status).toBe(202);
  return (await client.xrange(stream, '-', '+')).map(([, fields]) => {
    const { traceparent, tracestate } = Object.fromEntries(fields.map((field, i) => [field, fields[i + 1]]));
    return { traceparent, tracestate };
  });
}

const none = { traceparent: undefined, tracestate: undefined };
const { traceparent } = foreignParent(1);

describe('the trace context of a request that posts tasks', () => {
  it.each([
    ['goes with them as it came', { traceparent, tracestate: 'a=b' }, { traceparent, tracestate: 'a=b' }],
    ['goes without a state that it has not', { traceparent }, { ...none, traceparent }],
    [
      'also when it is not recorded',
      { traceparent: traceparent.replace(/01$/, '00') },
      { ...none, traceparent: traceparent.replace(/01$/, '00') },
    ],
    ['is left out when it is malformed', { traceparent: 'ff-1-2-3', tracestate: 'a=b' }, none],
    ['is left out when there is none', { tracestate: 'a=b' }, none],
  ])('%s, while nothing is traced here', async (_what, headers, expected) => {
    expect(await sent(headers as Record<string, string>)).toEqual([expected, expected]);
  });

  it('is that of the span in which they are sent, under the request, where it is traced', async () => {
    const spans = recordSpans();
    const own = await sent({ traceparent });
    const [request, sending] = spans;
    expect(own).toEqual(Array(2).fill({ ...none, traceparent: sending?.self.traceparent }));
    expect(request?.options.parent).toEqual({ traceparent });
    expect(sending?.options.parent).toEqual(request?.self);
  });
});
