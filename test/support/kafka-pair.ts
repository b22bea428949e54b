import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Admin } from 'kafkajs';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { findClassArchive } from '../../src/tools/devservers/launch/kafka-classes.ts';
import { jarsFolder, KAFKA_VERSION } from '../../src/tools/devservers/launch/kafka-runtime.ts';
import { brokerArguments, formatLogs } from '../../src/tools/devservers/launch/kafka-site.ts';
import { ServerProcess } from '../../src/tools/devservers/launch/program.ts';
import { probeKafka } from '../../src/tools/devservers/probe.ts';
import { type RunningServer, startKafka } from '../../src/tools/devservers/start-server.ts';
import { allowingLeaderless } from '../../src/transport/kafka/kafkajs-patches.ts';
import { ensureTopics } from '../../src/transport/kafka/topic-admin.ts';
import { withAdmin } from './servers.ts';
import { until } from './until.ts';

/** A broker of the test's own, and a second one in its cluster. They are programs, because the second must reach the first. */
export class KafkaPair {
  readonly first: RunningServer;
  readonly #second: ServerProcess;
  readonly #secondUrl: string;

  private constructor(first: RunningServer, second: ServerProcess, secondUrl: string) {
    this.first = first;
    this.#second = second;
    this.#secondUrl = secondUrl;
  }

  static async start(): Promise<KafkaPair> {
    const first = await startKafka({ from: 'programs' });
    const { dir, source: java } = first.facts;
    if (dir === undefined || java === undefined) throw new Error('the first broker is no program');
    const properties = readFileSync(join(dir, 'server.properties'), 'utf8');
    const port = await freePort();
    const url = `127.0.0.1:${port}`;
    const own = {
      'process.roles': 'broker',
      'node.id': '2',
      listeners: `PLAINTEXT://${url}`,
      'advertised.listeners': `PLAINTEXT://${url}`,
      'log.dirs': join(dir, 'second'),
    };
    const file = join(dir, 'second.properties');
    const kept = properties.split('\n').filter((line) => !Object.keys(own).some((key) => line.startsWith(`${key}=`)));
    await writeFile(file, [...kept, ...Object.entries(own).map(([key, value]) => `${key}=${value}`), ''].join('\n'));
    const jars = jarsFolder();
    const cluster = readFileSync(join(dir, 'cluster-id'), 'utf8');
    await formatLogs(own['log.dirs'], { cluster, node: 2 });
    const second = new ServerProcess(java, brokerArguments(jars, file, findClassArchive({ java, jars })), dir);
    const pair = new KafkaPair(first, second, url);
    await pair.startSecond();
    return pair;
  }

  /** Returns once it is a member of the cluster. */
  async startSecond(): Promise<void> {
    this.#second.start();
    await until(() => probeKafka(this.#secondUrl, KAFKA_VERSION));
    await until(async () => (await this.#brokers()) === 2);
  }

  /** Returns once the cluster knows that it is gone. */
  async killSecond(): Promise<void> {
    await this.#second.end('SIGKILL', 10_000);
    await until(async () => (await this.#brokers()) === 1);
  }

  /** Creates a topic with one replica per partition, on `brokers` in the order of the partitions. */
  async createTopic(topic: string, brokers: readonly number[]): Promise<void> {
    await this.#asAdmin(async (admin) => {
      const replicaAssignment = brokers.map((broker, partition) => ({ partition, replicas: [broker] }));
      await ensureTopics(admin, [{ topic, replicaAssignment }]);
    });
  }

  /** Moves a partition to another broker. Returns once that one leads it. */
  async move(topic: string, partition: number, broker: number): Promise<void> {
    await this.#asAdmin(async (admin) => {
      const partitionAssignment = [{ partition, replicas: [broker] }];
      await admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment }] });
      await until(async () => {
        const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
        return topics[0]?.partitions.find(({ partitionId }) => partitionId === partition)?.leader === broker;
      });
    });
  }

  async remove(): Promise<void> {
    await this.#second.end('SIGKILL', 10_000);
    await this.first.remove();
  }

  #brokers(): Promise<number> {
    return this.#asAdmin(async (admin) => (await admin.describeCluster()).brokers.length);
  }

  #asAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    return allowingLeaderless(() => withAdmin(work, [this.first.url]));
  }
}
