import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';

/**
 * Fixes for kafkajs 2.2.4, which is no longer maintained. Importing this file applies them; the one for fetches is in
 * fetch-response.ts.
 */

const load = createRequire(import.meta.url);

/**
 * The request queue. kafkajs sets a timer whenever it looks at its queue of requests, even if the queue is empty, and then
 * with a negative delay. That costs 3% of a core in an idle process (tulios/kafkajs#1751), and on Node 24 it prints
 * TimeoutNegativeWarning and spins. A timer is needed only while requests wait: each response looks at the queue, too.
 */
interface RequestQueue {
  readonly pending: readonly unknown[];
  /** ms since 1970; −1 when the broker does not throttle. */
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

/** As in kafkajs. */
const CHECK_INTERVAL_MS = 10;

const { prototype } = load('kafkajs/src/network/requestQueue/index.js') as { prototype: RequestQueue };

if (typeof prototype.scheduleCheckPendingRequests !== 'function') {
  throw new Error('kafkajs has no RequestQueue.scheduleCheckPendingRequests: it must be the version in the lock file');
}

prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
  if (this.pending.length === 0 || this.throttleCheckTimeoutId !== null) return;
  const delay = Math.max(this.throttledUntil - Date.now(), CHECK_INTERVAL_MS);
  this.throttleCheckTimeoutId = setTimeout(() => {
    this.throttleCheckTimeoutId = null;
    this.checkPendingRequests();
  }, delay);
};

interface JoiningGroup {
  joinAndSync(): Promise<void>;
}

const { prototype: group } = load('kafkajs/src/consumer/consumerGroup.js') as { prototype: JoiningGroup };
const { joinAndSync } = group;

if (typeof joinAndSync !== 'function') {
  throw new Error('kafkajs joins groups in another way: it must be the version in the lock file');
}

type Join = () => Promise<void>;

const joiningBy = new AsyncLocalStorage<(join: Join) => Promise<void>>();

/**
 * Every time that a consumer run by `work` joins its group, it calls `by` to do it. Java's clients call onPartitionsRevoked; kafkajs
 * says nothing before its partitions are gone. And if joining again fails, kafkajs goes on with the partitions that it had.
 */
export function joining<T>(by: (join: Join) => Promise<void>, work: () => Promise<T>): Promise<T> {
  return joiningBy.run(by, work);
}

group.joinAndSync = function (this: JoiningGroup) {
  const join = () => joinAndSync.call(this);
  const by = joiningBy.getStore();
  return by === undefined ? join() : by(join);
};

interface MetadataResponse {
  readonly topicMetadata: readonly { readonly partitionMetadata: { partitionErrorCode: number }[] }[];
}

interface MetadataModule {
  parse(response: MetadataResponse): Promise<MetadataResponse>;
}

/** https://kafka.apache.org/protocol#protocol_error_codes */
const LEADER_NOT_AVAILABLE = 5;
const NONE = 0;

const METADATA_VERSIONS = [0, 1, 2, 3, 4, 5, 6];

const allowsLeaderless = new AsyncLocalStorage<true>();

/**
 * Within `work`, metadata responses may name partitions without a leader. kafkajs otherwise treats the whole response as an
 * error when one partition has no leader, so that a producer learns nothing about the other partitions and cannot send to
 * them. Here such a partition stays in the response, with the leader −1 that the broker gives it; every other error is still
 * an error. The same goes for requests about all topics of a cluster, which kafkajs sends when an admin client connects.
 * Not for consumers: they would not look for the leader again for minutes.
 */
export function allowingLeaderless<T>(work: () => Promise<T>): Promise<T> {
  return allowsLeaderless.run(true, work);
}

for (const version of METADATA_VERSIONS) {
  const module = load(`kafkajs/src/protocol/requests/metadata/v${version}/response.js`) as MetadataModule;
  const { parse } = module;
  if (typeof parse !== 'function') {
    throw new Error('kafkajs reads metadata in another way: it must be the version in the lock file');
  }
  module.parse = (response) => {
    if (allowsLeaderless.getStore()) clearLeaderErrors(response);
    return parse(response);
  };
}

function clearLeaderErrors({ topicMetadata }: MetadataResponse): void {
  for (const partition of topicMetadata.flatMap(({ partitionMetadata }) => partitionMetadata)) {
    if (partition.partitionErrorCode === LEADER_NOT_AVAILABLE) partition.partitionErrorCode = NONE;
  }
}

interface SignedInConnection {
  /** `process.hrtime()` of the last sign-in. */
  readonly authenticatedAt: [number, number] | null;
  /** As the broker said at the sign-in, ms; 0: for ever. */
  readonly sessionLifetime: { toNumber(): number };
  isAuthenticated(): boolean;
}

const { prototype: connection } = load('kafkajs/src/network/connection.js') as { prototype: SignedInConnection };

if (typeof connection.isAuthenticated !== 'function') {
  throw new Error('kafkajs signs in in another way: it must be the version in the lock file');
}

/** As in kafkajs. */
const RENEWED_BEFORE_END_MS = 10_000;

/**
 * A connection signs in again 10 s before its session ends, or, where sessions are shorter than 20 s, after half of their time. kafkajs
 * knows only the 10 s: in a shorter session it would sign in before every request, which brokers refuse.
 */
connection.isAuthenticated = function (this: SignedInConnection) {
  if (this.authenticatedAt === null) return false;
  const lifetimeMs = this.sessionLifetime.toNumber();
  if (lifetimeMs === 0) return true;
  const [seconds, nanoseconds] = process.hrtime(this.authenticatedAt);
  return seconds * 1e3 + nanoseconds / 1e6 < Math.max(lifetimeMs - RENEWED_BEFORE_END_MS, lifetimeMs / 2);
};
