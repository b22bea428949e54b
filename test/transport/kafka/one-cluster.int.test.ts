import { createRequire } from 'node:module';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKafka } from '../../../src/transport/kafka/client.ts';
import { OtherKafkaCluster } from '../../../src/transport/kafka/errors.ts';
import { OneCluster } from '../../../src/transport/kafka/one-cluster.ts';
import { KafkaTaskPublisher } from '../../../src/transport/kafka/publisher.ts';
import { TopicAdmin } from '../../../src/transport/kafka/topic-admin.ts';
import { kafkaBehindProxy } from '../../support/kafka-behind-proxy.ts';
import { freshName, hasKafka, kafkaBrokers, withAdmin } from '../../support/servers.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { freshTasks } from '../outgoing-task.ts';
import { kafkaSettings } from '../place.ts';

const [other = ''] = hasKafka() ? kafkaBrokers() : [];

describe.runIf(hasKafka())('two clusters of Kafka', () => {
  it('a broker is asked again which cluster it is of whenever it is connected to', async () => {
    const { proxy, address } = await kafkaBehindProxy();
    const cluster = new OneCluster();
    const topic = freshName();
    const elsewhere = publisherTo([other], topic);
    await elsewhere.publish(freshTasks(1)); // there is such a topic
    const publisher = publisherTo([address], topic, cluster);
    await publisher.publish(freshTasks(1));
    const { id } = cluster;

    proxy.leadTo(`kafka://${other}`); // also where the broker says that it is: nothing is looked up before it is sent
    for (let i = 0; i < 3; i++) await expect(publisher.publish(freshTasks(1))).rejects.toThrow(OtherKafkaCluster);
    expect([cluster.id, cluster.other?.message]).toEqual([id, expect.stringContaining(await clusterAt(other))]);
    expect(await countIn(topic, other)).toBe(1);
  });

  it('every client of the process works on the one that answered first', async () => {
    const { address } = await kafkaBehindProxy();
    const proxy = await TcpProxy.before(`kafka://${address}`);
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const both = [new URL(proxy.url).host];
    const cluster = new OneCluster();
    const topic = freshName();
    const first = publisherTo(both, topic, cluster);
    await first.publish(freshTasks(1));
    await publisherTo([other], topic).publish(freshTasks(1));

    proxy.leadTo(`kafka://${other}`);
    const second = publisherTo(both, topic, cluster);
    await expect(second.publish(freshTasks(1))).rejects.toThrow(
      /^Kafka at 127.0.0.1:\d+ is the cluster \S+, but this process works on \S+$/,
    );
    const admin = new TopicAdmin(createKafka({ ...kafkaSettings(both), cluster }), topic);
    onTestFinished(() => admin.close());
    await expect(admin.ends()).rejects.toThrow(OtherKafkaCluster);
    await first.publish(freshTasks(1)); // where its broker says that it is
    expect(await countIn(topic, other)).toBe(1);
    await publisherTo(both, topic, new OneCluster()).publish(freshTasks(1)); // as another process
    expect(await countIn(topic, other)).toBe(2);
  });

  it('a connection that is made anew while a request is encoded sends nothing to another cluster', async () => {
    const { proxy, address } = await kafkaBehindProxy();
    const connection = connectionTo(address, new OneCluster());
    onTestFinished(() => connection.disconnect());
    await connection.connect();
    const ask = (meanwhile: () => Promise<void>) =>
      connection.send({
        request: {
          ...{ apiKey: 10, apiVersion: 0, apiName: 'FindCoordinator' },
          encode: async () => {
            await meanwhile();
            return new Encoder().writeString('group');
          },
        },
        response: { decode: async () => ({}), parse: async () => 'answered' },
      });
    expect(await ask(async () => {})).toBe('answered');
    const meanwhile = async () => {
      proxy.leadTo(`kafka://${other}`);
      await until(() => !connection.isConnected());
      await connection.connect();
    };
    const { received } = proxy;
    await expect(ask(meanwhile)).rejects.toThrow(/connected to again during a request/);
    expect(proxy.received).toBe(received); // an offset that is committed there would let others miss tasks
    await connection.connect();
    await expect(ask(async () => {})).rejects.toThrow(OtherKafkaCluster);
  });
});

interface Connection {
  connect(): Promise<void>;
  isConnected(): boolean;
  send(request: object): Promise<unknown>;
  disconnect(): Promise<void>;
}

const load = createRequire(import.meta.url);
const Encoder = load('kafkajs/src/protocol/encoder.js') as new () => { writeString(text: string): object };
const KafkaConnection = load('kafkajs/src/network/connection.js') as new (options: object) => Connection;

/** One of kafkajs's own, which its clients send their requests on. */
function connectionTo(address: string, cluster: OneCluster): Connection {
  const { hostname: host, port } = new URL(`kafka://${address}`);
  const log = () => undefined;
  const logger = { namespace: () => ({ debug: log, info: log, warn: log, error: log }) };
  const timeouts = { connectionTimeout: 10_000, requestTimeout: 10_000 };
  return new KafkaConnection({ host, port: Number(port), socketFactory: cluster.socketFactory(), logger, ...timeouts });
}

function publisherTo(brokers: readonly string[], topic: string, cluster?: OneCluster): KafkaTaskPublisher {
  const kafka = { ...kafkaSettings(brokers), ...(cluster ? { cluster } : {}) };
  const publisher = new KafkaTaskPublisher({ kafka, topic, deadlineMs: 60_000, partitions: 2 });
  onTestFinished(() => publisher.close());
  return publisher;
}

async function countIn(topic: string, broker: string): Promise<number> {
  const ends = await withAdmin((admin) => admin.fetchTopicOffsets(topic), [broker]);
  return ends.reduce((sum, { high }) => sum + Number(high), 0);
}

const clusterAt = (broker: string) => withAdmin(async (admin) => (await admin.describeCluster()).clusterId, [broker]);
