import type { Id } from '../contracts/id.ts';
import type { NewWatch } from '../mysql/watches.ts';
import { type CheckOperation, checkStep } from './check-steps.ts';

/**
 * Creates a watch. The row first, then the user among those who are watched, then a check: in any other order a change in
 * between could be missed (check.ts).
 */
export function* subscribe(watch: NewWatch): CheckOperation<Id> {
  const id = yield* checkStep('insert', watch);
  yield* enroll([watch.user]);
  return id;
}

/** Has these users watched from here on, and then checked: a change before that is found by the check, one after it signals. */
export function* enroll(users: readonly Id[]): CheckOperation<void> {
  yield* checkStep('watch', users);
  yield* checkStep('again', users, 0);
}
