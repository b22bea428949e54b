import { UserError } from '../contracts/user-error.ts';

/** How a command ended, for the shell. */
export const EXIT = { done: 0, failed: 1, wrongUse: 2, driftFound: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command was called wrongly. Nothing was done. The message says what is wrong. */
export class UsageError extends UserError {
  override readonly name = 'UsageError';

  override get kind() {
    return 'wrong_use' as const;
  }
}
