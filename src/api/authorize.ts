import { hash, timingSafeEqual } from 'node:crypto';
import type { AccessToken, Scope } from '../config/access-tokens.ts';
import { HttpProblem } from './http-problem.ts';

/** @throws HttpProblem 401 or 403 */
export type Authorize = (scope: Scope, authorization: string | undefined) => void;

const REALM = 'Bearer realm="recency"';

const BEARER = /^Bearer +(\S+) *$/i;

/**
 * The check of a request's token. Every known token is compared, in a time that does not tell how much of one was right.
 * @param tokens none: everything is allowed, to those on this machine, who are the only ones who can connect
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

/** Digests are of one length, as the comparison wants them, and tell nothing of the token's own. */
function digestOf(token: string | Buffer): Buffer {
  return hash('sha256', token, 'buffer');
}

function refused(code: 'token_missing' | 'token_unknown' | 'scope_missing', challenge: string): HttpProblem {
  return new HttpProblem(code, { headers: { 'WWW-Authenticate': challenge } });
}
