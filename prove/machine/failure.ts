/** In place of a reply: the step fails, and would fail again. */
export interface Failure {
  readonly failure: string;
}

export function isFailure(reply: unknown): reply is Failure {
  return typeof reply === 'object' && reply !== null && 'failure' in reply;
}
