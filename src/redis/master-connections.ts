import type { Cluster, Redis } from 'ioredis';
import type { RedisClient } from './connection.ts';
import { connectedMasters, masterNodes } from './masters.ts';

/** The connections at one moment. */
export interface PresentConnections {
  /** The number of the latest change. */
  readonly connection: number;
  /** What the masters are asked through. */
  readonly nodes: readonly Redis[];
}

/** Events of a client after which it may be connected to another server. */
const CHANGES = ['ready', 'close'];

/**
 * The connections to the masters: the client's own, or those of a cluster's client to its nodes. Such a client never connects a node
 * again: it makes another one, which counts once it is connected. Until then it answers nothing; and while a master is away,
 * every command for it makes its node anew.
 */
export class MasterConnections {
  readonly #client: RedisClient;
  readonly #onChange: () => void;
  #changes = 0;
  /** The masters that the client knew when last looked at. */
  #nodes: readonly Redis[] = [];

  /** @param onChange called when another server may answer than before */
  constructor(client: RedisClient, onChange: () => void) {
    this.#client = client;
    this.#onChange = onChange;
  }

  start(): void {
    for (const event of CHANGES) this.#client.on(event, this.#changed);
    this.#client.on('+node', this.#onNode);
    this.#client.on('refresh', this.#onRefresh);
    for (const node of this.#allNodes()) this.#onNode(node);
  }

  stop(): void {
    for (const event of CHANGES) this.#client.off(event, this.#changed);
    this.#client.off('+node', this.#onNode);
    this.#client.off('refresh', this.#onRefresh);
    for (const node of this.#allNodes()) node.off('ready', this.#changed);
  }

  present(): PresentConnections {
    this.#nodes = masterNodes(this.#client);
    return { connection: this.#changes, nodes: this.#nodes };
  }

  areUnchangedSince({ connection }: PresentConnections): boolean {
    return connection === this.#changes;
  }

  /** Can no server answer now but those that they led to? */
  areCoveredBy(present: PresentConnections): boolean {
    if (!this.areUnchangedSince(present)) return false;
    return connectedMasters(this.#client).every((node) => present.nodes.includes(node));
  }

  #allNodes(): Redis[] {
    return this.#client.isCluster ? (this.#client as Cluster).nodes('all') : [];
  }

  readonly #changed = () => {
    this.#changes++;
    this.#onChange();
  };

  readonly #onNode = (node: Redis) => void node.once('ready', this.#changed);

  /**
   * A cluster's client has learned which node has which slots. A replica that it knew may be a master now; and a master that
   * is a replica now must be compared again when it becomes a master.
   */
  readonly #onRefresh = () => {
    const known = this.#nodes;
    this.#nodes = connectedMasters(this.#client);
    const isGained = this.#nodes.some((node) => !known.includes(node));
    const isReplicaNow = known.some((node) => node.status === 'ready' && !this.#nodes.includes(node));
    if (isGained || isReplicaNow) this.#changed();
  };
}
