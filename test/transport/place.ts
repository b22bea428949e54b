import { Kafka, Partitioners } from 'kafkajs';
import { pino } from 'pino';
import { openRedis, type RedisClient, untilReady } from '../../src/redis/connection.ts';
import type { TransportLetters } from '../../src/transport/dead-letters.ts';
import { KafkaDeadLetters } from '../../src/transport/kafka/dead-letters.ts';
import { KafkaTaskPublisher } from '../../src/transport/kafka/publisher.ts';
import { KafkaTaskSource, type KafkaTaskSourceOptions } from '../../src/transport/kafka/source.ts';
import { StreamsDeadLetters } from '../../src/transport/streams/dead-letters.ts';
import { StreamsTaskPublisher } from '../../src/transport/streams/publisher.ts';
import { RecordedStream } from '../../src/transport/streams/recorded-stream.ts';
import { StreamsTaskSource, type StreamsTaskSourceOptions } from '../../src/transport/streams/source.ts';
import type { TaskPublisher } from '../../src/transport/task-publisher.ts';
import type { GroupHistory, TaskSource } from '../../src/transport/task-source.ts';
import { recordInRedis } from '../support/stream-record.ts';

/** Where tasks go in one test. Plain data, so that another process can open the same place. */
export type Place =
  | { readonly kind: 'kafka'; readonly brokers: string[]; readonly topic: string }
  | { readonly kind: 'streams'; readonly url: string; readonly stream: string };

/** A transport under test. */
export interface Transport {
  /** Returns a separate place for one test. */
  readonly freshPlace: () => Promise<Place>;
  /** The shortest time after which a silent consumer's deliveries go to others, ms. */
  readonly holdMs: number;
  readonly histories: number;
}

/** Options that a test may change, on either transport. */
export interface Wanted {
  /** ms after which a silent consumer's deliveries go to others. */
  readonly holdMs?: number;
  readonly stallMs?: number;
  readonly expectsOffsets?: (hasStarted: boolean) => Promise<boolean>;
  readonly kafka?: Partial<KafkaTaskSourceOptions>;
  readonly streams?: Partial<StreamsTaskSourceOptions>;
}

/** Both ends of a transport in one place. Everything opened through it shares its connections. */
export interface Opened {
  readonly place: Place;
  source(wanted?: Wanted): TaskSource;
  readonly publisher: TaskPublisher;
  readonly deadLetters: TransportLetters;
  /** Puts a message that need not be a task. */
  put(body: Buffer | null, headers: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

/** The minimum that a broker with default settings allows. */
export const KAFKA_SESSION_MS = 6_000;

/**
 * The brokers wait this long for a member that does not join again, ms: less than the default, because after some kills the
 * tests wait as long.
 */
const KAFKA_REBALANCE_MS = 20_000;

/** Longer than a busy process is held up, so that a batch in work goes to others only in tests of that, ms. */
const STREAMS_IDLE_MS = 10_000;

/** A handler that does not end is a stall after this long, ms; more than a busy machine takes for anything else. */
const STALL_MS = 60_000;

/** Silent by default; TRANSPORT_LOG=debug helps to debug a test. */
export const logger = pino({ level: process.env.TRANSPORT_LOG ?? 'silent' });

const BACKOFF = { firstMs: 20, longestMs: 200 };
const noIndexes = async () => false;
const history: GroupHistory = { hasStarted: async () => true, recordStart: async () => undefined };

export function open(place: Place): Promise<Opened> {
  return place.kind === 'kafka' ? Promise.resolve(openKafkaPlace(place)) : openStreamsPlace(place);
}

export function kafkaSettings(brokers: readonly string[]) {
  return { brokers, clientId: 'test', connectTimeoutMs: 3_000, requestTimeoutMs: 10_000, logger };
}

function openKafkaPlace(place: Place & { kind: 'kafka' }): Opened {
  const { brokers, topic } = place;
  const kafka = kafkaSettings(brokers);
  const publisher = new KafkaTaskPublisher({ kafka, topic, deadlineMs: 20_000 });
  const deadLetters = new KafkaDeadLetters({ kafka, topic, deadlineMs: 20_000 });
  return {
    place,
    publisher,
    deadLetters,
    source: ({ holdMs = KAFKA_SESSION_MS, stallMs = STALL_MS, expectsOffsets = noIndexes, kafka: more } = {}) =>
      new KafkaTaskSource({
        ...{ kafka, topic, group: topic, sessionTimeoutMs: holdMs, heartbeatMs: 500, backoff: BACKOFF, stallMs },
        ...{ history, expectsOffsets, rebalanceTimeoutMs: KAFKA_REBALANCE_MS, ...more },
      }),
    put: (body, headers) => putOnKafka(place, body, headers),
    close: async () => {
      await Promise.all([publisher.close(), deadLetters.close()]);
    },
  };
}

async function putOnKafka(
  { brokers, topic }: Place & { kind: 'kafka' },
  value: Buffer | null,
  headers: Record<string, string>,
) {
  const producer = new Kafka({ brokers, logLevel: 0 }).producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic, messages: [{ value, headers }] });
  await producer.disconnect();
}

async function openStreamsPlace(place: Place & { kind: 'streams' }): Promise<Opened> {
  const { url, stream } = place;
  const connect = (commandTimeoutMs: number) =>
    openRedis(url, { commandTimeoutMs, connectTimeoutMs: 20_000, name: 'test' });
  const client: RedisClient = connect(30_000);
  await untilReady(client, 60_000);
  const record = recordInRedis(client, stream);
  const recorded = new RecordedStream({ client, stream, record });
  let consumers = 0;
  return {
    place,
    publisher: new StreamsTaskPublisher({ recorded }),
    deadLetters: new StreamsDeadLetters({ client, stream, recorded }),
    source: ({
      holdMs: idleMs = STREAMS_IDLE_MS,
      stallMs = STALL_MS,
      expectsOffsets = noIndexes,
      streams: more,
    } = {}) =>
      new StreamsTaskSource({
        ...{ client, openReader: connect, stream, group: 'g', consumer: `${process.pid}-${++consumers}`, logger },
        ...{ record, backoff: BACKOFF, idleMs, stallMs, history, expectsOffsets, ...more },
      }),
    put: async (body, headers) => {
      await client.call(
        'XADD',
        stream,
        '*',
        ...Object.entries(headers).flat(),
        ...(body === null ? [] : ['body', body]),
      );
    },
    close: async () => client.disconnect(),
  };
}
