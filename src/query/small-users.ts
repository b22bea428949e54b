import { LRUCache } from 'lru-cache';
import type { Id } from '../contracts/id.ts';
import type { KeepRules } from '../index/allowance.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { readWholeList, readWholeLists, type WholeList } from '../mysql/statements/whole-lists.ts';
import { pageOfTop } from './narrow.ts';
import { answerOf, beginningAt, mayNotLag, ofPrimary, type RecentAnswer, type RecentQuery } from './recent-answer.ts';
import { SharedReads } from './shared-reads.ts';
import type { Stopwatch } from './stopwatch.ts';

export interface SmallUsersOptions {
  /** The server that the rows are read from. */
  readonly database: KindDatabase;
  /** Rows of the view that a small user has, at most; 1 or more. */
  readonly most: number;
  /** How long it is remembered who is small and who is not, ms (a week). */
  readonly rememberedMs?: number;
  /** ms since 1970 UTC (`Date.now`). */
  readonly clock?: () => number;
}

/**
 * How long, and of how many users, a process remembers whether they are small. It may be long: a small one who grows is noticed at the
 * next read, and one who has become small is at worst read by a plain query until then, which takes no longer.
 */
const REMEMBERED = { ms: 7 * 86_400_000, users: 50_000 };

/** The span of such an answer's statement. */
const WHOLE = 'recency.query.whole';

/**
 * Answers for users who have so few rows that no index is kept of them: all rows are read in no more time than an index takes. Who
 * is small is remembered, so that neither Redis nor a build is asked; every answer counts the rows again, so growth is noticed at
 * once.
 */
export class SmallUsers {
  readonly #options: SmallUsersOptions;
  readonly #reads: SharedReads<Id, WholeList>;
  readonly #isSmall: LRUCache<Id, boolean>;

  constructor(options: SmallUsersOptions) {
    const { database, most, rememberedMs = REMEMBERED.ms } = options;
    this.#options = options;
    this.#isSmall = new LRUCache({ ttl: rememberedMs, max: REMEMBERED.users });
    this.#reads = new SharedReads<Id, WholeList>(database, {
      one: (user, deadline) => readWholeList(database, user, most, deadline),
      many: (users) => this.#many(users),
    });
  }

  /** A build has counted the rows of a user: they are few. */
  note(user: Id): void {
    this.#isSmall.set(user, true);
  }

  /** The user was found to be small when last read. */
  isKnown(user: Id): boolean {
    return this.#isSmall.get(user) === true;
  }

  /**
   * The answer, exact as every plain one.
   * @returns undefined: the user is not small, or this server may not answer the query
   * @throws DatabaseUnavailable, DatabaseBusy, DeadlineExceeded, RequestCancelled
   */
  async find(query: RecentQuery, stopwatch: Stopwatch): Promise<RecentAnswer | undefined> {
    const { database, clock = Date.now } = this.#options;
    if (this.#isSmall.get(query.user) === false || (database.server.isReplica && mayNotLag(query))) return undefined;
    const begun = ofPrimary(beginningAt(clock(), {}, database.server.isReplica));
    const { contacts, isReplica } = await stopwatch.time('db', () => this.#read(query), WHOLE);
    const isSmall = contacts !== undefined;
    this.#isSmall.set(query.user, isSmall);
    if (contacts === undefined || (isReplica && mayNotLag(query))) return undefined;
    const page = pageOfTop(contacts, true, query);
    const from = { source: 'database', floor: undefined, reason: 'small', replica: isReplica } as const;
    return page && answerOf({ ...page, ...begun, ...from }, stopwatch);
  }

  #read({ user, deadline, freshness }: RecentQuery): Promise<WholeList> {
    const { database, most } = this.#options;
    const server = freshness?.database;
    if (server === undefined) return this.#reads.read(user, deadline);
    return readWholeList({ ...database, server }, user, most, deadline);
  }

  async #many(users: readonly Id[]): Promise<readonly WholeList[]> {
    const { database, most } = this.#options;
    const asked = [...new Set(users)];
    const lists = await readWholeLists(database, asked, most);
    // Somebody has grown. Read alone, nobody hides how many rows the others have.
    if (lists === undefined) return Promise.all(users.map((user) => readWholeList(database, user, most)));
    const listOf = new Map(asked.map((user, i) => [user, lists[i] as WholeList]));
    return users.map((user) => listOf.get(user) as WholeList);
  }
}

/** @param indexAbove rows of the view up to which a user has no index @returns undefined: nobody is small */
export function smallUsersOf(database: KindDatabase, { indexAbove }: KeepRules): SmallUsers | undefined {
  return indexAbove > 0 ? new SmallUsers({ database, most: indexAbove }) : undefined;
}
