import { Redis } from 'ioredis';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { findProgram } from '../../src/tools/devservers/launch/machine.ts';
import { type RunningServer, startRedis } from '../../src/tools/devservers/start-server.ts';
import { until } from './until.ts';

const SLOTS = 16_384;

/** A silent node counts as gone after this long, ms: on a busy machine a node that is in its place may be silent for seconds. */
const PATIENT_MS = 15_000;
/** While nodes get to know one another, which takes longer the more patient they are, and once the test has killed one. */
const IMPATIENT_MS = 1_000;

/** The nodes are programs: containers would have to reach one another by the addresses that clients use. */
export const canStartCluster = (): boolean => findProgram('redis-server') !== undefined;

/** A node, and a connection to it alone. */
export interface ClusterNode {
  readonly server: RunningServer;
  readonly redis: Redis;
  /** The port of the cluster bus. */
  readonly bus: number;
  readonly id: string;
}

/** A Redis Cluster of the test's own, with persistence: masters with equal shares of the slots, and replicas. */
export class RedisCluster implements AsyncDisposable {
  readonly nodes: readonly ClusterNode[];
  /** Masters: the first nodes. Each other node replicates one of them. */
  readonly #masters: number;

  private constructor(nodes: readonly ClusterNode[], masters: number) {
    this.nodes = nodes;
    this.#masters = masters;
  }

  /** @param replicas per master; they take over by themselves */
  static async start(masters = 3, replicas = 0): Promise<RedisCluster> {
    const nodes = await Promise.all(Array.from({ length: masters * (1 + replicas) }, startNode));
    const cluster = new RedisCluster(nodes, masters);
    try {
      await cluster.#form();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The value for RECENCY_REDIS_URL. */
  get urls(): string {
    return this.nodes.map(({ server }) => server.url).join(',');
  }

  /** Waits until every node sees every other one and all slots are served. */
  async isWhole(): Promise<boolean> {
    const infos = await Promise.all(this.nodes.map(({ redis }) => redis.cluster('INFO')));
    return infos.every(
      (info) => /cluster_state:ok/.test(info) && info.includes(`cluster_known_nodes:${this.nodes.length}`),
    );
  }

  /** Kills a node. From now on the others miss silent ones at once, until this one is replaced or back. */
  async kill(node: ClusterNode): Promise<void> {
    await this.#missAfter(IMPATIENT_MS);
    await node.server.kill();
  }

  /** Waits until a replica has the place of a node that was killed. */
  async untilReplaced(killed: ClusterNode): Promise<void> {
    const others = this.nodes.filter((node) => node !== killed);
    await until(async () => {
      const roles = await Promise.all(others.map(({ redis }) => redis.info('replication')));
      const infos = await Promise.all(others.map(({ redis }) => redis.cluster('INFO')));
      return roles.filter(isMaster).length === this.#masters && infos.every((info) => /cluster_state:ok/.test(info));
    });
    await this.#missAfter(PATIENT_MS, others);
  }

  /** Starts a node that was killed, and waits until the cluster is whole again. */
  async restart(node: ClusterNode): Promise<void> {
    await node.server.restart();
    await until(() => this.isWhole(), { what: 'the cluster is whole again' });
    await this.#missAfter(PATIENT_MS);
  }

  async #missAfter(ms: number, nodes = this.nodes): Promise<void> {
    await Promise.all(nodes.map(({ redis }) => redis.config('SET', 'cluster-node-timeout', ms)));
  }

  /** The slot of a key, and its node. */
  async place(key: string): Promise<{ slot: number; node: ClusterNode }> {
    const [{ redis } = this.#first()] = this.nodes;
    const slot = Number(await redis.cluster('KEYSLOT', key));
    const ranges = await redis.cluster('SLOTS');
    const id = ranges.find(([first, last]) => first <= slot && slot <= last)?.[2]?.[2];
    return { slot, node: this.nodes.find((node) => node.id === id) ?? this.#first() };
  }

  /**
   * Moves a slot as `redis-cli --cluster reshard` does, some keys at a time.
   * @param between called before each piece, and once more before the slot changes its owner
   */
  async moveSlot(slot: number, from: ClusterNode, to: ClusterNode, between: () => Promise<void>): Promise<void> {
    await this.beginMove(slot, from, to);
    await this.moveKeys(slot, from, to, between);
    const masters = this.nodes.slice(0, this.#masters);
    for (const { redis } of [to, from, ...masters]) await redis.cluster('SETSLOT', slot, 'NODE', to.id);
  }

  async beginMove(slot: number, from: ClusterNode, to: ClusterNode): Promise<void> {
    await to.redis.cluster('SETSLOT', slot, 'IMPORTING', from.id);
    await from.redis.cluster('SETSLOT', slot, 'MIGRATING', to.id);
  }

  /** @param between called before each piece, and once more at the end */
  async moveKeys(slot: number, from: ClusterNode, to: ClusterNode, between = async () => {}): Promise<void> {
    for (;;) {
      await between();
      const keys = (await from.redis.cluster('GETKEYSINSLOT', slot, 3)) as string[];
      if (keys.length === 0) return;
      await from.redis.call('MIGRATE', '127.0.0.1', to.server.port, '', 0, 5_000, 'KEYS', ...keys);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { redis } of this.nodes) redis.disconnect();
    await Promise.all(this.nodes.map(({ server }) => server.remove()));
  }

  async #form(): Promise<void> {
    const masters = this.nodes.slice(0, this.#masters);
    const share = Math.ceil(SLOTS / masters.length);
    for (const [i, { redis }] of masters.entries()) {
      await redis.call('CLUSTER', 'ADDSLOTSRANGE', i * share, Math.min((i + 1) * share, SLOTS) - 1);
      await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
    }
    const { redis } = this.#first();
    for (const { server, bus } of this.nodes.slice(1)) {
      await redis.call('CLUSTER', 'MEET', '127.0.0.1', server.port, bus);
    }
    await until(() => this.isWhole(), { what: 'the cluster is whole' });
    for (const [i, { redis }] of this.nodes.slice(masters.length).entries()) {
      const { id } = masters[i % masters.length] as ClusterNode;
      await until(async () => (await redis.cluster('REPLICATE', id)) === 'OK'); // works once it knows the master
      await until(async () => isInSync(await redis.info('replication')), { what: 'a replica has all of its master' });
    }
    await until(() => this.#knowsReplicas(), { what: 'every node knows which ones are replicas' });
    await this.#missAfter(PATIENT_MS);
  }

  /** Without that a master neither elects a replica nor lets it take over. */
  async #knowsReplicas(): Promise<boolean> {
    const lists = await Promise.all(this.nodes.map(({ redis }) => redis.cluster('NODES')));
    return lists.every((list) => (String(list).match(/slave/g)?.length ?? 0) === this.nodes.length - this.#masters);
  }

  #first(): ClusterNode {
    const [first] = this.nodes;
    if (first === undefined) throw new Error('a cluster without nodes');
    return first;
  }
}

/** Fields of a replica's INFO replication. */
export function isInSync(info: string): boolean {
  return /^role:slave/m.test(info) && /^master_link_status:up/m.test(info);
}

const isMaster = (info: string): boolean => /^role:master/m.test(info);

async function startNode(): Promise<ClusterNode> {
  const bus = await freePort();
  const server = await startRedis({
    from: 'programs',
    args: [
      ...['--cluster-enabled', 'yes', '--cluster-port', `${bus}`],
      // What was written survives the end of the process without waiting for the disk.
      ...['--appendonly', 'yes', '--appendfsync', 'no', '--cluster-node-timeout', `${IMPATIENT_MS}`],
    ],
  });
  const redis = new Redis(server.url);
  redis.on('error', () => undefined); // killed and started again by the tests
  return { server, redis, bus, id: String(await redis.cluster('MYID')) };
}
