import type { Request } from 'express';

const NAME = 'recency_console';
const PATH = '/console';

/** The value of the session's cookie; undefined: the request has none. */
export function sessionCookieOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === NAME)?.[1];
}

/** @param value undefined: the browser forgets it @param isSecure only sent back over TLS */
export function setSessionCookie(value: string | undefined, seconds: number, isSecure: boolean): string {
  const life = value === undefined ? 'Max-Age=0' : `Max-Age=${seconds}`;
  const parts = [`${NAME}=${value ?? ''}`, `Path=${PATH}`, life, 'HttpOnly', 'SameSite=Strict'];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}
