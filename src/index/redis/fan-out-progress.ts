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

  /** A worker has taken the segment, perhaps not as the first one. @throws RedisUnavailable */
  async begun(segment: SegmentTask, at: number): Promise<void> {
    await this.#note(segment, [at, `begun ${segment.part}`]);
  }

  /** @throws RedisUnavailable */
  async done(segment: SegmentTask, followers: number, at: number): Promise<void> {
    await this.#note(segment, [at, `done ${segment.part}`, followers, `followers ${segment.part}`]);
  }

  /** Those that are not done, the oldest first. @throws RedisUnavailable */
  async list(now: number): Promise<FanOutInProgress[]> {
    await reply(this.#client.zremrangebyscore(this.#list, '-inf', String(now - KEPT_MS)));
    const found: FanOutInProgress[] = [];
    for (const [name, plannedAt] of await this.#members(this.#list)) {
      const one = await this.#read(name, plannedAt, now);
      if (one.segments.done < one.segments.of) found.push(one);
      else await reply(this.#client.zrem(this.#list, name));
    }
    return found;
  }

  async #read(name: string, plannedAt: number, now: number): Promise<FanOutInProgress> {
    const [kind, owner = '', plan = '', count] = name.split(' ') as [KindName, Id, string, string];
    const of = Number(count);
    const segments = segmentsIn(await this.#members(this.#key(plan)), plannedAt);
    const done = segments.filter(isDone);
    const followers = sumOf(done.map((one) => one.followers));
    const estimated = estimateOf(done, of);
    return {
      ...{ kind, owner, plan, plannedAt },
      segments: { done: done.length, of },
      followers: { done: followers, estimated },
      ...prediction(segments, estimated - followers, now),
    };
  }

  async #note({ plan }: SegmentTask, notes: (number | string)[]): Promise<void> {
    const key = this.#key(plan);
    await reply(this.#client.zadd(key, ...notes));
    await reply(this.#client.pexpire(key, KEPT_MS));
  }

  /** A sorted set's members with their scores, the lowest first. */
  async #members(key: string): Promise<Map<string, number>> {
    const flat = await reply(this.#client.zrange(key, '0', '-1', 'WITHSCORES'));
    return new Map(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, Number(flat[i + 1])] as const] : [])));
  }

  #key(plan: string): string {
    return `${this.#prefix}:{${plan}}:segments`;
  }
}

function nameOf({ kind, owner, plan }: PlanTask, of: number): string {
  return `${kind} ${owner} ${plan} ${of}`;
}

/** A segment that a worker has taken. */
interface TakenSegment {
  readonly begunAt: number;
  /** Undefined: in progress. */
  readonly doneAt: number | undefined;
  readonly followers: number;
}

type DoneSegment = TakenSegment & { readonly doneAt: number };

const isDone = (segment: TakenSegment): segment is DoneSegment => segment.doneAt !== undefined;

/** @param plannedAt when it began, as far as known, if that was not written */
function segmentsIn(notes: ReadonlyMap<string, number>, plannedAt: number): TakenSegment[] {
  const parts = new Set([...notes.keys()].map((note) => note.split(' ')[1]));
  return [...parts].map((part) => ({
    begunAt: notes.get(`begun ${part}`) ?? plannedAt,
    doneAt: notes.get(`done ${part}`),
    followers: notes.get(`followers ${part}`) ?? 0,
  }));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** All segments but the last are about as large as those that are done; the last is half of one in the mean. */
function estimateOf(done: readonly DoneSegment[], of: number): number {
  const parts = done.map(({ followers }) => followers);
  const largest = parts.length === 0 ? FOLLOWERS_A_SEGMENT : Math.max(...parts);
  return Math.round(sumOf(parts) + Math.max(0, of - parts.length - 0.5) * largest);
}

/** A segment that takes so many times as long as others have taken is not being worked on any more. */
const ABANDONED_AFTER = 10;

/**
 * As many segments at once as are in progress now, each in the time that those done have taken. Not by how many were done since the
 * first one: workers that begin together end their first ones together.
 * @param left followers of the segments that are not done
 */
function prediction(
  segments: readonly TakenSegment[],
  left: number,
  now: number,
): Pick<FanOutInProgress, 'usersPerSecond' | 'endsAt'> {
  const timed = segments.filter(isDone).filter(({ begunAt, doneAt }) => doneAt > begunAt); // not one that is being repeated
  const ms = sumOf(timed.map(({ begunAt, doneAt }) => doneAt - begunAt));
  const followers = sumOf(timed.map((one) => one.followers));
  if (ms === 0 || followers === 0) return { usersPerSecond: undefined, endsAt: undefined };
  const msOfOne = ms / timed.length;
  const running = segments
    .filter((segment) => !isDone(segment))
    .map(({ begunAt }) => Math.max(0, now - begunAt) / msOfOne)
    .filter((share) => share < ABANDONED_AFTER);
  const usersPerSecond = (followers / ms) * Math.max(1, running.length) * 1_000;
  const begun = sumOf(running.map((share) => Math.min(1, share))) * (followers / timed.length);
  return { usersPerSecond, endsAt: now + (Math.max(0, left - begun) / usersPerSecond) * 1_000 };
}
