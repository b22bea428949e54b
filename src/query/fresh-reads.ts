import type { FreshHeader, RelationChange } from '../contracts/fresh.ts';
import type { Reason } from '../contracts/http.ts';
import type { Id } from '../contracts/id.ts';
import { type AnswerDatabase, DatabaseNotPrimary } from '../mysql/database.ts';
import { ReplicaBehind, type ReplicaWaits } from '../mysql/replica-waits.ts';
import { isWithoutRedis } from '../redis/unavailable.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { RefreshNow } from './refresh-now.ts';
import { Stopwatch } from './stopwatch.ts';

/** What the answer of one user must respect so that it shows the changes that its reader named. */
export interface Freshness {
  /** The server that answers, in place of the usual one. */
  readonly database: AnswerDatabase | undefined;
  /** Why the plain query must answer, because the index may lack a change; undefined: the index may answer. */
  readonly plain: Extract<Reason, 'redis_unavailable' | 'not_refreshed'> | undefined;
  /** MySQL itself lacks a change that was named, so the answer does not show it and must not be called exact. */
  readonly isBehind: boolean;
}

/** The same for the answers of several users. */
export interface FreshnessOfMany {
  /** As in {@link Freshness}, for all of them. */
  readonly database: AnswerDatabase | undefined;
  readonly of: (user: Id) => Freshness;
}

interface FreshReadsOptions {
  readonly refreshNow: Pick<RefreshNow, 'refresh' | 'behind' | 'kinds'>;
  /** The API reads a replica. Then the primary answers where the replica may lack a change. */
  readonly replica?: { readonly primary: AnswerDatabase; readonly waits: Pick<ReplicaWaits, 'after'> } | undefined;
  /** Monotonic clock, ms. */
  readonly now: () => number;
}

/** A read whose reader names changes of its users. */
interface FreshRead extends FreshHeader {
  readonly deadline?: Deadline | undefined;
}

/** What became of the changes that a read names. */
interface Refreshed {
  readonly plain: Freshness['plain'];
  /** Users for whom the plain query must answer, if `plain` is set. */
  readonly plainFor: ReadonlySet<Id>;
  /** Users of whom MySQL lacks a change. */
  readonly behind: ReadonlySet<Id>;
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
   * @param answer for one or several users; called again, with the primary, when the replica is behind
   * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled, what `answer` throws
   */
  async read<T extends Timed>(read: FreshRead, answer: (freshness: FreshnessOfMany) => Promise<T>): Promise<T> {
    const clock = new Stopwatch(this.#options.now);
    const refreshed = await this.#refresh(read, clock);
    const found = await this.#answer(read, refreshed, answer);
    clock.add(found.timing);
    return { ...found, timing: clock.spent };
  }

  async #refresh({ changes, deadline }: FreshRead, clock: Stopwatch): Promise<Refreshed> {
    const nobody: ReadonlySet<Id> = new Set();
    if (changes.length === 0) return { plain: undefined, plainFor: nobody, behind: nobody };
    const users = new Set(changes.map(({ user }) => user));
    try {
      const { behind, unsettled } = await this.#options.refreshNow.refresh(changes, 'own', { deadline, clock });
      const plain = [...users].some((user) => unsettled.has(user)) ? 'not_refreshed' : undefined;
      this.counts[plain ?? (behind.size > 0 ? 'behind' : 'refreshed')] += 1;
      return { plain, plainFor: unsettled, behind };
    } catch (error) {
      const plain = reasonOf(error);
      if (plain === undefined) throw error;
      this.counts[plain] += 1;
      return { plain, plainFor: users, behind: await this.#behind(changes, deadline) };
    }
  }

  async #behind(changes: readonly RelationChange[], deadline: Deadline | undefined): Promise<ReadonlySet<Id>> {
    try {
      return await this.#options.refreshNow.behind(changes, deadline);
    } catch (error) {
      // What other servers say of a version proves nothing.
      if (error instanceof DatabaseNotPrimary) return new Set(changes.map(({ user }) => user));
      throw error;
    }
  }

  /** Without the writer's position in the binary log, nobody knows when the replica has the change. */
  async #answer<T>(
    { gtids, changes, deadline }: FreshRead,
    refreshed: Refreshed,
    answer: (freshness: FreshnessOfMany) => Promise<T>,
  ): Promise<T> {
    const { replica } = this.#options;
    const from = (database: AnswerDatabase | undefined) => answer(freshnessOf(refreshed, database));
    if (replica === undefined) return await from(undefined);
    const { primary, waits } = replica;
    if (gtids === undefined) return await from(changes.length > 0 ? primary : undefined);
    try {
      return await from(waits.after(gtids, deadline));
    } catch (error) {
      if (!(error instanceof ReplicaBehind)) throw error;
      return await from(primary);
    }
  }
}

function freshnessOf({ plain, plainFor, behind }: Refreshed, database: AnswerDatabase | undefined): FreshnessOfMany {
  const of = (user: Id): Freshness => ({
    database,
    plain: plainFor.has(user) ? plain : undefined,
    isBehind: behind.has(user),
  });
  return { database, of };
}

function reasonOf(error: unknown): Freshness['plain'] {
  if (isWithoutRedis(error)) return 'redis_unavailable';
  return error instanceof DatabaseNotPrimary ? 'not_refreshed' : undefined;
}
