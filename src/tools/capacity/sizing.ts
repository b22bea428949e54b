import { FOLLOWERS_A_PAGE } from '../../index/fan-out.ts';
import { PAIRS_A_CALL } from '../../index/refresh.ts';
import { FOLLOWERS_A_SEGMENT } from '../../index/segments.ts';
import { OWNERS_A_STATEMENT } from '../../mysql/statements/followers.ts';
import { BUCKETS } from '../../redis/hash-tags.ts';
import { DEFAULT_PARTITIONS } from '../../transport/kafka/topic-admin.ts';
import { CONSTANTS, type Constants, type CostLine } from './constants.ts';
import { type KeptIndexes, keptOf } from './kept.ts';
import { meanAbove, powerLawOf, type SiteFigures, shareAbove } from './site.ts';
import { busiestShareOf } from './slots.ts';

export interface Sizing {
  readonly memory: MemorySizing;
  readonly kept: KeptIndexes;
  readonly mean: ServerLoad;
  readonly peak: ServerLoad;
  readonly processes: Processes;
  readonly celebrity: Celebrity;
  readonly clusters: readonly ClusterSizing[];
}

/** Computes from what the benchmarks measured: docs/sizing.md. @param masters computes one cluster for each number */
export function sizingOf(site: SiteFigures, masters: readonly number[], constants = CONSTANTS[site.database]): Sizing {
  const memory = memoryOf(site, constants);
  const peak = loadOf(site, site.peakFactor);
  const processes = processesOf(site, peak, constants);
  const celebrity = celebrityOf(site, constants);
  return {
    memory,
    kept: keptOf(site),
    mean: loadOf(site, 1),
    peak,
    processes,
    celebrity,
    clusters: masters.map((count) => clusterOf(count, { memory, peak, processes, celebrity }, constants)),
  };
}

export interface MemorySizing {
  /** Users with so many contacts that they have an index, if it is read. */
  readonly indexes: number;
  /** Mean number of contacts in an index. */
  readonly members: number;
  /** Redis memory for an index of this size, tables and allocator included. */
  readonly bytesPerIndex: number;
  /** The part of it that MEMORY USAGE shows for its keys. */
  readonly keyBytesPerIndex: number;
  readonly bytesPerFullIndex: number;
  readonly bytes: number;
  /** Duration of one backfill from nothing. */
  readonly backfillSeconds: number;
}

type People = Pick<SiteFigures, 'users' | 'contactsPerUser' | 'mostContacts' | 'max' | 'indexAbove' | 'keep'>;

export function memoryOf(site: People, constants: Constants): MemorySizing {
  const { users, contactsPerUser, mostContacts, max, indexAbove } = site;
  const law = powerLawOf(contactsPerUser, mostContacts);
  const share = shareAbove(law, indexAbove);
  const members = meanAbove(law, max, indexAbove) / share;
  const bytesPerIndex = at(constants.indexBytes, members);
  const indexes = site.keep > 0 ? users * share : 0;
  return {
    indexes,
    members,
    bytesPerIndex,
    keyBytesPerIndex: at(constants.keyBytes, members),
    bytesPerFullIndex: at(constants.indexBytes, max),
    bytes: indexes * bytesPerIndex,
    backfillSeconds: indexes * at(constants.backfillSeconds, meanAbove(law, mostContacts, indexAbove) / share),
  };
}

export function at({ fixed, each }: CostLine, count: number): number {
  return fixed + each * count;
}

export interface Processes {
  /** Average number of busy consumers at the peak. */
  readonly consumersBusy: number;
  readonly consumers: number;
  readonly relays: number;
  readonly apis: number;
  /** Undefined for streams, which have none. */
  readonly partitions: number | undefined;
}

/** Maximum share of its time that a process is planned to be busy: the queue of one that is always busy only grows. */
export const BUSY = 0.7;

/** Minimum of each kind, so that one may fail. */
const LEAST = 2;

/** Partitions per consumer, so that consumers can be added without moving tasks between partitions. */
const PARTITIONS_A_CONSUMER = 2;

export function processesOf(site: SiteFigures, peak: ServerLoad, constants: Constants): Processes {
  const { transport, followersPerUploader } = site;
  const upload = at(constants.uploadSeconds[transport], followersPerUploader);
  const consumersBusy = peak.uploads * upload + peak.contactTasks * constants.contactTaskSeconds[transport];
  const consumers = atLeastTwo(consumersBusy / BUSY);
  return {
    consumersBusy,
    consumers,
    relays: atLeastTwo(peak.tasks / constants.relayTasksPerSecond),
    apis: atLeastTwo((peak.reads * constants.readSeconds) / BUSY),
    partitions: transport === 'kafka' ? Math.max(DEFAULT_PARTITIONS, consumers * PARTITIONS_A_CONSUMER) : undefined,
  };
}

function atLeastTwo(count: number): number {
  return Math.max(LEAST, Math.ceil(count));
}

/** Requests to a server: the least if every batch of tasks is full, the most if each task is a batch. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** Per second. */
export interface ServerLoad {
  readonly uploads: number;
  readonly contactTasks: number;
  readonly tasks: number;
  readonly indexWrites: number;
  readonly reads: number;
  readonly mysqlStatements: Range;
  readonly redisCalls: Range;
}

const SECONDS_A_DAY = 86_400;

const INDEXES_A_CONTACT_TASK = 2;

/** @param times multiple of the mean */
export function loadOf(site: SiteFigures, times: number): ServerLoad {
  const { users, uploadsPerDay, contactChangesPerDay, followersPerUploader: followers } = site;
  const uploads = (users * uploadsPerDay * times) / SECONDS_A_DAY;
  const contactTasks = (users * contactChangesPerDay * times) / SECONDS_A_DAY;
  const reads = (site.readsPerSecond * times) / site.peakFactor;
  const fanOut = fanOutCost(followers);
  return {
    uploads,
    contactTasks,
    tasks: uploads + contactTasks,
    indexWrites: uploads * followers + contactTasks * INDEXES_A_CONTACT_TASK,
    reads,
    mysqlStatements: {
      least: uploads * (pagesAmong(followers) + followers / PAIRS_A_CALL) + contactTasks * FULL_CALLS + reads,
      most: uploads * fanOut.mysqlStatements + contactTasks + reads,
    },
    redisCalls: {
      least: uploads * ((2 * followers) / PAIRS_A_CALL) + 3 * contactTasks * FULL_CALLS + reads,
      most: uploads * fanOut.redisCalls + 3 * contactTasks + reads,
    },
  };
}

/** The statements that page an upload's followers, where many uploads are in one batch. */
function pagesAmong(followers: number): number {
  return Math.max(1 / OWNERS_A_STATEMENT, followers / FOLLOWERS_A_PAGE);
}

const FULL_CALLS = INDEXES_A_CONTACT_TASK / PAIRS_A_CALL;

/** The cost of a fan-out that is alone in its batch, as in src/index/fan-out.ts and segments.ts. */
export function fanOutCost(followers: number): { mysqlStatements: number; redisCalls: number } {
  const calls = Math.ceil(followers / PAIRS_A_CALL); // of each: the nonces, the pairs, the write
  if (followers <= FOLLOWERS_A_PAGE) return { mysqlStatements: 1 + calls, redisCalls: 2 * calls + 1 };
  const segments = Math.floor(followers / FOLLOWERS_A_SEGMENT) + 1; // a full segment may not be the last
  const rest = followers - (segments - 1) * FOLLOWERS_A_SEGMENT;
  const pages = (segments - 1) * pagesOf(FOLLOWERS_A_SEGMENT) + pagesOf(rest);
  // The page that was too large, the epoch, the watched followers (none), the boundaries; a note that the plan waits: begun, published, removed; signals.
  return { mysqlStatements: 3 + segments + pages + calls, redisCalls: 3 + 2 * calls + segments };
}

/** A full page may not be the last. */
function pagesOf(followers: number): number {
  return Math.floor(followers / FOLLOWERS_A_PAGE) + 1;
}

/** One photo by somebody with very many followers. */
export interface Celebrity {
  readonly followers: number;
  /** They are spread over the consumers. */
  readonly segments: number;
  /** Until the last follower's index has it, if one consumer does it all: see {@link ClusterSizing} for more of them. */
  readonly seconds: number;
  readonly mysqlStatements: number;
  readonly redisCalls: number;
}

function celebrityOf({ celebrityFollowers: followers, transport }: SiteFigures, constants: Constants): Celebrity {
  const seconds = at(constants.uploadSeconds[transport], followers);
  const segments = followers <= FOLLOWERS_A_PAGE ? 1 : Math.floor(followers / FOLLOWERS_A_SEGMENT) + 1;
  return { followers, segments, seconds, ...fanOutCost(followers) };
}

/** What this many masters give, with the slots shared evenly in contiguous ranges. */
export interface ClusterSizing {
  readonly masters: number;
  /** Share of the users that are on the busiest master. */
  readonly busiestShare: number;
  /** On that master. */
  readonly busiestBytes: number;
  /**
   * All masters together, when the busiest is at its limit: that of one server, where the benchmark's client was the
   * limit.
   */
  readonly indexWritesPerSecond: number;
  /** Share of that at the peak. */
  readonly busyAtPeak: number;
  /** The celebrity's photo, by all the consumers: their work, or what the masters take, whichever is more. */
  readonly celebritySeconds: number;
  /** For 500 followers with scattered ids: one call per bucket. On one server all go in one call. */
  readonly callsPerPage: number;
}

function clusterOf(
  masters: number,
  { memory: { bytes }, peak, processes, celebrity }: Pick<Sizing, 'memory' | 'peak' | 'processes' | 'celebrity'>,
  { redisWritesPerSecond }: Constants,
): ClusterSizing {
  const busiestShare = busiestShareOf(masters);
  const indexWritesPerSecond = redisWritesPerSecond / busiestShare;
  return {
    masters,
    busiestShare,
    busiestBytes: bytes * busiestShare,
    indexWritesPerSecond,
    busyAtPeak: peak.indexWrites / indexWritesPerSecond,
    celebritySeconds: Math.max(
      celebrity.seconds / Math.min(processes.consumers, celebrity.segments),
      celebrity.followers / indexWritesPerSecond,
    ),
    callsPerPage: masters === 1 ? 1 : BUCKETS * (1 - (1 - 1 / BUCKETS) ** PAIRS_A_CALL),
  };
}
