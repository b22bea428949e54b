import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { authorizer } from '../api/authorize.ts';
import type { AccessToken } from '../config/access-tokens.ts';

/** How long somebody stays logged in, ms. Nothing prolongs it. */
export const SESSION_MS = 3_600_000;

/** A browser that is logged in. */
export interface Session {
  /** The value of its cookie. */
  readonly cookie: string;
  /** Every form that changes something sends it back. A page of another site cannot know it. */
  readonly formToken: string;
  /** ms since 1970 UTC. */
  readonly endsAt: number;
}

export interface SessionsOptions {
  /** Empty: everybody is let in, because only clients on this machine can connect. */
  readonly tokens: readonly AccessToken[];
  /** ms since 1970 UTC. */
  readonly clock: () => number;
}

interface SessionKey {
  readonly token: string;
  readonly key: Buffer;
}

const SALT = 'recency console 1';
const KEY_BYTES = 32;

/**
 * Sessions of browsers, kept in no store: a cookie holds when the session ends, signed with a key that is derived from the token.
 * So a session is valid in every process that knows the token, and ends when the token is removed. The derivation is slow on
 * purpose (scrypt): whoever has a cookie must not be able to try tokens.
 */
export class Sessions {
  readonly #clock: () => number;
  readonly #authorize: ReturnType<typeof authorizer>;
  /** Of every token that grants `admin`. Without tokens one that anybody can compute: then the form tokens alone matter. */
  readonly #keys: readonly SessionKey[];
  readonly isOpen: boolean;

  constructor({ tokens, clock }: SessionsOptions) {
    this.#clock = clock;
    this.#authorize = authorizer(tokens);
    this.isOpen = tokens.length === 0;
    const admins = this.isOpen
      ? ['']
      : tokens.filter(({ scopes }) => scopes.includes('admin')).map(({ token }) => token);
    this.#keys = admins.map((token) => ({ token, key: scryptSync(token, SALT, KEY_BYTES) }));
  }

  /** @throws HttpProblem 401 or 403 when the token is unknown, or does not grant `admin` */
  begin(token: string): Session {
    this.#authorize('admin', `Bearer ${token}`);
    const key = this.#keys.find((one) => this.isOpen || one.token === token)?.key;
    if (key === undefined) throw new Error('a token that grants admin has a key');
    const endsAt = this.#clock() + SESSION_MS;
    const content = `${endsAt}.${randomBytes(16).toString('base64url')}`;
    return sessionOf(`${content}.${signature(key, `session ${content}`)}`, endsAt, key);
  }

  /** @param cookie undefined: there is none @returns undefined: the session has ended, or never was */
  find(cookie: string | undefined): Session | undefined {
    const [, content = '', end, signed = ''] = /^((\d{1,15})\.[\w-]{22})\.([\w-]{43})$/.exec(cookie ?? '') ?? [];
    const endsAt = Number(end);
    if (cookie === undefined || !(endsAt > this.#clock())) return undefined;
    const found = this.#keys.find(({ key }) => isSame(signature(key, `session ${content}`), signed));
    return found && sessionOf(cookie, endsAt, found.key);
  }
}

function sessionOf(cookie: string, endsAt: number, key: Buffer): Session {
  return { cookie, endsAt, formToken: signature(key, `form ${cookie}`) };
}

function signature(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** In constant time. */
export function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
