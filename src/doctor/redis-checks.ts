import type { Cluster, Redis } from 'ioredis';
import { checkRedisUse } from '../app/open-redis.ts';
import type { Config } from '../config/config.ts';
import { type Checks, fine, problem, type Verdict, warning } from '../health/finding.ts';
import { identityOf, REPLACED } from '../index/epoch.ts';
import type { Database } from '../mysql/database.ts';
import { type RedisRole, readRedisStanding } from '../mysql/redis-masters.ts';
import type { RedisClient } from '../redis/connection.ts';
import { fieldOf, ONE_MASTER, readMasters } from '../redis/masters.ts';
import { MAX_LETTER_BYTES } from '../transport/dead-letter-headers.ts';

/** Checks one master of the Redis of a role. A probe key is written, which expires. */
export function redisChecks(client: RedisClient, config: Config, role: RedisRole = 'index'): Checks {
  const carriesTasks = config.transport === 'streams' && (role === 'streams' || config.streamsUrl === undefined);
  const node = client.isCluster ? ((client as Cluster).nodes('master')[0] as Redis) : (client as Redis);
  const info = async (section: string, field: string) => fieldOf(await node.info(section), field) ?? 'not known';
  return {
    version: async () => fine(`${productIn(await node.info('server'))}${client.isCluster ? ', a cluster' : ''}`),
    permissions: async () => {
      await checkRedisUse(client, config, role);
      return fine('this user may do what Recency does');
    },
    'maxmemory-policy': async () => policyVerdict(await info('memory', 'maxmemory_policy')),
    memory: async () => {
      const [used, max] = [Number(await info('memory', 'used_memory')), Number(await info('memory', 'maxmemory'))];
      return memoryVerdict(used, max, carriesTasks ? streamsBytes(config) : { tasks: 0, letters: 0 });
    },
    ...(role === 'index' ? encodingChecks(node, config) : {}),
    persistence: async () => {
      const isAppended = (await info('persistence', 'aof_enabled')) === '1';
      return persistenceVerdict(isAppended, carriesTasks);
    },
    ...(client.isCluster ? { 'cluster-require-full-coverage': () => coverageVerdict(node) } : {}),
    snapshots: async () => forkVerdict(Number(await info('stats', 'latest_fork_usec')) / 1000),
  };
}

/** Valkey also names the version of Redis whose clients it serves. @param server the reply to INFO server */
function productIn(server: string): string {
  const valkey = fieldOf(server, 'valkey_version');
  return valkey === undefined
    ? `Redis ${fieldOf(server, 'redis_version') ?? 'of an unknown version'}`
    : `Valkey ${valkey}`;
}

/** Is this the Redis that the processes use? @param primary with the record */
export async function recordVerdict(client: RedisClient, primary: Database, role: RedisRole): Promise<Verdict> {
  const now = Date.now();
  const masters = await readMasters(client);
  const { state, replacedSeenAt } = await readRedisStanding(primary, masters.map(identityOf), role, now);
  if (state === 'none') return fine('none is on record yet: the first process begins a new epoch');
  if (state === 'replaced') return problem(REPLACED, ONE_MASTER);
  if (state === 'unknown')
    return warning('not the one on record: the first process that uses it begins a new epoch', ONE_MASTER);
  const unsettled = masters.flatMap(
    ({ address, slots }) => slots?.unsettled.map((slot) => `${slot} (${address})`) ?? [],
  );
  if (unsettled.length > 0) {
    const what = `on record, with keys of slots that another master has, or a move to a master without slots: ${unsettled.join(', ')}`;
    return warning(what, 'Make the move again, or run redis-cli --cluster fix. Each change begins a new epoch.');
  }
  if (replacedSeenAt === undefined) return fine('the one on record');
  const seconds = Math.max(0, Math.round((now - replacedSeenAt) / 1000));
  return warning(
    `the one on record; another, which it replaced, was last seen ${seconds} s ago`,
    `After a failover or a restart this passes. ${ONE_MASTER}`,
  );
}

const LONGEST_ID = 20;

/** Memory of a task on the stream, including what Redis keeps until it is acknowledged (docs/operations.md). */
const BYTES_A_TASK = 320;

/** The part of maxmemory above which Redis is nearly full. */
const NEARLY = 0.9;

/** Maximum sizes in bytes. */
interface StreamsBytes {
  readonly tasks: number;
  readonly letters: number;
}

function streamsBytes({ streamMaxLength, deadLettersMax }: Config): StreamsBytes {
  return { tasks: streamMaxLength * BYTES_A_TASK, letters: deadLettersMax * MAX_LETTER_BYTES };
}

function memoryVerdict(used: number, max: number, { tasks, letters }: StreamsBytes): Verdict {
  const mb = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  if (!(max > 0)) return fine(`${mb(used)} in use, no maxmemory`);
  const text = `${mb(used)} of ${mb(max)} in use`;
  if (used >= max) return problem(`${text}: no new index is built, no task accepted`, 'Raise maxmemory.');
  if (used > NEARLY * max) return warning(text, 'Raise maxmemory before it is reached.');
  if (tasks + letters <= max / 2) return fine(text);
  const remedy =
    'Lower RECENCY_STREAM_MAX_LENGTH or RECENCY_DEAD_LETTERS_MAX, raise maxmemory, or give the tasks their own Redis.';
  return warning(`${text}; tasks may reach ${mb(tasks)}, dead letters ${mb(letters)}`, remedy);
}

/** Redis's limits below which an index keeps its compact encoding. */
function encodingChecks(node: Redis, config: Config): Checks {
  return {
    'zset-max-listpack-entries': () => limitVerdict(node, 'zset-max-listpack-entries', config.max + 1),
    'zset-max-listpack-value': () => limitVerdict(node, 'zset-max-listpack-value', LONGEST_ID),
  };
}

function policyVerdict(policy: string): Verdict {
  if (policy === 'noeviction') return fine(policy);
  const effect = 'a user whose key is evicted is cold, and streams or delayed work may be lost';
  return warning(`${policy}: ${effect}`, 'CONFIG SET maxmemory-policy noeviction, and give Redis the memory it needs.');
}

const COVERAGE = 'cluster-require-full-coverage';

/** Redis's default makes every master refuse while one of them is away. */
async function coverageVerdict(node: Redis): Promise<Verdict> {
  const fix = `CONFIG SET ${COVERAGE} no, on every node.`;
  const answer = await node.config('GET', COVERAGE).catch(() => undefined);
  const value = Array.isArray(answer) ? answer[1] : undefined;
  if (value === undefined) return warning('not known: CONFIG GET is not allowed', fix);
  if (value === 'no') return fine('no: while a master is away, the users of the others have their indexes');
  return warning('yes: while a master is away, no user has an index', fix);
}

/** Above the limit a sorted set leaves the compact encoding and takes ten times the memory. */
async function limitVerdict(node: Redis, name: string, least: number): Promise<Verdict> {
  const answer = await node.config('GET', name).catch(() => undefined);
  const value = Array.isArray(answer) ? Number(answer[1]) : Number.NaN;
  if (Number.isNaN(value))
    return warning('not known: CONFIG GET is not allowed', `Make sure that ${name} is at least ${least}.`);
  if (value >= least) return fine(String(value));
  return problem(`${value}: indexes would leave the compact encoding`, `CONFIG SET ${name} ${Math.max(least, 128)}`);
}

function persistenceVerdict(isAppended: boolean, carriesTasks: boolean): Verdict {
  if (isAppended) return fine('appendonly yes');
  if (!carriesTasks) return fine('none or snapshots: indexes are rebuilt from MySQL after a restart');
  return warning(
    'appendonly no: a restart of Redis loses tasks on the stream (a new epoch begins then, and every index is cold)',
    'CONFIG SET appendonly yes',
  );
}

/** Redis does not answer while it forks for a snapshot. */
const LONG_FORK_MS = 100;

function forkVerdict(ms: number): Verdict {
  if (Number.isNaN(ms)) return fine('the time of a fork is not known');
  if (ms === 0) return fine('no fork yet');
  const text = `the last fork took ${ms.toFixed(1)} ms`;
  if (ms < LONG_FORK_MS) return fine(text);
  return warning(
    `${text}, during which Redis does not answer`,
    'Save less often, or on a replica; turn off transparent huge pages (THP).',
  );
}
