import { UserError } from '../contracts/user-error.ts';

/** A process cannot start, or a command cannot go on, for a reason outside it. The message says what is wrong and how to mend it. */
export class StartError extends UserError {
  override readonly name = 'StartError';
}

/** The same, because a server does not answer: the same start may succeed a little later. */
export class ServerAway extends StartError {}
