import { createRequire } from 'node:module';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createKafka } from '../../../src/transport/kafka/client.ts';
import { isFenced, isPassing, isRebalance } from '../../../src/transport/kafka/errors.ts';
import { TopicAdmin } from '../../../src/transport/kafka/topic-admin.ts';
import { type ReadableOffsets, TopicReader } from '../../../src/transport/kafka/topic-reader.ts';
import { freshTopic, hasKafka, kafkaBrokers } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { freshTasks } from '../outgoing-task.ts';
import { kafkaSettings, open } from '../place.ts';

const require = createRequire(import.meta.url);

const KAFKA_STORAGE_ERROR = 56;

/** Bytes before the partition's error in the response to a fetch of one partition, version 11, without the topic's name. */
const HEAD_BYTES = 4 + 2 + 4 + 4 + 2 + 4 + 4;

interface RequestQueue {
  pending: unknown[];
  throttledUntil: number;
  throttleCheckTimeoutId: unknown;
  scheduleCheckPendingRequests(): void;
  checkPendingRequests(): void;
}

function requestQueue(): RequestQueue {
  const Queue = require('kafkajs/src/network/requestQueue/index.js');
  const logger = { debug: () => undefined };
  return new Queue({ maxInFlightRequests: null, requestTimeout: 1_000, clientId: 'c', broker: 'b', logger });
}

describe('kafkajs’s queue of requests', () => {
  it('sets no timer while nothing is waiting', () => {
    const queue = requestQueue();
    queue.scheduleCheckPendingRequests();
    expect(queue.throttleCheckTimeoutId).toBeNull();
  });

  it('checks again soon while something is waiting, and when throttling ends', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const queue = requestQueue();
    const looks = vi.spyOn(queue, 'checkPendingRequests').mockReturnValue();
    queue.pending.push({});
    queue.scheduleCheckPendingRequests();
    queue.scheduleCheckPendingRequests();
    vi.advanceTimersByTime(10);
    expect(looks).toHaveBeenCalledTimes(1);
    queue.throttledUntil = Date.now() + 500;
    queue.scheduleCheckPendingRequests();
    vi.advanceTimersByTime(499);
    expect(looks).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(looks).toHaveBeenCalledTimes(2);
  });
});

describe.runIf(hasKafka())('a client of Kafka', () => {
  it('makes Node print no warning, and does not spin when idle', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(warning.name);
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    const admin = createKafka(kafkaSettings(kafkaBrokers())).admin();
    await admin.connect();
    await admin.listTopics();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await sleep(300);
    const set = timers.mock.calls.length;
    timers.mockRestore();
    await admin.disconnect();
    expect(set).toBeLessThan(30); // hundreds when it spins; a few are Vitest's own
    expect(warnings).toEqual([]);
  });

  it('knows the end offsets of partitions that were added meanwhile', async () => {
    const topic = await freshTopic({ partitions: 1 });
    const offsets = new TopicAdmin(createKafka(kafkaSettings(kafkaBrokers())), topic);
    onTestFinished(() => offsets.close());
    expect([...(await offsets.ends()).keys()]).toEqual([0]);
    const admin = createKafka(kafkaSettings(kafkaBrokers())).admin();
    await admin.connect();
    await admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] });
    await admin.disconnect();
    await until(async () => (await offsets.ends().catch(() => new Map())).size === 3);
  });

  it('does not mistake a partition that its broker cannot read for an empty one', async () => {
    const topic = await freshTopic({ partitions: 1 });
    const opened = await open({ kind: 'kafka', brokers: kafkaBrokers(), topic });
    onTestFinished(opened.close);
    await opened.publisher.publish(freshTasks(1));
    const reader = new TopicReader(createKafka(kafkaSettings(kafkaBrokers())), topic);
    onTestFinished(() => reader.close());
    const [offsets] = await reader.offsets();
    const first = () => reader.read(offsets as ReadableOffsets, 1).next();
    expect((await first()).value).toMatchObject({ offset: '0' });
    const answer = require('kafkajs/src/protocol/requests/fetch/v11/response.js');
    const { decode } = answer;
    const restore = () => {
      answer.decode = decode;
    };
    onTestFinished(restore);
    answer.decode = (bytes: Buffer) => {
      bytes.writeInt16BE(KAFKA_STORAGE_ERROR, HEAD_BYTES + topic.length);
      return decode(bytes);
    };
    await expect(first()).rejects.toMatchObject({
      name: 'KafkaUnavailable',
      message: expect.stringMatching(/cannot read.*error 56/),
    });
    restore();
    expect((await first()).value).toMatchObject({ offset: '0' });
  });

  it('logs through the given logger', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
    const admin = createKafka({ ...kafkaSettings(['127.0.0.1:1']), logger }).admin();
    await expect(admin.connect()).rejects.toThrow(/ECONNREFUSED/);
    expect(lines.some((line) => line.includes('kafkajs BrokerPool: Failed to connect'))).toBe(true);
  });
});

describe('an error of kafkajs', () => {
  const { KafkaJSNumberOfRetriesExceeded, KafkaJSNonRetriableError, KafkaJSConnectionError, KafkaJSProtocolError } =
    require('kafkajs/src/errors.js');
  const { createErrorFromCode } = require('kafkajs/src/protocol/error.js');
  const protocol = (code: number) => new KafkaJSProtocolError(createErrorFromCode(code));

  it.each<[string, unknown, boolean]>([
    ['no connection', new KafkaJSConnectionError('refused'), true],
    [
      'no connection, wrapped',
      new KafkaJSNonRetriableError('x', { cause: new KafkaJSConnectionError('refused') }),
      true,
    ],
    ['tried too often', new KafkaJSNumberOfRetriesExceeded(new Error('x'), {}), true],
    ['a connection closed just now', new Error('Broker not connected'), true],
    ['a rebalance', protocol(27), true],
    ['a generation that has passed', protocol(22), true],
    ['not leader', protocol(6), true],
    ['no permission', protocol(29), false],
    ['a wrong password', protocol(58), false],
    ['a mistake of ours', new TypeError('undefined is not a function'), false],
    ['a mistake, wrapped', new KafkaJSNonRetriableError('x', { cause: new TypeError('x') }), false],
    ['no error', 'text', false],
  ])('%s: passes by itself?', (_, error, expected) => {
    expect(isPassing(error)).toBe(expected);
  });

  it('distinguishes a rebalance from an expulsion from the group', () => {
    expect([27, 22, 25].map((code) => [isRebalance(protocol(code)), isFenced(protocol(code))])).toEqual([
      [true, false],
      [false, true],
      [false, true],
    ]);
  });
});
