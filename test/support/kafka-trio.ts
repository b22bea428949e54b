import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { findJava, jarsFolder, KAFKA_VERSION } from '../../src/tools/devservers/launch/kafka-runtime.ts';
import { brokerArguments, formatLogs, PROPERTIES } from '../../src/tools/devservers/launch/kafka-site.ts';
import { ServerProcess } from '../../src/tools/devservers/launch/program.ts';
import { probeKafka } from '../../src/tools/devservers/probe.ts';
import { until } from './until.ts';

interface Node {
  readonly address: string;
  readonly controller: string;
}

/** Three brokers that vote for their controller, each with a replica of everything, two of which must have what is acknowledged. */
export class KafkaTrio implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'recency-brokers-'));
  readonly #brokers: { readonly address: string; readonly process: ServerProcess }[] = [];

  static async start(): Promise<KafkaTrio> {
    const trio = new KafkaTrio();
    const nodes: Node[] = [];
    for (let i = 0; i < 3; i++) {
      nodes.push({ address: `127.0.0.1:${await freePort()}`, controller: `127.0.0.1:${await freePort()}` });
    }
    const cluster = randomUUID().replaceAll('-', '').slice(0, 22);
    for (const i of nodes.keys()) await trio.#create(i, nodes, cluster);
    try {
      await Promise.all(nodes.map((_, i) => trio.start(i)));
      return trio;
    } catch (error) {
      await trio[Symbol.asyncDispose]();
      throw error;
    }
  }

  get urls(): string {
    return this.#brokers.map(({ address }) => address).join();
  }

  /** Returns once the broker answers. */
  async start(i: number): Promise<void> {
    const broker = this.#brokers[i];
    broker?.process.start();
    await until(() => probeKafka(broker?.address ?? '', KAFKA_VERSION), { timeout: 240_000 });
  }

  async kill(i: number): Promise<void> {
    await this.#brokers[i]?.process.end('SIGKILL', 10_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#brokers.map((_, i) => this.kill(i)));
    rmSync(this.#folder, { recursive: true });
  }

  async #create(i: number, nodes: readonly Node[], cluster: string): Promise<void> {
    const { address, controller } = nodes[i] as Node;
    const dir = mkdtempSync(join(this.#folder, `${i + 1}-`));
    const properties = {
      ...PROPERTIES,
      'node.id': `${i + 1}`,
      'controller.quorum.voters': nodes.map((node, n) => `${n + 1}@${node.controller}`).join(),
      listeners: `PLAINTEXT://${address},CONTROLLER://${controller}`,
      'advertised.listeners': `PLAINTEXT://${address}`,
      'log.dirs': join(dir, 'data'),
      'offsets.topic.replication.factor': '3',
      'transaction.state.log.replication.factor': '3',
      'default.replication.factor': '3',
      'min.insync.replicas': '2',
    };
    const file = join(dir, 'server.properties');
    await writeFile(
      file,
      Object.entries(properties)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(''),
    );
    await formatLogs(properties['log.dirs'], { cluster, node: i + 1 });
    const args = brokerArguments(jarsFolder(), file);
    this.#brokers.push({ address, process: new ServerProcess((await findJava()) ?? 'java', args, dir) });
  }
}
