import type { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { acceptTasks } from '../../../src/app/admission.ts';
import { checkedPublisher } from '../../../src/app/checks.ts';
import { measureFill } from '../../../src/app/metrics.ts';
import { OutboxRelay } from '../../../src/relay/relay.ts';
import { StreamsDeadLetters } from '../../../src/transport/streams/dead-letters.ts';
import { StreamRoom, StreamsTaskPublisher } from '../../../src/transport/streams/publisher.ts';
import { TransportFull } from '../../../src/transport/task-publisher.ts';
import { post, startTestApi } from '../../support/api.ts';
import { OutboxBench, silent } from '../../support/outbox-bench.ts';
import { closeAtEnd, freshPrefix } from '../../support/servers.ts';
import { freshRedis, freshStores } from '../../support/stores.ts';
import { recordedStream } from '../../support/stream-record.ts';
import { until } from '../../support/until.ts';
import { freshTasks } from '../outgoing-task.ts';

const MAX = 1_000;

/** A separate stream with this maximum number of entries. */
async function bounded() {
  const client = (await freshRedis()) as Redis;
  const stream = `${freshPrefix()}:{tasks}:stream`;
  const room = new StreamRoom({ client, stream, max: MAX });
  const recorded = recordedStream(client, stream);
  const publisher = new StreamsTaskPublisher({ recorded, room });
  const letters = new StreamsDeadLetters({ client, stream, room, recorded, max: 10 });
  const fillUp = async () => {
    while ((await client.xlen(stream)) < MAX) await publisher.publish(freshTasks(500));
  };
  return { client, stream, recorded, room, publisher, letters, fillUp };
}

const delivery = (body: string) => ({
  position: 'streams:s:1-0',
  body: Buffer.from(body),
  headers: {},
  timestamp: 1,
});
const failure = { errorClass: 'InvalidTask', message: 'no', attempts: 1 };

describe('a stream with a bound', () => {
  it('accepts a batch while it is below its bound, and none above; nothing is removed', async () => {
    const { client, stream, room, publisher, fillUp } = await bounded();
    await publisher.publish(freshTasks(500));
    await publisher.publish(freshTasks(499));
    await publisher.publish(freshTasks(500));
    expect(await room.fill()).toEqual({ entries: 1_499, max: MAX });
    const registry = new Registry();
    measureFill(registry, { fill: () => room.fill() });
    expect(await registry.metrics()).toMatch(/^recency_stream_entries 1499$.*^recency_stream_max_entries 1000$/ms);
    await expect(publisher.publish(freshTasks(1))).rejects.toThrow(TransportFull);
    await expect(publisher.checkRoom()).rejects.toThrow('the stream is full: it has 1499 entries of at most 1000');
    expect(await client.xlen(stream)).toBe(1_499);
    await client.xtrim(stream, 'MAXLEN', '=', 10);
    await publisher.publish(freshTasks(1));
    await fillUp();
  });

  it('accepts no replayed dead letter while it is full', async () => {
    const { client, stream, letters, fillUp } = await bounded();
    await letters.put([{ delivery: delivery('{}'), failure }]);
    const [{ id } = { id: '' }] = await letters.list({ limit: 1 });
    await fillUp();
    await expect(letters.replay([id])).rejects.toThrow(TransportFull);
    await client.xtrim(stream, 'MAXLEN', '=', 10);
    expect((await letters.replay([id])).replayed).toBe(1);
  });

  it('answers posted tasks with 503 and Retry-After until there is room', async () => {
    const { client, stream, publisher, fillUp } = await bounded();
    const api = await startTestApi(await freshStores(), { accept: acceptTasks(publisher) });
    const send = () => post(api, '/v1/tasks', { type: 'recency.user.deleted', user: '1' });
    expect((await send()).status).toBe(202);
    await fillUp();
    const { status, body, headers } = await send();
    expect({ status, code: body.code, after: headers.get('retry-after') }).toEqual({
      status: 503,
      code: 'transport_full',
      after: '5',
    });
    await client.xtrim(stream, 'MAXLEN', '=', 10);
    expect((await send()).status).toBe(202);
  });
});

describe('the relay, while its stream is full', () => {
  const bench = new OutboxBench();
  const ending = new AbortController();
  closeAtEnd(() => ending.abort());

  it('claims no row and does not spin, and continues when there is room', async () => {
    const { client, stream, publisher, letters, fillUp } = await bounded();
    await fillUp();
    await bench.write(700);
    let transactions = 0;
    const database: Pick<typeof bench.database, 'transaction'> = {
      transaction: (...args) => {
        transactions++;
        return bench.database.transaction(...args);
      },
    };
    let looks = 0;
    const counted = {
      publish: publisher.publish.bind(publisher),
      checkRoom: async () => {
        looks++;
        await publisher.checkRoom();
      },
    };
    const watched = checkedPublisher(counted);
    const options = { database: database as typeof bench.database, publisher: watched, deadLetters: letters };
    const running = new OutboxRelay({ ...options, logger: silent }).run(ending.signal);
    const from = performance.now();
    await until(() => looks >= 5);
    expect(performance.now() - from).toBeGreaterThan(1_000); // 0.1 + 0.2 + 0.4 + 0.5 s
    expect(transactions).toBe(0);
    expect(await bench.unpublished()).toBe(700);
    await expect(watched.check()).rejects.toThrow(TransportFull);

    await client.xtrim(stream, 'MAXLEN', '=', 10);
    await until(async () => (await bench.unpublished()) === 0);
    expect(await client.xlen(stream)).toBe(710);
    expect(await watched.check()).toBeUndefined();
    ending.abort();
    await running;
  });
});

describe('dead letters on a stream', () => {
  it('are bounded: the oldest are removed first, and are counted', async () => {
    const { client, stream, recorded } = await bounded();
    const dropped: number[] = [];
    const letters = new StreamsDeadLetters({ client, stream, recorded, max: 10, onDropped: (n) => dropped.push(n) });
    const numbered = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ delivery: delivery(String(from + i)), failure }));
    await letters.put(numbered(0, 8));
    expect(dropped).toEqual([]);
    await letters.put(numbered(8, 120));
    expect(dropped.reduce((sum, n) => sum + n, 0)).toBe(118);
    const kept = await letters.list({ limit: 100 });
    const bodies = await Promise.all(kept.map(async ({ id }) => String((await letters.get(id))?.body)));
    expect(bodies).toEqual(Array.from({ length: 10 }, (_, i) => String(118 + i)));
  });

  it('accept a message with more headers than a script can take', async () => {
    const { letters } = await bounded();
    const headers = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`h${i}`, 'x']));
    await letters.put([{ delivery: { ...delivery('{}'), headers }, failure }]);
    const [letter] = await letters.list({ limit: 1 });
    expect(letter?.headers).toMatchObject({
      h0: 'x',
      'dlq-headers-omitted': '19000',
      'dlq-exception-class': 'InvalidTask',
    });
  });

  it('keep every byte of the message', async () => {
    const { letters } = await bounded();
    const body = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    await letters.put([
      { delivery: { ...delivery(''), body, headers: { näme: 'wört' } }, failure },
      { delivery: { ...delivery(''), body: null }, failure },
    ]);
    const listed = await letters.list({ limit: 2 });
    expect(listed.map(({ bytes }) => bytes)).toEqual([256, null]);
    const [one, two] = await Promise.all(listed.map(({ id }) => letters.get(id)));
    expect(one?.body).toEqual(body);
    expect(one?.headers).toMatchObject({ näme: 'wört' });
    expect(two?.body).toBeNull();
  });
});
