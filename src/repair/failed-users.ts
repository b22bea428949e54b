import type { Id } from '../contracts/id.ts';
import { settingAside } from '../index/set-aside.ts';
import { answersAtOnce, storeFaultOf } from '../index/store-fault.ts';
import type { Database } from '../mysql/database.ts';

/** A user with whom a job could do nothing, although the stores answered and others were done. */
export interface FailedUser {
  readonly user: Id;
  readonly reason: string;
}

/** A report names so many; all are counted. */
const NAMED = 100;

/** Reading all contacts of a user takes longer than even a job may wait for. */
export class ContactsTooMany extends Error {
  override readonly name = 'ContactsTooMany';

  constructor(user: Id | undefined, ms?: number) {
    const limit = ms === undefined ? 'a statement may take' : `the ${ms} ms that a statement may take`;
    super(`reading all contacts of user ${user} takes longer than ${limit} (RECENCY_MYSQL_BUILD_TIMEOUT_MS)`);
  }
}

/** Does pages of users, and sets aside those with whom nothing can be done, so that the others are done. */
export class FailedUsers {
  readonly #primary: Database;
  #named: readonly FailedUser[] = [];

  constructor(primary: Database) {
    this.#primary = primary;
  }

  /** The first of them, by name. */
  get named(): readonly FailedUser[] {
    return this.#named;
  }

  /**
   * @param work on some of the users; what it returns counts only when it resolves
   * @returns what the work on all parts returned, how many users failed, and who
   * @throws what concerns all users, what is no fault of a store or a user, the signal's reason
   */
  async workOn<R>(
    users: readonly Id[],
    work: (some: readonly Id[]) => Promise<R>,
    signal?: AbortSignal,
  ): Promise<{ done: R[]; failed: number; failures: readonly FailedUser[] }> {
    const done: R[] = [];
    const answers = answersAtOnce([() => this.#primary.rows('SELECT 1', [])]);
    const isOurs = (error: unknown) => error instanceof ContactsTooMany || storeFaultOf(error) !== undefined;
    const isEnd = (error: unknown) => signal?.aborted === true || !isOurs(error);
    const aside = await settingAside(users, async (some) => void done.push(await work(some)), { answers, isEnd });
    const failures = aside.map(({ item, error }) => ({ user: item, reason: `${error.name}: ${error.message}` }));
    this.#named = [...this.#named, ...failures].slice(0, NAMED);
    return { done, failed: failures.length, failures };
  }
}
