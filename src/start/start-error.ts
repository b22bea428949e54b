/** A process cannot start, or a command cannot go on, for a reason outside it. The message says what is wrong and how to mend it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
