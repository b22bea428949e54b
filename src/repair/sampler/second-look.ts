import type { Id } from '../../contracts/id.ts';
import type { DriftClass } from '../drift.ts';
import type { CheckedAnswersOf, CheckedIndexes, PageCheck } from '../page-check.ts';

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
}

/** Looks again, and believes only what is still there. @throws RedisUnavailable, DatabaseUnavailable, the signal's reason */
export async function lookAgain(check: PageCheck, suspects: readonly Id[], signal?: AbortSignal): Promise<Told> {
  const indexes = await check.indexes(suspects, signal);
  const answers = await check.answers(suspects, false, signal);
  const wrong = wrongUsers(indexes, answers);
  const unsettled = new Set([...indexes.unsettled, ...answers.unsettled]);
  for (const { user } of wrong) unsettled.delete(user);
  return { wrong, unsettled: [...unsettled] };
}

function wrongUsers({ drifted }: CheckedIndexes, { wrong }: CheckedAnswersOf): WrongUser[] {
  const answered = new Set(wrong.map(({ user }) => user));
  const found = drifted.map(({ user, mismatches, visible }) => ({
    user,
    classes: [...new Set(mismatches.map((mismatch) => mismatch.class))],
    visible: visible || answered.has(user),
  }));
  for (const { user } of found) answered.delete(user);
  return [...found, ...[...answered].map((user) => ({ user, classes: [], visible: true }))];
}
