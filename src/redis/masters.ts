import type { Cluster, Redis } from 'ioredis';
import type { RedisClient } from './connection.ts';
import { addressOf } from './sentinel.ts';
import { RedisUnavailable, reply } from './unavailable.ts';

/** A Redis that takes writes. */
export interface RedisMaster {
  /** Another one after every start of the server. */
  readonly runId: string;
  /** host:port */
  readonly address: string;
}

/**
 * The masters in use: one, or all of a cluster but those whose connection is gone; whoever connects to one of them asks again.
 * One that is only slow is not left out: it may answer the next question, and nobody would have looked at it.
 * @throws RedisUnavailable when one does not answer, there is none, or it is a replica
 */
export async function readMasters(client: RedisClient): Promise<RedisMaster[]> {
  if (!client.isCluster) return [await readMaster(client as Redis)];
  const nodes = (client as Cluster).nodes('master');
  const answers = await Promise.allSettled(nodes.map(readMaster));
  const failed = answers.find((answer) => answer.status === 'rejected' && !isGone(answer.reason));
  if (failed?.status === 'rejected') throw failed.reason;
  const masters = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (masters.length > 0) return masters;
  throw new RedisUnavailable('Redis is not available: the cluster names no master that answers');
}

function isGone(error: unknown): boolean {
  return error instanceof RedisUnavailable && /Connection is closed|ECONNREFUSED/.test(error.message);
}

async function readMaster(node: Redis): Promise<RedisMaster> {
  const [server, replication] = await Promise.all([reply(node.info('server')), reply(node.info('replication'))]);
  const runId = fieldOf(server, 'run_id');
  const address = addressOf(node);
  if (fieldOf(replication, 'role') !== 'master') {
    throw new RedisUnavailable(`Redis is not available: ${address} is a replica, which takes no writes`);
  }
  if (runId === undefined) throw new Error(`Redis at ${address} does not say its run_id (INFO server)`);
  return { runId, address };
}

/** The masters that a cluster's client knows, as one text; the same of one server for ever. */
export function masterAddresses(client: RedisClient): string {
  const nodes = client.isCluster ? (client as Cluster).nodes('master') : [];
  return nodes
    .map(({ options }) => `${options.host}:${options.port}`)
    .sort()
    .join(',');
}

/** One field of an answer to INFO. */
export function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
