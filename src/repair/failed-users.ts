import type { Id } from '../contracts/id.ts';
import { isolateFailures } from '../index/set-aside.ts';
import { type Answers, answersAtOnce, askViews, storeFaultOf } from '../index/store-fault.ts';
import type { Database } from '../mysql/database.ts';
import type { KindOf } from './run-parameters.ts';

/** A user whom a job could not process although the stores answered and it processed others. */
export interface FailedUser {
  readonly user: Id;
  readonly reason: string;
  /** The name of the kind; undefined: the job is about contacts alone. */
  readonly kind?: string;
}

/** Maximum failed users that a report names; all are counted. */
const NAMED = 100;

/** Reading all contacts of a user takes longer than even a job may wait. */
export class ContactsTooMany extends Error {
  override readonly name = 'ContactsTooMany';

  constructor(user: Id | undefined, ms?: number) {
    const limit = ms === undefined ? 'a statement may take' : `the ${ms} ms that a statement may take`;
    super(`reading all contacts of user ${user} takes longer than ${limit} (RECENCY_MYSQL_BUILD_TIMEOUT_MS)`);
  }
}

/** Processes pages of users and sets aside those who fail, so that the others are still processed. */
export class FailedUsers {
  readonly #answers: Answers;
  #named: readonly FailedUser[] = [];

  constructor(primary: Database, kinds: readonly KindOf<object>[]) {
    const all = kinds.map(({ kind }) => kind);
    this.#answers = answersAtOnce(askViews(primary, all));
  }

  /** The first users who failed. */
  get named(): readonly FailedUser[] {
    return this.#named;
  }

  /**
   * @param work processes some of the users; a result counts only when it resolves
   * @param kind named with the users who failed
   * @returns the results of all parts, and the users who failed
   * @throws faults that concern all users, errors that no store or user caused, the signal's reason
   */
  async workOn<R>(
    users: readonly Id[],
    work: (some: readonly Id[]) => Promise<R>,
    { signal, kind }: { readonly signal?: AbortSignal | undefined; readonly kind?: string | undefined } = {},
  ): Promise<{ done: R[]; failures: readonly FailedUser[] }> {
    const done: R[] = [];
    const isOurs = (error: unknown) => error instanceof ContactsTooMany || storeFaultOf(error) !== undefined;
    const isEnd = (error: unknown) => signal?.aborted === true || !isOurs(error);
    const setting = { answers: this.#answers, isEnd };
    const aside = await isolateFailures(users, async (some) => void done.push(await work(some)), setting);
    const failures = aside.map(({ item, error }) => ({
      user: item,
      reason: `${error.name}: ${error.message}`,
      ...(kind === undefined ? {} : { kind }),
    }));
    this.#named = [...this.#named, ...failures].slice(0, NAMED);
    return { done, failures };
  }
}
