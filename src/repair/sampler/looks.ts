import type { Id } from '../../contracts/id.ts';
import type { AnswerCheck } from '../answer-check.ts';
import type { FailedUser, FailedUsers } from '../failed-users.ts';
import type { UserDraw } from '../find-users.ts';
import type { IndexCheck } from '../index-check.ts';
import type { Drifted, PageCheck, WrongAnswersOf } from '../page-check.ts';
import { addTruth, type CheckedTruth } from '../truth-check.ts';
import type { WrongUser } from './report.ts';

/** What a first look found. Users without an index are not included. */
interface SampledUsers {
  readonly right: readonly Id[];
  /** Something differs; a change may be on its way. */
  readonly suspects: readonly Id[];
  /** Users who could not be checked, each for a reason of its own. */
  readonly failures: readonly FailedUser[];
  /** Of all contacts of the users whose answers were checked. */
  readonly truth: CheckedTruth;
}

/** Maximum rounds of drawing: if few users have an index, fewer than wanted are checked. */
const MAX_DRAWS = 10;

interface FirstLookParts {
  readonly draw: UserDraw;
  readonly indexes: IndexCheck;
  readonly answers: AnswerCheck;
  readonly failed: FailedUsers;
}

/** Draws users who have an index, and compares the index, and the answers a client would get, with plain SQL. */
export class FirstLook {
  readonly #parts: FirstLookParts;

  constructor(parts: FirstLookParts) {
    this.#parts = parts;
  }

  /** @throws RedisUnavailable, DatabaseUnavailable, the signal's reason */
  async at(count: number, signal?: AbortSignal): Promise<SampledUsers> {
    const { draw, indexes, failed } = this.#parts;
    const right = new Set<Id>();
    const suspects = new Set<Id>();
    const failures = new Map<Id, FailedUser>();
    const truths: CheckedTruth[] = [];
    const seen = () => right.size + suspects.size + failures.size;
    for (let draws = 0; draws < MAX_DRAWS && seen() < count; draws++) {
      const drawn = await draw.next(count - seen());
      const users = drawn.filter((user) => !right.has(user) && !suspects.has(user) && !failures.has(user));
      const looked = await failed.workOn(users, (some) => indexes.look(some, signal), { signal });
      for (const failure of looked.failures) failures.set(failure.user, failure);
      for (const { user, state, mismatches } of looked.done.flat()) {
        if (state === 'cold') continue;
        if (mismatches.length > 0) {
          suspects.add(user);
          continue;
        }
        const answered = await this.#checkAnswers(user, signal);
        truths.push(...answered.done.map(({ truth }) => truth));
        const [failure] = answered.failures;
        if (failure) failures.set(user, failure);
        else (answered.done.every(({ wrong }) => wrong.length === 0) ? right : suspects).add(user);
      }
    }
    return { right: [...right], suspects: [...suspects], failures: [...failures.values()], truth: addTruth(truths) };
  }

  #checkAnswers(user: Id, signal?: AbortSignal) {
    const { answers, failed } = this.#parts;
    return failed.workOn([user], () => answers.check(user, answers.someQuestions(user)), { signal });
  }
}

interface ConfirmedUsers {
  readonly wrong: readonly WrongUser[];
  readonly unsettled: readonly Id[];
  /** Users who could not be checked, each for a reason of its own. */
  readonly failures: readonly FailedUser[];
}

/**
 * Checks suspects again, and confirms what is still there once no pending work can explain it.
 * @param failed sets aside users who cannot be checked, so that the others are
 * @throws RedisUnavailable, DatabaseUnavailable, the signal's reason
 */
export async function lookAgain(
  { check, failed }: { readonly check: PageCheck; readonly failed: FailedUsers },
  suspects: readonly Id[],
  signal?: AbortSignal,
): Promise<ConfirmedUsers> {
  const indexes = await failed.workOn(suspects, (some) => check.indexes(some, signal), { signal });
  const unchecked = new Set(indexes.failures.map(({ user }) => user));
  const checked = suspects.filter((user) => !unchecked.has(user));
  const answers = await failed.workOn(checked, (some) => check.answers(some, false, signal), { signal });
  const wrong = wrongUsers(
    indexes.done.flatMap(({ drifted }) => drifted),
    answers.done.flatMap((of) => of.wrong),
  );
  const failures = [...indexes.failures, ...answers.failures];
  const unsettled = new Set([...indexes.done, ...answers.done].flatMap((of) => of.unsettled));
  for (const { user } of failures) unsettled.add(user);
  for (const { user } of wrong) unsettled.delete(user);
  return { wrong, unsettled: [...unsettled], failures };
}

function wrongUsers(drifted: readonly Drifted[], wrongAnswers: readonly WrongAnswersOf[]): WrongUser[] {
  const answered = new Set(wrongAnswers.map(({ user }) => user));
  const found = drifted.map(({ user, mismatches, clientVisible }) => ({
    user,
    classes: [...new Set(mismatches.map((mismatch) => mismatch.class))],
    visible: clientVisible || answered.has(user),
  }));
  for (const { user } of found) answered.delete(user);
  return [...found, ...[...answered].map((user) => ({ user, classes: [], visible: true }))];
}
