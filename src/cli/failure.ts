import { UserError } from '../contracts/user-error.ts';
import { EXIT, type ExitCode } from './exit-code.ts';

/** What the command line prints about an error, and the exit code. */
export interface Failure {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** A defect of the program is printed with its stack. */
export function failureOf(error: unknown): Failure {
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
  return { message: `This should not have happened: ${error.stack ?? error.message}`, exitCode: EXIT.failed };
}
