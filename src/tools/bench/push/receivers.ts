import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Kafka } from 'kafkajs';
import pLimit from 'p-limit';
import type { Id } from '../../../contracts/id.ts';
import { createKafka } from '../../../transport/kafka/client.ts';
import { ensureTopics, taskTopic } from '../../../transport/kafka/topic-admin.ts';
import type { Ground } from '../bench.ts';
import { silent } from './silent.ts';

/** An entry of a notification. */
export interface NotifiedEntry {
  readonly contact: Id;
  /** ms since 1970 UTC. */
  readonly at: number;
}

export type OnNotification = (user: Id, entries: readonly NotifiedEntry[], notification: string) => void;

/** Receives what one channel delivers, until the ground's resources are disposed of. */
export interface Receiver {
  /** What a watch of the channel is created with. Undefined: the channel needs none. */
  readonly watch: object | undefined;
}

interface Body {
  readonly data: {
    readonly user: Id;
    readonly sources: readonly { readonly id: Id; readonly last_upload_at: string }[];
  };
}

function told(text: string, notification: string, onNotification: OnNotification): void {
  const { user, sources } = (JSON.parse(text) as Body).data;
  const entries = sources.map(({ id, last_upload_at }) => ({ contact: id, at: Date.parse(last_upload_at) }));
  onNotification(user, entries, notification);
}

/** An endpoint that takes every webhook. */
export async function receiveWebhooks({ resources }: Ground, onNotification: OnNotification): Promise<Receiver> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      told(String(Buffer.concat(parts)), String(request.headers['webhook-id']), onNotification);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  resources.defer(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return { watch: { channel: 'webhook', url: `http://127.0.0.1:${port}/` } };
}

/** A consumer of the topic of notifications. */
export async function receiveRecords(
  { namespace, resources }: Ground,
  onNotification: OnNotification,
): Promise<Receiver> {
  const { kafkaBrokers: brokers, connectTimeoutMs, kafkaTimeoutMs, activityTopic: topic } = namespace.config;
  const options = { brokers, clientId: 'recency-rig', connectTimeoutMs, requestTimeoutMs: kafkaTimeoutMs };
  const kafka = createKafka({ ...options, logger: silent });
  const consumer = resources.adopt(kafka.consumer({ groupId: `${topic}.rig`, maxWaitTimeInMs: 5 }), (opened) =>
    opened.disconnect(),
  );
  await ensureTopic(kafka, topic);
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const joined = new Promise<void>((resolve) => consumer.on(consumer.events.GROUP_JOIN, () => resolve()));
  await consumer.run({
    eachBatch: async ({ batch }) => {
      for (const { value, headers } of batch.messages) told(String(value), String(headers?.ce_id), onNotification);
    },
  });
  await joined;
  return { watch: { channel: 'kafka' } };
}

async function ensureTopic(kafka: Kafka, topic: string): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    await ensureTopics(admin, [taskTopic(topic)]);
  } finally {
    await admin.disconnect();
  }
}

/** The data of an event of a stream. */
interface StreamedHead {
  readonly contacts: readonly { readonly id: Id; readonly last_upload_at: string }[];
}

/** Streams that are being opened at once: each is a question with a deadline. */
const OPENING = 50;

/** An open stream for each user. An event is the whole head: what it tells is what its predecessor did not have. */
export async function receiveStreams(
  { resources }: Ground,
  { url, users, limit }: { readonly url: string; readonly users: readonly Id[]; readonly limit: number },
  onNotification: OnNotification,
): Promise<Receiver> {
  const ending = new AbortController();
  resources.defer(() => ending.abort());
  const inTurn = pLimit(OPENING);
  const addressOf = (user: Id) => `${url}/v1/users/${user}/contacts/recent/stream?limit=${limit}`;
  await Promise.all(users.map((user) => inTurn(() => openStream(addressOf(user)))));
  return { watch: undefined };

  /** Resolves when the first event has come. */
  function openStream(address: string): Promise<void> {
    const user = /users\/([0-9]+)\//.exec(address)?.[1] ?? '';
    const known = new Map<Id, number>();
    return new Promise((resolve, reject) => {
      const request = get(address, { agent: false, signal: ending.signal }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`a stream was answered with ${response.statusCode}`));
        readEvents(response, (data) => {
          const rows = (JSON.parse(data) as StreamedHead).contacts;
          const heads = rows.map(({ id, last_upload_at }) => ({ contact: id, at: Date.parse(last_upload_at) }));
          const news = heads.filter(({ contact, at }) => known.get(contact) !== at);
          if (known.size > 0 && news.length > 0) onNotification(user, news, '');
          for (const { contact, at } of heads) known.set(contact, at);
          resolve();
        });
      });
      request.on('error', (error) => {
        if (!ending.signal.aborted) reject(error);
      });
    });
  }
}

function readEvents(response: IncomingMessage, onData: (data: string) => void): void {
  let buffered = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    const events = (buffered + text).split('\n\n');
    buffered = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split('\n').filter((line) => line.startsWith('data:'));
      if (lines.length > 0) onData(lines.map((line) => line.slice('data:'.length)).join('\n'));
    }
  });
}
