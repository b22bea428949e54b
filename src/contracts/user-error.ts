/**
 * Who can do something about an error:
 * - `wrong_use`: the caller of the command, or the author of the settings; nothing was done
 * - `operational`: the operator: permissions, a lease, the state of a server; also a command that was interrupted
 * - `unavailable`: a server is unavailable, too slow or full; the same work may succeed later
 */
export type UserErrorKind = 'wrong_use' | 'operational' | 'unavailable';

/**
 * An error whose message is written for the person who runs Recency: what is wrong and, unless there is a `remedy`, how
 * to fix it. It holds no secret. Any other error is a defect of the program and is shown with its stack.
 */
export class UserError extends Error {
  // Getters, not fields: a logger copies the own properties of an error.
  get kind(): UserErrorKind {
    return 'operational';
  }

  /** What to do about it, as a sentence that follows the message. */
  get remedy(): string | undefined {
    return undefined;
  }
}
