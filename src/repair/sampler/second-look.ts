import type { DriftClass } from '../../contracts/drift.ts';
import type { Id } from '../../contracts/id.ts';
import type { FailedUser, FailedUsers } from '../failed-users.ts';
import type { Drifted, PageCheck, WrongAnswersOf } from '../page-check.ts';

/** A user whose index or answers are wrong: believed, because nothing is on its way any more. */
export interface WrongUser {
  readonly user: Id;
  /** None: only answers are wrong. */
  readonly classes: readonly DriftClass[];
  /** A client would have noticed. */
  readonly visible: boolean;
}

export interface Told {
  readonly wrong: readonly WrongUser[];
  readonly unsettled: readonly Id[];
  /** Users who could not be looked at, each for a reason of their own. */
  readonly failures: readonly FailedUser[];
}

/**
 * Looks again, and believes only what is still there.
 * @param failed sets aside whom nothing can be told of, so that the others are told
 * @throws RedisUnavailable, DatabaseUnavailable, the signal's reason
 */
export async function lookAgain(
  { check, failed }: { readonly check: PageCheck; readonly failed: FailedUsers },
  suspects: readonly Id[],
  signal?: AbortSignal,
): Promise<Told> {
  const indexes = await failed.workOn(suspects, (some) => check.indexes(some, signal), signal);
  const unseen = new Set(indexes.failures.map(({ user }) => user));
  const seen = suspects.filter((user) => !unseen.has(user));
  const answers = await failed.workOn(seen, (some) => check.answers(some, false, signal), signal);
  const wrong = wrongUsers(
    indexes.done.flatMap(({ drifted }) => drifted),
    answers.done.flatMap((checked) => checked.wrong),
  );
  const failures = [...indexes.failures, ...answers.failures];
  const unsettled = new Set([...indexes.done, ...answers.done].flatMap((checked) => checked.unsettled));
  for (const { user } of failures) unsettled.add(user);
  for (const { user } of wrong) unsettled.delete(user);
  return { wrong, unsettled: [...unsettled], failures };
}

function wrongUsers(drifted: readonly Drifted[], wrong: readonly WrongAnswersOf[]): WrongUser[] {
  const answered = new Set(wrong.map(({ user }) => user));
  const found = drifted.map(({ user, mismatches, visible }) => ({
    user,
    classes: [...new Set(mismatches.map((mismatch) => mismatch.class))],
    visible: visible || answered.has(user),
  }));
  for (const { user } of found) answered.delete(user);
  return [...found, ...[...answered].map((user) => ({ user, classes: [], visible: true }))];
}
