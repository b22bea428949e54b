/**
 * Is this an error of the operating system (no such host, no free descriptor, no local port, a reset, …)? Node names the system
 * call in each of them, so they are known by where they come from, and no list of codes can miss one. Connecting to a host name
 * with several addresses fails with an error that holds one for each.
 */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isSystemError);
  return typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
