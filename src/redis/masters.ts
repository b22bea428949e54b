import type { Cluster, Redis } from 'ioredis';
import type { RedisClient } from './connection.ts';
import { addressOf } from './sentinel.ts';
import { RedisUnavailable, reply } from './unavailable.ts';

/** A Redis that takes writes. */
export interface RedisMaster {
  /** Another one after every start of the server. */
  readonly runId: string;
  /**
   * Another one after every promotion: a master that became a replica may have been given less than it had, and be a
   * master again, without a restart. Redis also renews it when it begins or ends to keep a history for replicas.
   */
  readonly replicationId: string;
  /** host:port */
  readonly address: string;
}

/** A server that should be a master has become a replica. */
export class RedisIsReplica extends RedisUnavailable {}

/** The connections to the masters in use: the client itself, or those of all masters that a cluster's client knows. */
export function masterNodes(client: RedisClient): Redis[] {
  return client.isCluster ? (client as Cluster).nodes('master') : [client as Redis];
}

/**
 * Asks all masters of {@link masterNodes} but those of a cluster whose connection is gone; whoever connects to one of them
 * asks again. One that is only slow is not left out: it may answer the next question, and nobody would have looked at it.
 * @throws RedisIsReplica; RedisUnavailable when one does not answer, or there is none
 */
export async function readMasters(client: RedisClient, nodes = masterNodes(client)): Promise<RedisMaster[]> {
  const answers = await Promise.allSettled(nodes.map(readMaster));
  const isFailure = (answer: PromiseSettledResult<RedisMaster>) =>
    answer.status === 'rejected' && !(client.isCluster && isGone(answer.reason));
  const failed = answers.find(isFailure);
  if (failed?.status === 'rejected') throw failed.reason;
  const masters = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (masters.length > 0) return masters;
  throw new RedisUnavailable('Redis is not available: the cluster names no master that answers');
}

/** A node of a cluster is not connected to again: its client opens another connection, which is another node to it. */
function isGone(error: unknown): boolean {
  return error instanceof RedisUnavailable && /Connection is closed|ECONNREFUSED/.test(error.message);
}

async function readMaster(node: Redis): Promise<RedisMaster> {
  const info = await reply(node.info('server', 'replication'));
  const address = addressOf(node);
  if (fieldOf(info, 'role') !== 'master') {
    throw new RedisIsReplica(`Redis is not available: ${address} is a replica, which takes no writes`);
  }
  const [runId, replicationId] = [fieldOf(info, 'run_id'), fieldOf(info, 'master_replid')];
  if (runId === undefined || replicationId === undefined) {
    throw new Error(`Redis at ${address} does not say its run_id and master_replid (INFO server, INFO replication)`);
  }
  return { runId, replicationId, address };
}

/**
 * Turns away from a server that has become a replica: the address may lead to the new master by now (a name, a virtual
 * address, a proxy, a sentinel), and a cluster's nodes know it.
 */
export function lookForMaster(client: RedisClient): void {
  if (client.isCluster) (client as Cluster).refreshSlotsCache();
  else if (client.status === 'ready') (client as Redis).disconnect(true);
}

/** One field of an answer to INFO. */
export function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
