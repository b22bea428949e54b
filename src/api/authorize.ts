import { hash, timingSafeEqual } from 'node:crypto';
import type { AccessToken, Scope } from '../config/access-tokens.ts';
import { HttpProblem } from './http-problem.ts';

/** Checks a request's Authorization header. @throws HttpProblem 401 or 403 */
export type Authorize = (scope: Scope, authorization: string | undefined) => void;

const REALM = 'Bearer realm="recency"';

const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Returns the check of a request's token. It compares with every known token, in constant time.
 * @param tokens empty: everything is allowed, because only clients on this machine can connect
 */
export function authorizer(tokens: readonly AccessToken[]): Authorize {
  if (tokens.length === 0) return () => undefined;
  const known = tokens.map(({ token, scopes }) => ({ digest: digestOf(token), scopes }));
  return (scope, authorization) => {
    if (authorization === undefined) throw refused('token_missing', REALM);
    const given = digestOf(Buffer.from(BEARER.exec(authorization)?.[1] ?? '', 'latin1'));
    const scopes = known.reduce<readonly Scope[] | undefined>(
      (found, { digest, scopes }) => (timingSafeEqual(digest, given) ? scopes : found),
      undefined,
    );
    if (scopes === undefined) throw refused('token_unknown', `${REALM}, error="invalid_token"`);
    if (!scopes.includes(scope)) {
      throw refused('scope_missing', `${REALM}, error="insufficient_scope", scope="${scope}"`);
    }
  };
}

/** Digests have one length, which `timingSafeEqual` needs, and hide the token's own length. */
function digestOf(token: string | Buffer): Buffer {
  return hash('sha256', token, 'buffer');
}

function refused(code: 'token_missing' | 'token_unknown' | 'scope_missing', challenge: string): HttpProblem {
  return new HttpProblem(code, { headers: { 'WWW-Authenticate': challenge } });
}
