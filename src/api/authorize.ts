import { hash, timingSafeEqual } from 'node:crypto';
import type { AccessToken, Scope } from '../config/access-tokens.ts';
import { HttpProblem } from './http-problem.ts';

const REALM = 'Bearer realm="recency"';

const BEARER = /^Bearer +(\S+) *$/i;

interface KnownToken {
  readonly digest: Buffer;
  readonly scopes: readonly Scope[];
}

/** Decides what a request may do by its token. The tokens can be replaced while the API runs. */
export class Access {
  /** Everything is allowed, because only clients on this machine can connect. It never changes. */
  readonly isOpen: boolean;
  #tokens: readonly AccessToken[];
  #known: readonly KnownToken[];

  /** @param tokens empty: everything is allowed */
  constructor(tokens: readonly AccessToken[]) {
    this.isOpen = tokens.length === 0;
    this.#tokens = tokens;
    this.#known = tokens.map(known);
  }

  /** Those in force; another array whenever they were replaced. */
  get tokens(): readonly AccessToken[] {
    return this.#tokens;
  }

  /** Requests that come later need one of these. @throws RangeError when tokens would be needed no longer, or only from now on */
  replace(tokens: readonly AccessToken[]): void {
    if ((tokens.length === 0) !== this.isOpen)
      throw new RangeError('whether tokens are needed is decided at the start');
    this.#tokens = tokens;
    this.#known = tokens.map(known);
  }

  /**
   * Compares with every known token, in constant time.
   * @param authorization the header of the request
   * @throws HttpProblem 401 or 403
   */
  authorize(scope: Scope, authorization: string | undefined): void {
    if (this.isOpen) return;
    if (authorization === undefined) throw refused('token_missing', REALM);
    const scopes = this.#scopesOf(authorization);
    if (scopes === undefined) throw refused('token_unknown', `${REALM}, error="invalid_token"`);
    if (!scopes.includes(scope)) {
      throw refused('scope_missing', `${REALM}, error="insufficient_scope", scope="${scope}"`);
    }
  }

  /** Would it be allowed now? */
  allows(scope: Scope, authorization: string | undefined): boolean {
    return this.isOpen || (authorization !== undefined && this.#scopesOf(authorization)?.includes(scope) === true);
  }

  #scopesOf(authorization: string): readonly Scope[] | undefined {
    const given = digestOf(Buffer.from(BEARER.exec(authorization)?.[1] ?? '', 'latin1'));
    return this.#known.reduce<readonly Scope[] | undefined>(
      (found, { digest, scopes }) => (timingSafeEqual(digest, given) ? scopes : found),
      undefined,
    );
  }
}

function known({ token, scopes }: AccessToken): KnownToken {
  return { digest: digestOf(token), scopes };
}

/** Digests have one length, which `timingSafeEqual` needs, and hide the token's own length. */
function digestOf(token: string | Buffer): Buffer {
  return hash('sha256', token, 'buffer');
}

function refused(code: 'token_missing' | 'token_unknown' | 'scope_missing', challenge: string): HttpProblem {
  return new HttpProblem(code, { headers: { 'WWW-Authenticate': challenge } });
}
