import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import type { Access } from '../api/authorize.ts';
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

interface SessionsOptions {
  readonly access: Access;
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
 * purpose (scrypt): a stolen cookie must not let anybody try tokens.
 */
export class Sessions {
  readonly #clock: () => number;
  readonly #access: Access;
  #keys: readonly SessionKey[] = [];
  /** The tokens that the keys were derived from. */
  #tokens: readonly AccessToken[] | undefined;

  constructor({ access, clock }: SessionsOptions) {
    this.#clock = clock;
    this.#access = access;
    this.#deriveKeys();
  }

  /** Everybody is let in, because only clients on this machine can connect. */
  get isOpen(): boolean {
    return this.#access.isOpen;
  }

  /** @throws HttpProblem 401 or 403 when the token is unknown, or does not grant `admin` */
  begin(token: string): Session {
    this.#access.authorize('admin', `Bearer ${token}`);
    const key = this.#deriveKeys().find((one) => this.isOpen || one.token === token)?.key;
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
    const found = this.#deriveKeys().find(({ key }) => isSame(signature(key, `session ${content}`), signed));
    return found && sessionOf(cookie, endsAt, found.key);
  }

  /**
   * The keys of every token that grants `admin`. Without tokens one that anybody can compute: then the form tokens alone matter.
   * A token that was there before keeps its key, because deriving one is slow.
   */
  #deriveKeys(): readonly SessionKey[] {
    const { tokens } = this.#access;
    if (tokens === this.#tokens) return this.#keys;
    const admins = tokens.filter(({ scopes }) => scopes.includes('admin')).map(({ token }) => token);
    const known = new Map(this.#keys.map((of) => [of.token, of]));
    this.#keys = (this.isOpen ? [''] : admins).map(
      (token) => known.get(token) ?? { token, key: scryptSync(token, SALT, KEY_BYTES) },
    );
    this.#tokens = tokens;
    return this.#keys;
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
