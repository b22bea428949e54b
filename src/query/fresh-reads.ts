import type { FreshHeader, RelationChange } from '../contracts/fresh.ts';
import type { Reason } from '../contracts/http.ts';
import type { Id } from '../contracts/id.ts';
import { type AnswerDatabase, DatabaseNotPrimary } from '../mysql/database.ts';
import { ReplicaBehind, type ReplicaWaits } from '../mysql/replica-waits.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { RefreshNow } from './refresh-now.ts';
import { Stopwatch } from './stopwatch.ts';

/** What an answer must respect so that it shows the changes that its reader named. */
export interface Freshness {
  /** The server that answers, in place of the usual one. */
  readonly database: AnswerDatabase | undefined;
  /** Why the plain query must answer, because the index may lack a change; undefined: the index may answer. */
  readonly plain: Extract<Reason, 'redis_unavailable' | 'not_refreshed'> | undefined;
  /** MySQL itself lacks a change that was named, so the answer does not show it and must not be called exact. */
  readonly isBehind: boolean;
}

export interface FreshReadsOptions {
  readonly refreshNow: Pick<RefreshNow, 'refresh' | 'areBehind' | 'kinds'>;
  /** The API reads a replica. Then the primary answers where the replica may lack a change. */
  readonly replica?: { readonly primary: AnswerDatabase; readonly waits: Pick<ReplicaWaits, 'after'> } | undefined;
  /** Monotonic clock, ms. */
  readonly now: () => number;
}

/** A read whose reader names changes. */
export interface FreshRead extends FreshHeader {
  readonly user: Id;
  readonly deadline?: Deadline | undefined;
}

interface Timed {
  readonly timing: { readonly index: number; readonly db: number };
}

/**
 * Reads that show the reader's own changes, although their tasks may still be in flight ("Recency-Fresh"). The relations
 * that the reader names are refreshed first. Where the index could not be refreshed, the plain query answers, because it
 * reads what is committed now. So the answer shows every change that was committed when the request arrived.
 */
export class FreshReads {
  /** Reads that named changes, by what became of these. */
  readonly counts = { refreshed: 0, behind: 0, not_refreshed: 0, redis_unavailable: 0 };
  readonly #options: FreshReadsOptions;

  constructor(options: FreshReadsOptions) {
    this.#options = options;
  }

  /** The kinds' names that a reader may use. */
  get kinds(): readonly string[] {
    return this.#options.refreshNow.kinds;
  }

  /**
   * @param answer is called again, with the primary, when the replica is behind
   * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled, what `answer` throws
   */
  async read<T extends Timed>(read: FreshRead, answer: (freshness: Freshness) => Promise<T>): Promise<T> {
    const clock = new Stopwatch(this.#options.now);
    const freshness = await this.#refresh(read, clock);
    const found = await this.#answer(read, freshness, answer);
    clock.add(found.timing);
    return { ...found, timing: clock.spent };
  }

  async #refresh({ user, changes, deadline }: FreshRead, clock: Stopwatch): Promise<Omit<Freshness, 'database'>> {
    if (changes.length === 0) return { plain: undefined, isBehind: false };
    const { refreshNow } = this.#options;
    try {
      const { isBehind, unsettled } = await refreshNow.refresh(changes, deadline, clock);
      const plain = unsettled.has(user) ? 'not_refreshed' : undefined;
      this.counts[plain ?? (isBehind ? 'behind' : 'refreshed')] += 1;
      return { plain, isBehind };
    } catch (error) {
      const plain = reasonOf(error);
      if (plain === undefined) throw error;
      this.counts[plain] += 1;
      return { plain, isBehind: await this.#areBehind(changes, deadline) };
    }
  }

  async #areBehind(changes: readonly RelationChange[], deadline: Deadline | undefined): Promise<boolean> {
    try {
      return await this.#options.refreshNow.areBehind(changes, deadline);
    } catch (error) {
      if (error instanceof DatabaseNotPrimary) return true; // what other servers say of a version proves nothing
      throw error;
    }
  }

  /** Without the writer's position in the binary log, nobody knows when the replica has the change. */
  async #answer<T>(
    { gtids, changes, deadline }: FreshRead,
    freshness: Omit<Freshness, 'database'>,
    answer: (freshness: Freshness) => Promise<T>,
  ): Promise<T> {
    const { replica } = this.#options;
    if (replica === undefined) return await answer({ ...freshness, database: undefined });
    const { primary, waits } = replica;
    if (gtids === undefined) {
      return await answer({ ...freshness, database: changes.length > 0 ? primary : undefined });
    }
    try {
      return await answer({ ...freshness, database: waits.after(gtids, deadline) });
    } catch (error) {
      if (!(error instanceof ReplicaBehind)) throw error;
      return await answer({ ...freshness, database: primary });
    }
  }
}

function reasonOf(error: unknown): Freshness['plain'] {
  if (error instanceof RedisUnavailable) return 'redis_unavailable';
  return error instanceof DatabaseNotPrimary ? 'not_refreshed' : undefined;
}
