/**
 * Has the operating system refused (no such host, no free descriptor, no local port, a reset, …)? Judged by origin: every error
 * that Node makes of one names the system call, whatever its code, so no list of codes can miss one. Where a host name has
 * several addresses, the error holds one for each.
 */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isSystemError);
  return typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
