import { isSystemError } from '../contracts/system-error.ts';
import { UserError } from '../contracts/user-error.ts';
import { isOfKafkajs, isPassing } from '../transport/kafka/errors.ts';

/** Exit codes. */
export const EXIT = { done: 0, failed: 1, wrongUse: 2, driftFound: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command was called wrongly, and did nothing. */
export class UsageError extends UserError {
  override readonly name = 'UsageError';

  override get kind() {
    return 'wrong_use' as const;
  }
}

/** What the command line prints about an error, and the exit code. */
interface CommandFailure {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** A defect of the program is printed with its stack. */
export function failureOf(error: unknown): CommandFailure {
  if (!(error instanceof Error)) return { message: String(error), exitCode: EXIT.failed };
  if (error instanceof UserError) {
    const { kind, message, remedy } = error;
    return {
      message: remedy === undefined ? message : `${message.replace(/\.$/, '')}. ${remedy}`,
      exitCode: kind === 'wrong_use' ? EXIT.wrongUse : EXIT.failed,
    };
  }
  if ('sqlMessage' in error) return { message: `MySQL refuses: ${error.sqlMessage}`, exitCode: EXIT.failed };
  if (error.name === 'ReplyError') return { message: `Redis refuses: ${error.message}`, exitCode: EXIT.failed };
  if (isOfKafkajs(error)) {
    const what = isPassing(error) ? 'Kafka is unavailable' : 'Kafka refuses';
    return { message: `${what}: ${error.message}`, exitCode: EXIT.failed };
  }
  if (isSystemError(error)) return { message: `The operating system refuses: ${error.message}`, exitCode: EXIT.failed };
  return { message: `This should not have happened: ${error.stack ?? error.message}`, exitCode: EXIT.failed };
}
