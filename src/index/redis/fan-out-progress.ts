import type { PlanTask, SegmentTask } from '../../contracts/bulk-task.ts';
import type { Id } from '../../contracts/id.ts';
import type { KindName } from '../../contracts/kind.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import { FOLLOWERS_A_SEGMENT } from '../segments.ts';

/** A large fan-out that is not done. Times are ms since 1970 UTC. */
export interface FanOutInProgress {
  readonly kind: KindName;
  readonly owner: Id;
  readonly plan: string;
  readonly plannedAt: number;
  readonly segments: { readonly done: number; readonly of: number };
  /** `estimated`: of the whole audience, from the segments that are done. */
  readonly followers: { readonly done: number; readonly estimated: number };
  /** Undefined while no segment is done. */
  readonly usersPerSecond: number | undefined;
  readonly endsAt: number | undefined;
}

/** What nobody has touched for so long is over, or lost, ms. */
const KEPT_MS = 24 * 3_600_000;

/** Members of a fan-out's set besides one for each segment that is done, whose score is its followers. */
const FIRST_AT = 'first';
const LAST_AT = 'last';

/**
 * How far large fan-outs have come, for people to look at. Workers write it after the fact; no index depends on it, and what is lost
 * with Redis is not missed. A segment that is done twice counts once.
 */
export class FanOutProgress {
  readonly #client: RedisClient;
  readonly #prefix: string;
  /** Names of those that are not done, by when they were planned. */
  readonly #list: string;

  /** @param prefix of every key in Redis */
  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#prefix = `${prefix}:fan-out`;
    this.#list = `${prefix}:fan-outs`;
  }

  /** The owner's audience was cut into so many segments. @throws RedisUnavailable */
  async planned(plan: PlanTask, of: number, at: number): Promise<void> {
    await reply(this.#client.zremrangebyscore(this.#list, '-inf', String(at - KEPT_MS)));
    await reply(this.#client.zadd(this.#list, 'NX', String(at), nameOf(plan, of)));
  }

  /** @throws RedisUnavailable */
  async done(segment: SegmentTask, followers: number, at: number): Promise<void> {
    const key = this.#key(segment.plan);
    await reply(this.#client.zadd(key, followers, String(segment.part), at, LAST_AT));
    await reply(this.#client.zadd(key, 'NX', at, FIRST_AT));
    await reply(this.#client.pexpire(key, KEPT_MS));
  }

  /** Those that are not done, the oldest first. @throws RedisUnavailable */
  async list(now: number): Promise<FanOutInProgress[]> {
    await reply(this.#client.zremrangebyscore(this.#list, '-inf', String(now - KEPT_MS)));
    const found: FanOutInProgress[] = [];
    for (const [name, plannedAt] of await this.#members(this.#list)) {
      const one = await this.#read(name, plannedAt);
      if (one.segments.done < one.segments.of) found.push(one);
      else await reply(this.#client.zrem(this.#list, name));
    }
    return found;
  }

  async #read(name: string, plannedAt: number): Promise<FanOutInProgress> {
    const [kind, owner = '', plan = '', of] = name.split(' ') as [KindName, Id, string, string];
    const members = await this.#members(this.#key(plan));
    const parts = [...members]
      .filter(([name]) => name !== FIRST_AT && name !== LAST_AT)
      .map(([, followers]) => followers);
    const [first = Number.NaN, last = Number.NaN] = [members.get(FIRST_AT), members.get(LAST_AT)];
    const done = sumOf(parts);
    const estimated = estimateOf(parts, Number(of));
    const rate = rateOf(parts, { plannedAt, first, last });
    return {
      ...{ kind, owner, plan, plannedAt },
      segments: { done: parts.length, of: Number(of) },
      followers: { done, estimated },
      usersPerSecond: rate,
      endsAt: rate === undefined ? undefined : last + ((estimated - done) / rate) * 1_000,
    };
  }

  /** A sorted set's members with their scores, the lowest first. */
  async #members(key: string): Promise<Map<string, number>> {
    const flat = await reply(this.#client.zrange(key, '0', '-1', 'WITHSCORES'));
    return new Map(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, Number(flat[i + 1])] as const] : [])));
  }

  #key(plan: string): string {
    return `${this.#prefix}:{${plan}}`;
  }
}

function nameOf({ kind, owner, plan }: PlanTask, of: number): string {
  return `${kind} ${owner} ${plan} ${of}`;
}

function sumOf(parts: readonly number[]): number {
  return parts.reduce((sum, followers) => sum + followers, 0);
}

/** All segments but the last are about as large as those that are done; the last is half of one in the mean. */
function estimateOf(parts: readonly number[], of: number): number {
  const largest = parts.length === 0 ? FOLLOWERS_A_SEGMENT : Math.max(...parts);
  const left = of - parts.length;
  return Math.round(sumOf(parts) + Math.max(0, left - 0.5) * largest);
}

/**
 * Followers a second between the end of the first segment and that of the last; while only one is done, since the plan.
 * @param times NaN where there is none
 */
function rateOf(
  parts: readonly number[],
  { plannedAt, first, last }: { readonly plannedAt: number; readonly first: number; readonly last: number },
): number | undefined {
  const done = sumOf(parts);
  const isOne = !(last > first);
  const followers = isOne ? done : (done * (parts.length - 1)) / parts.length;
  const ms = isOne ? last - plannedAt : last - first;
  return followers > 0 && ms > 0 ? (followers / ms) * 1_000 : undefined;
}
