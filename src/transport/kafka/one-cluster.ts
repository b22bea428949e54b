/**
 * All clients of a process work on one cluster of Kafka, the first one that answered any of them. kafkajs connects when it needs to, to any
 * address of its list, and to wherever that leads by then. What one client sent to another cluster would be confirmed, and nobody
 * would take it. So a connection first says which cluster it leads to, and says so again if it was made anew during a request.
 */
import { createRequire } from 'node:module';
import type { ISocketFactory } from 'kafkajs';
import { OtherKafkaCluster } from './errors.ts';

interface Request {
  readonly request: { readonly apiKey: number };
}

/** As far as it is used here. */
interface Connection {
  /** `host:port` */
  readonly broker: string;
  /** Another one each time that it connects. */
  readonly socket?: object;
  readonly socketFactory: ISocketFactory & { readonly cluster?: OneCluster };
  send(request: Request): Promise<unknown>;
}

interface Encoder {
  writeInt32(value: number): Encoder;
  writeBoolean(value: boolean): Encoder;
}

export class OneCluster {
  readonly #ids = new Set<string>();
  readonly #asked = new WeakMap<object, Promise<string>>();

  /** The clusters that any connection has led to, in that order. More than one: this process must end. */
  get ids(): readonly string[] {
    return [...this.#ids];
  }

  /** For a client of kafkajs: gives its connections this cluster. */
  socketFactory(): ISocketFactory {
    return Object.assign(defaultSocketFactory(), { cluster: this });
  }

  /** @param ask asks the connection which cluster it leads to @throws OtherKafkaCluster, what kafkajs throws */
  async check({ socket, broker }: Connection, ask: () => Promise<string>): Promise<void> {
    if (socket === undefined) return; // it is not connected
    const id = await this.#idOf(socket, ask);
    const [first = id] = this.#ids;
    this.#ids.add(id);
    if (id !== first) {
      throw new OtherKafkaCluster(`Kafka at ${broker} is the cluster ${id}, but this process works on ${first}`);
    }
  }

  #idOf(socket: object, ask: () => Promise<string>): Promise<string> {
    const before = this.#asked.get(socket);
    if (before !== undefined) return before;
    const asked = ask();
    this.#asked.set(socket, asked);
    asked.catch(() => this.#asked.delete(socket));
    return asked;
  }
}

const load = createRequire(import.meta.url);
const defaultSocketFactory = load('kafkajs/src/network/socketFactory.js') as () => ISocketFactory;
const Encoder = load('kafkajs/src/protocol/encoder.js') as new () => Encoder;
const metadata = load('kafkajs/src/protocol/requests/metadata/v4/response.js') as {
  decode: (bytes: Buffer) => Promise<{ clusterId: string }>;
};
const { prototype: connection } = load('kafkajs/src/network/connection.js') as { prototype: Connection };
const { send } = connection;

if (typeof send !== 'function') {
  throw new Error('kafkajs sends its requests in another way: it must be the version in the lock file');
}

/** SaslHandshake, ApiVersions and SaslAuthenticate, which come first: https://kafka.apache.org/protocol#protocol_api_keys */
const BEFORE_OTHERS = new Set([17, 18, 36]);

/** About no topic, which kafkajs cannot say: to it an empty list means all of them. No permission is needed. Since Kafka 0.11. */
const WHICH_CLUSTER = {
  request: {
    ...{ apiKey: 3, apiVersion: 4, apiName: 'Metadata' },
    encode: async () => new Encoder().writeInt32(0).writeBoolean(false),
  },
  response: { decode: metadata.decode, parse: async ({ clusterId }: { clusterId: string }) => clusterId },
};

connection.send = async function (this: Connection, request) {
  const { cluster } = this.socketFactory;
  if (cluster === undefined || BEFORE_OTHERS.has(request.request.apiKey)) return send.call(this, request);
  const ask = () => send.call(this, WHICH_CLUSTER) as Promise<string>;
  await cluster.check(this, ask);
  const reply = await send.call(this, request);
  await cluster.check(this, ask);
  return reply;
};
