import type { Cluster, Redis } from 'ioredis';
import type { RedisClient } from './connection.ts';
import { SLOTS } from './hash-tags.ts';
import { addressOf } from './sentinel.ts';
import { RedisUnavailable, reply } from './unavailable.ts';
import { readSlots, type SlotState, slotStatesOf } from './unsettled-slots.ts';

/** A Redis that takes writes. */
export interface RedisMaster {
  /** Changes at every start of the server. */
  readonly runId: string;
  /**
   * Changes at every promotion: a master that became a replica may have received less than it had, and may be master again
   * without a restart. Redis also renews it when it starts or stops keeping a history for replicas.
   */
  readonly replicationId: string;
  /** host:port */
  readonly address: string;
  /** Undefined: it is not of a cluster. */
  readonly slots?: SlotState;
}

/** A server that should be a master has become a replica. */
export class RedisIsReplica extends RedisUnavailable {}

/** What to do where several are in use. */
export const ONE_MASTER = 'Lead the address of Redis of every process to the same master, and stop the other one.';

/** It was replaced as the master, and the one that replaced it is still in use. */
export class RedisNotOnRecord extends RedisUnavailable {
  override get remedy() {
    return ONE_MASTER;
  }
}

/** The connections to the masters: the client itself, or those of all masters that a cluster's client knows. */
export function masterNodes(client: RedisClient): Redis[] {
  return client.isCluster ? (client as Cluster).nodes('master') : [client as Redis];
}

/** Those of them that can answer now. */
export function connectedMasters(client: RedisClient): Redis[] {
  return masterNodes(client).filter(({ status }) => status === 'ready');
}

/**
 * Asks all masters of {@link masterNodes}. On a cluster, one without a connection is left out: it is gone, or accepts connections and
 * answers nothing, and connecting to it later leads to another check. One that is connected and only slow is not left out: it may
 * answer the next command without having been checked.
 * @throws RedisIsReplica; RedisUnavailable when one does not answer, or there is none
 */
export async function readMasters(
  client: RedisClient,
  nodes: readonly Redis[] = masterNodes(client),
): Promise<RedisMaster[]> {
  const answers = await Promise.all(nodes.map((node) => readNode(node, client.isCluster)));
  const found = answers.filter((answer) => answer !== undefined);
  if (found.length === 0)
    throw new RedisUnavailable('Redis is not available: the cluster names no master that answers');
  const masters = found.map(({ master }) => master);
  if (!client.isCluster) return masters;
  const states = await slotStatesOf(found.flatMap(({ node, slots }) => (slots ? [{ node, slots }] : [])));
  return masters.map((master, i) => ({ ...master, slots: states[i] as SlotState }));
}

/** At once: a comparison should end before the client has learned again that another node is gone. @returns undefined: it is left out */
async function readNode(node: Redis, isCluster: boolean) {
  try {
    // In this order: a master that is being demoted holds up the script until it is a replica.
    const [slots, master] = await Promise.all([isCluster ? readSlots(node) : undefined, readMaster(node)]);
    return { node, master, slots };
  } catch (error) {
    // A cluster's client never connects a node again: it opens another connection, which it treats as another node.
    if (isCluster && error instanceof RedisUnavailable && node.status !== 'ready') return undefined;
    throw error;
  }
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
 * Reconnects a client whose server has become a replica: its address may lead to the new master by now (a name, a virtual
 * address, a proxy, a Sentinel), and the nodes of a cluster know it.
 */
export function lookForMaster(client: RedisClient): void {
  if (client.isCluster) (client as Cluster).refreshSlotsCache();
  else if (client.status === 'ready') (client as Redis).disconnect(true);
}

/** One field of a reply to INFO. */
export function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

/** Bytes, over all masters. */
interface RedisMemory {
  readonly used: number;
  /** `maxmemory`; 0: no limit. */
  readonly max: number;
}

/** @throws RedisUnavailable */
export async function readMemory(client: RedisClient): Promise<RedisMemory> {
  const infos = await Promise.all(masterNodes(client).map((node) => reply(node.info('memory'))));
  const sum = (name: string) => infos.reduce((total, info) => total + Number(fieldOf(info, name) ?? Number.NaN), 0);
  return { used: sum('used_memory'), max: sum('maxmemory') };
}

const KEYS_A_CALL = 1_000;

/** The masters, if they are all there are: a cluster's client leaves out those that it has no connection to. @throws RedisUnavailable */
async function everyMaster(client: RedisClient): Promise<Redis[]> {
  const nodes = masterNodes(client);
  if (!client.isCluster) return nodes;
  const owned = (await Promise.all(nodes.map(readSlots))).flatMap((master) => master.owned);
  const count = owned.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (count < SLOTS)
    throw new RedisUnavailable('Redis is not available: masters of some slots of the cluster are away');
  return nodes;
}

/**
 * Every key that matches the pattern, on every master, in no order; a bounded number per call of SCAN. A key that exists
 * throughout comes at least once. A page may be empty, so that the caller gets control after each call.
 * @throws RedisUnavailable, also when a master is away
 */
export async function* scanKeys(client: RedisClient, pattern: string): AsyncGenerator<readonly string[]> {
  for (const node of await everyMaster(client)) yield* scanNode(node, pattern);
}

/**
 * Does any key match the pattern?
 * @param calls of SCAN on each master, after which the answer is 'unknown': there are too many other keys
 * @throws RedisUnavailable, also when a master is away
 */
export async function isAnyKeyLike(client: RedisClient, pattern: string, calls: number): Promise<boolean | 'unknown'> {
  const nodes = await everyMaster(client);
  const answers = await Promise.all(nodes.map((node) => isAnyOn(node, pattern, calls)));
  if (answers.includes(true)) return true;
  return answers.includes('unknown') ? 'unknown' : false;
}

async function isAnyOn(node: Redis, pattern: string, calls: number): Promise<boolean | 'unknown'> {
  let cursor = '0';
  for (let call = 0; call < calls; call++) {
    const [next, keys] = await scan(node, pattern, cursor);
    if (keys.length > 0) return true;
    if (next === '0') return false;
    cursor = next;
  }
  return 'unknown';
}

async function* scanNode(node: Redis, pattern: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next, keys] = await scan(node, pattern, cursor);
    cursor = next;
    yield keys;
  } while (cursor !== '0');
}

function scan(node: Redis, pattern: string, cursor: string): Promise<[cursor: string, keys: string[]]> {
  return reply(node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_A_CALL));
}
