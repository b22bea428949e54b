import type { IncomingMessage } from 'node:http';

/** Fit for a header, a log line and a search in one. */
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The id that the caller gave the request in X-Request-Id, when it is sane; otherwise a fresh one. */
export function requestIdOf(request: IncomingMessage, fresh: () => string): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : fresh();
}
