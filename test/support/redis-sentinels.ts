import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { findProgram } from '../../src/tools/devservers/launch/machine.ts';
import { ServerProcess } from '../../src/tools/devservers/launch/program.ts';
import type { RunningServer } from '../../src/tools/devservers/start-server.ts';
import { until } from './until.ts';

/** The name under which the Sentinels watch the master. */
export const MASTER = 'site';

/** A silent master counts as gone after this long, ms: on a busy machine one that is in its place may be silent for seconds. */
const PATIENT_MS = 15_000;
/** Once the test has killed it. */
const IMPATIENT_MS = 1_000;

/** Sentinels that watch one master and its replicas, and agree on a new master by majority. */
export class RedisSentinels implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'recency-sentinels-'));
  readonly #processes: ServerProcess[] = [];
  readonly ports: number[] = [];

  /** @param settings more lines for each Sentinel's file; `%PORT%` is replaced by its port */
  static async start(count: number, masterPort: number, settings: readonly string[] = []): Promise<RedisSentinels> {
    const sentinels = new RedisSentinels();
    for (let i = 0; i < count; i++) {
      const port = await freePort();
      const quorum = Math.floor(count / 2) + 1;
      const lines = [
        `port ${port}`,
        'bind 127.0.0.1',
        `sentinel monitor ${MASTER} 127.0.0.1 ${masterPort} ${quorum}`,
        `sentinel down-after-milliseconds ${MASTER} ${PATIENT_MS}`,
        `sentinel failover-timeout ${MASTER} 10000`,
        ...settings.map((line) => line.replaceAll('%PORT%', `${port}`)),
      ];
      sentinels.#run(port, lines);
    }
    return sentinels;
  }

  /** host:port,host:port */
  get addresses(): string {
    return this.ports.map((port) => `127.0.0.1:${port}`).join(',');
  }

  /** Waits until every Sentinel knows the others and the replicas: before that they elect no master. */
  async untilSettled(replicas: number): Promise<void> {
    await until(async () => {
      const infos = await Promise.all(this.ports.map((port) => askSentinel(port, (one) => one.info('sentinel'))));
      return infos.every((info) => info.includes(`slaves=${replicas},sentinels=${this.ports.length}`));
    });
  }

  /** Kills the master. From now on the Sentinels miss a silent one at once, until this one is replaced. */
  async kill(master: RunningServer): Promise<void> {
    await this.#missAfter(IMPATIENT_MS);
    await master.kill();
  }

  /** Waits until a replica is the master. */
  async untilReplacedBy(replica: RunningServer): Promise<void> {
    await until(async () => (await this.masterPort()) === replica.port);
    await this.#missAfter(PATIENT_MS);
  }

  async #missAfter(ms: number): Promise<void> {
    const set = (one: Redis) => one.call('SENTINEL', 'SET', MASTER, 'down-after-milliseconds', ms);
    await Promise.all(this.ports.map((port) => askSentinel(port, set)));
  }

  /** The port of the master, according to the first Sentinel. */
  async masterPort(): Promise<number> {
    const [port = 0] = this.ports;
    const answer = await askSentinel(port, (one) => one.call('SENTINEL', 'get-master-addr-by-name', MASTER));
    return Number((answer as string[])[1]);
  }

  #run(port: number, lines: readonly string[]): void {
    const folder = mkdtempSync(join(this.#folder, `${port}-`));
    const file = join(folder, 'sentinel.conf');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const sentinel = new ServerProcess(findProgram('redis-server') ?? '', [file, '--sentinel'], folder);
    sentinel.start();
    this.#processes.push(sentinel);
    this.ports.push(port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.end('SIGKILL', 10_000)));
    rmSync(this.#folder, { recursive: true });
  }
}

async function askSentinel<T>(port: number, question: (sentinel: Redis) => Promise<T>): Promise<T> {
  const sentinel = new Redis(port, '127.0.0.1', { retryStrategy: () => null, maxRetriesPerRequest: 0 });
  sentinel.on('error', () => undefined);
  try {
    return await question(sentinel);
  } finally {
    sentinel.disconnect();
  }
}
