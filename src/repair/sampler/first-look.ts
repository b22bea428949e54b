import type { Id } from '../../contracts/id.ts';
import type { Answers } from '../answers.ts';
import type { Examination, Finding } from '../examination.ts';
import type { FailedUser, FailedUsers } from '../failed-users.ts';
import type { UserDraw } from './user-draw.ts';

/** What one look at some users found. Users without an index are not among them. */
export interface Sight {
  readonly right: readonly Id[];
  /** Something differs: perhaps it is only on its way. */
  readonly suspects: readonly Id[];
  /** Users who cannot be looked at, each for a reason of their own. */
  readonly failures: readonly FailedUser[];
}

/** Users drawn for each one wanted, at the most: where few have an index, few are looked at. */
const DRAWS = 10;

/** Draws users who have an index, and compares it and the answers that a client would get with plain SQL. */
export class FirstLook {
  readonly #draw: UserDraw;
  readonly #examination: Examination;
  readonly #answers: Answers;
  readonly #failed: FailedUsers;

  constructor(parts: {
    readonly draw: UserDraw;
    readonly examination: Examination;
    readonly answers: Answers;
    readonly failed: FailedUsers;
  }) {
    this.#draw = parts.draw;
    this.#examination = parts.examination;
    this.#answers = parts.answers;
    this.#failed = parts.failed;
  }

  /** @throws RedisUnavailable, DatabaseUnavailable, the signal's reason */
  async at(count: number, signal?: AbortSignal): Promise<Sight> {
    const right = new Set<Id>();
    const suspects = new Set<Id>();
    const failed = new Map<Id, FailedUser>();
    const seen = () => right.size + suspects.size + failed.size;
    for (let draws = 0; draws < DRAWS && seen() < count; draws++) {
      const drawn = await this.#draw.next(count - seen());
      const users = drawn.filter((user) => !right.has(user) && !suspects.has(user) && !failed.has(user));
      const { findings, failures } = await this.#examine(users, signal);
      for (const failure of failures) failed.set(failure.user, failure);
      for (const { user, state, mismatches } of findings) {
        if (state === 'cold') continue;
        const answered = mismatches.length === 0 ? await this.#isAnsweredRightly(user, signal) : false;
        if (typeof answered === 'object') failed.set(user, answered);
        else (answered ? right : suspects).add(user);
      }
    }
    return { right: [...right], suspects: [...suspects], failures: [...failed.values()] };
  }

  async #examine(users: readonly Id[], signal?: AbortSignal) {
    const look = (some: readonly Id[]): Promise<Finding[]> => this.#examination.look(some, signal);
    const { done, failures } = await this.#failed.workOn(users, look, signal);
    return { findings: done.flat(), failures };
  }

  async #isAnsweredRightly(user: Id, signal?: AbortSignal): Promise<boolean | FailedUser> {
    const ask = () => this.#answers.check(user, this.#answers.someQuestions(user));
    const { done, failures } = await this.#failed.workOn([user], ask, signal);
    return failures[0] ?? done.every(({ wrong }) => wrong.length === 0);
  }
}
