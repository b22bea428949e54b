/**
 * All clients of a process work on one cluster of Kafka, the first one that answered any of them. kafkajs connects when it needs to, to any
 * address of its list, and to wherever that leads by then. What one client sent to another cluster would be confirmed, and nobody
 * would take it. So each connection is asked first which cluster it leads to, and carries nothing until it has said the right one:
 * kafkajs may have connected again while a request was being encoded.
 */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { ISocketFactory } from 'kafkajs';
import { OtherKafkaCluster } from './errors.ts';

type SocketOptions = Parameters<ISocketFactory>[0];

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
  #id: string | undefined;
  #other: OtherKafkaCluster | undefined;
  readonly #checks = new WeakMap<object, Promise<void>>();
  readonly #checked = new WeakSet<object>();

  /** Undefined: none has answered yet. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Once a connection has led to another one: this process must end. */
  get other(): OtherKafkaCluster | undefined {
    return this.#other;
  }

  /** For a client of kafkajs. */
  socketFactory(): ISocketFactory {
    const open = defaultSocketFactory();
    return Object.assign((options: SocketOptions) => this.#gated(open(options)), { cluster: this });
  }

  /** @param ask asks the connection which cluster it leads to @throws OtherKafkaCluster, what kafkajs throws */
  async check({ socket, broker }: Connection, ask: () => Promise<string>): Promise<void> {
    if (socket === undefined) return; // it is not connected
    let check = this.#checks.get(socket);
    if (check === undefined) {
      check = ask().then((id) => this.#require(id, broker));
      this.#checks.set(socket, check);
      check.then(
        () => this.#checked.add(socket),
        () => this.#checks.delete(socket),
      );
    }
    await check;
  }

  #require(id: string, broker: string): void {
    this.#id ??= id;
    if (id === this.#id) return;
    const message = `Kafka at ${broker} is the cluster ${id}, but this process works on ${this.#id}`;
    this.#other = new OtherKafkaCluster(message);
    throw this.#other;
  }

  #gated(socket: Socket): Socket {
    const write = socket.write.bind(socket) as (bytes: Buffer, encoding: BufferEncoding) => boolean;
    socket.write = (bytes: string | Uint8Array, encoding: unknown) => {
      const request = bytes as Buffer;
      if (this.#checked.has(socket) || FIRST_REQUESTS.has(request.readInt16BE(AT_API_KEY))) {
        return write(request, encoding as BufferEncoding);
      }
      socket.destroy(new Error('connected to again during a request'));
      return false;
    };
    return socket;
  }
}

/** Before it, an INT32 says how long the request is. */
const AT_API_KEY = 4;

const METADATA = 3;
/** SaslHandshake, ApiVersions and SaslAuthenticate: https://kafka.apache.org/protocol#protocol_api_keys */
const SIGNING_IN = [17, 18, 36];
const FIRST_REQUESTS = new Set([METADATA, ...SIGNING_IN]);

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

/** About no topic, which kafkajs cannot say: to it an empty list means all of them. No permission is needed. Since Kafka 0.11. */
const WHICH_CLUSTER = {
  request: {
    ...{ apiKey: METADATA, apiVersion: 4, apiName: 'Metadata' },
    encode: async () => new Encoder().writeInt32(0).writeBoolean(false),
  },
  response: { decode: metadata.decode, parse: async ({ clusterId }: { clusterId: string }) => clusterId },
};

connection.send = async function (this: Connection, request) {
  const { cluster } = this.socketFactory;
  if (cluster !== undefined && !SIGNING_IN.includes(request.request.apiKey)) {
    await cluster.check(this, () => send.call(this, WHICH_CLUSTER) as Promise<string>);
  }
  return await send.call(this, request);
};
