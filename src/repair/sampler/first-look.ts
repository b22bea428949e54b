import type { Id } from '../../contracts/id.ts';
import type { Answers } from '../answers.ts';
import type { Examination, Finding } from '../examination.ts';
import type { FailedUser, FailedUsers } from '../failed-users.ts';
import { type CheckedTruth, together } from '../truth-check.ts';
import type { UserDraw } from './user-draw.ts';

/** What one look at some users found. Users without an index are not among them. */
export interface Sight {
  readonly right: readonly Id[];
  /** Something differs: perhaps it is only on its way. */
  readonly suspects: readonly Id[];
  /** Users who cannot be looked at, each for a reason of their own. */
  readonly failures: readonly FailedUser[];
  /** Of every contact of those whose answers were looked at. */
  readonly truth: CheckedTruth;
}

/** Users drawn for each one wanted, at the most: where few have an index, few are looked at. */
const DRAWS = 10;

interface Answered {
  readonly isRight: boolean;
  readonly failure?: FailedUser | undefined;
  readonly truth?: CheckedTruth | undefined;
}

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
    const truths: CheckedTruth[] = [];
    const seen = () => right.size + suspects.size + failed.size;
    for (let draws = 0; draws < DRAWS && seen() < count; draws++) {
      const drawn = await this.#draw.next(count - seen());
      const users = drawn.filter((user) => !right.has(user) && !suspects.has(user) && !failed.has(user));
      const { findings, failures } = await this.#examine(users, signal);
      for (const failure of failures) failed.set(failure.user, failure);
      for (const { user, state, mismatches } of findings) {
        if (state === 'cold') continue;
        const { failure, isRight, truth } =
          mismatches.length === 0 ? await this.#answered(user, signal) : { isRight: false };
        if (truth) truths.push(truth);
        if (failure) failed.set(user, failure);
        else (isRight ? right : suspects).add(user);
      }
    }
    return { right: [...right], suspects: [...suspects], failures: [...failed.values()], truth: together(truths) };
  }

  async #examine(users: readonly Id[], signal?: AbortSignal) {
    const look = (some: readonly Id[]): Promise<Finding[]> => this.#examination.look(some, signal);
    const { done, failures } = await this.#failed.workOn(users, look, signal);
    return { findings: done.flat(), failures };
  }

  async #answered(user: Id, signal?: AbortSignal): Promise<Answered> {
    const ask = () => this.#answers.check(user, this.#answers.someQuestions(user));
    const { done, failures } = await this.#failed.workOn([user], ask, signal);
    const [failure, isRight] = [failures[0], done.every(({ wrong }) => wrong.length === 0)];
    return { failure, isRight, truth: done[0]?.truth };
  }
}
