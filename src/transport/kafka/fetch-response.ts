import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { ByteReader } from './byte-reader.ts';
import { append, type FetchedMessage, placeholderAt } from './fetched-message.ts';
import { batchesIn, decodeBatch } from './record-batches.ts';

/**
 * Replaces kafkajs 2.2.4's decoder of fetch responses. An error thrown there, for an unknown codec or a missing byte, ends the
 * consumer, as does an error of one partition, and every consumer that follows meets the same error. It also delivers
 * aborted messages and drops committed ones when transactions of several producers overlap (it considers one aborted
 * transaction per message). And nothing bounds the memory that a fetch takes.
 *
 * kafkajs has one module with a `decode` for every version of the response. They are replaced here, before the first fetch.
 */

/** Versions of the response that hold record batches. Every broker from Kafka 0.11 on has one of them. */
const VERSIONS = [4, 5, 6, 7, 8, 9, 10, 11] as const;

interface ResponseModule {
  decode: (bytes: Buffer) => Promise<object>;
}

interface Aborted {
  readonly producerId: string;
  readonly firstOffset: bigint;
}

/** A partition as kafkajs expects it. Its records are decoded once the whole response is known. */
interface Partition {
  readonly partition: number;
  errorCode: number;
  readonly highWatermark: string;
  readonly lastStableOffset: string;
  readonly preferredReadReplica: number;
  /** Empty, because aborted messages are already hidden here. */
  readonly abortedTransactions: readonly never[];
  messages: FetchedMessage[];
}

interface Unread {
  readonly topic: string;
  readonly partition: Partition;
  readonly aborted: readonly Aborted[];
  readonly records: Buffer;
}

/**
 * Approximate memory for the messages of one response. The rest is left for the next fetch. The first batch is always decoded,
 * however large it is.
 */
const RESPONSE_BYTES = 64 * 1024 * 1024;
const BYTES_A_MESSAGE = 500;

/**
 * Partition errors that are left to kafkajs: it looks up the leader (3, 5, 6, 74, 75) or the oldest offset (1), and a missing
 * permission (29) does not pass by itself. https://kafka.apache.org/41/design/protocol/#error-codes
 */
const PASSED_ON = new Set([1, 3, 5, 6, 29, 74, 75]);

/** The offset that was asked for is not in the log. */
export const OUT_OF_RANGE = 1;

/** A broker answers with an error at once, without waiting for messages: fetching again at once would be a busy loop. */
const ERROR_PAUSE_MS = 500;

/** Error codes of partitions whose last fetch failed, by `topic/partition`. */
const faults = new Map<string, number>();

/** The error code with which the broker currently answers fetches of this partition; undefined if it can read it. */
export function brokerFault(topic: string, partition: number): number | undefined {
  return faults.get(`${topic}/${partition}`);
}

async function decode(version: number, bytes: Buffer): Promise<object> {
  const reader = new ByteReader(bytes);
  const clientSideThrottleTime = reader.int32();
  const session = version >= 7 ? { errorCode: reader.int16(), sessionId: reader.int32() } : {};
  const unread: Unread[] = [];
  const responses = list(reader, () => {
    const topicName = reader.text(reader.int16());
    return { topicName, partitions: list(reader, () => partition(reader, version, topicName, unread)) };
  });
  await readAll(unread);
  if (unread.some(isFaulty)) await pause(ERROR_PAUSE_MS);
  // From version 8 on the client must throttle itself, which kafkajs does.
  const throttle =
    version >= 8 ? { throttleTime: 0, clientSideThrottleTime } : { throttleTime: clientSideThrottleTime };
  return { ...throttle, ...session, responses };
}

function list<T>(reader: ByteReader, read: () => T): T[] {
  const count = reader.int32();
  return Array.from({ length: Math.max(count, 0) }, read);
}

function partition(reader: ByteReader, version: number, topic: string, unread: Unread[]): Partition {
  const head = {
    partition: reader.int32(),
    errorCode: reader.int16(),
    highWatermark: reader.int64().toString(),
    lastStableOffset: reader.int64().toString(),
  };
  if (version >= 5) reader.int64(); // where the log begins
  const aborted = list(reader, () => ({ producerId: reader.int64().toString(), firstOffset: reader.int64() }));
  const preferredReadReplica = version >= 11 ? reader.int32() : -1;
  const records = reader.takeOrNull(Math.max(reader.int32(), -1)) ?? Buffer.alloc(0);
  const found: Partition = { ...head, preferredReadReplica, abortedTransactions: [], messages: [] };
  unread.push({ topic, partition: found, aborted, records });
  return found;
}

function isFaulty({ topic, partition }: Unread): boolean {
  return brokerFault(topic, partition.partition) !== undefined;
}

/** When each partition last got memory, by `topic/partition`, as a count of turns. */
const turns = new Map<string, number>();
let turn = 0;

/** Partitions that have waited longest come first, so that none can take all the memory for itself. */
async function readAll(unread: readonly Unread[]): Promise<void> {
  let room = RESPONSE_BYTES;
  for (const one of unread.toSorted((a, b) => lastTurn(a) - lastTurn(b))) {
    setFaultAside(one);
    const taken = await read(one, room);
    if (taken > 0) turns.set(nameOf(one), ++turn);
    room -= taken;
  }
}

function lastTurn(one: Unread): number {
  return turns.get(nameOf(one)) ?? 0;
}

function nameOf({ topic, partition }: Unread): string {
  return `${topic}/${partition.partition}`;
}

/** Hides a partition's error from kafkajs, so that the other partitions go on. This partition is fetched again. */
function setFaultAside(one: Unread): void {
  const name = nameOf(one);
  const { partition } = one;
  const { errorCode } = partition;
  if (errorCode === 0 || (PASSED_ON.has(errorCode) && errorCode !== OUT_OF_RANGE)) faults.delete(name);
  else faults.set(name, errorCode);
  if (!PASSED_ON.has(errorCode)) partition.errorCode = 0;
}

async function read({ partition, aborted, records }: Unread, room: number): Promise<number> {
  let taken = 0;
  for (const batch of batchesIn(records)) {
    if (taken >= room) break;
    const { messages, bytes } = await decodeBatch(batch);
    taken += bytes + messages.length * BYTES_A_MESSAGE;
    for (const message of messages) append(partition.messages, message);
  }
  hideAborted(partition.messages, aborted);
  deliverEnd(partition.messages);
  return taken;
}

/** kafkajs says nothing of a fetch of which it delivers nothing. So something is delivered at the end of each. */
function deliverEnd(messages: FetchedMessage[]): void {
  const last = messages.at(-1);
  if (last?.isControlRecord) messages.push(placeholderAt(BigInt(last.offset)));
}

/**
 * Hides aborted messages by the rule of the Java client: a transaction counts as aborted from its first offset to the control
 * record of the same producer.
 */
function hideAborted(messages: readonly FetchedMessage[], aborted: readonly Aborted[]): void {
  const coming = aborted.toSorted((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1));
  const open = new Set<string>();
  for (const message of messages) {
    const { producerId, inTransaction } = message.batchContext;
    while (coming[0] !== undefined && coming[0].firstOffset <= BigInt(message.offset)) {
      open.add((coming.shift() as Aborted).producerId);
    }
    if (message.isControlRecord && message.key !== null) open.delete(producerId);
    else if (inTransaction && open.has(producerId)) message.isControlRecord = true;
  }
}

const require = createRequire(import.meta.url);

for (const version of VERSIONS) {
  const module = require(`kafkajs/src/protocol/requests/fetch/v${version}/response.js`) as ResponseModule;
  if (typeof module.decode !== 'function') {
    throw new Error(
      `kafkajs does not decode fetch responses of version ${version}: it must be the version in the lock file`,
    );
  }
  module.decode = (bytes) => decode(version, bytes);
}
