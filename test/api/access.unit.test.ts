import { describe, expect, it } from 'vitest';
import { Access } from '../../src/api/authorize.ts';
import { requestIdOf } from '../../src/api/exchange.ts';
import { HttpProblem } from '../../src/api/http-problem.ts';
import { checkHost, isLoopback } from '../../src/api/listen.ts';
import type { AccessToken } from '../../src/config/access-tokens.ts';

const TOKENS: AccessToken[] = [
  { token: 'reader-0123', scopes: ['read'] },
  { token: 'writer:0123', scopes: ['write', 'read'] },
  { token: 'grüße-0123', scopes: ['admin'] },
];

function refusal(scope: AccessToken['scopes'][number], authorization: string | undefined, tokens = TOKENS) {
  try {
    new Access(tokens).authorize(scope, authorization);
    return undefined;
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    return { status: error.status, code: error.code, challenge: error.headers['WWW-Authenticate'] };
  }
}

describe('a token', () => {
  it.each([
    ['read', 'Bearer reader-0123'],
    ['read', 'bearer  reader-0123 '],
    ['write', 'Bearer writer:0123'],
    ['read', 'Bearer writer:0123'],
    ['admin', `Bearer ${Buffer.from('grüße-0123').toString('latin1')}`],
  ] as const)('for %s: %s', (scope, authorization) => {
    expect(refusal(scope, authorization)).toBeUndefined();
  });

  it('that is missing is requested with a challenge', () => {
    expect(refusal('read', undefined)).toEqual({
      status: 401,
      code: 'token_missing',
      challenge: 'Bearer realm="recency"',
    });
  });

  it.each([
    'Bearer reader-012',
    'Bearer reader-01234',
    'Bearer ',
    'reader-0123',
    'Basic reader-0123',
    'Bearer x y',
    '',
  ])('that is not known is refused: %j', (authorization) => {
    const challenge = 'Bearer realm="recency", error="invalid_token"';
    expect(refusal('read', authorization)).toEqual({ status: 401, code: 'token_unknown', challenge });
  });

  it('without the scope is refused, naming the scope that is needed', () => {
    const challenge = 'Bearer realm="recency", error="insufficient_scope", scope="admin"';
    expect(refusal('admin', 'Bearer writer:0123')).toEqual({ status: 403, code: 'scope_missing', challenge });
    expect(refusal('read', `Bearer ${Buffer.from('grüße-0123').toString('latin1')}`)?.status).toBe(403);
  });

  it('is not needed when none are configured', () => {
    expect(refusal('admin', undefined, [])).toBeUndefined();
  });
});

describe('without tokens', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost', 'LocalHost', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])(
    '%s may be listened on',
    (host) => {
      expect(checkHost(host, [])).toBeUndefined();
    },
  );

  it.each(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', 'example.org', 'localhost.example.org', '::ffff:10.0.0.1', '*'])(
    '%s may not, and it says what to do',
    (host) => {
      expect(checkHost(host, [])).toMatch(new RegExp(`not on ${host.replace(/[.*]/g, '\\$&')}\\. Set RECENCY_TOKENS`));
      expect(checkHost(host, TOKENS)).toBeUndefined();
    },
  );

  it('only the name localhost counts as loopback', () => {
    expect(isLoopback('loopback.example.org')).toBe(false);
  });
});

describe('the id of a request', () => {
  const idOf = (given: string | undefined) =>
    requestIdOf({ headers: { 'x-request-id': given } } as never, () => 'a fresh one');

  it.each(['abc', '1-67891233:ab_c.d', 'a'.repeat(128)])('is the given one: %s', (id) => {
    expect(idOf(id)).toBe(id);
  });

  it.each([undefined, '', 'a b', 'a\nb', 'a'.repeat(129), 'ä', '<script>'])('is fresh instead of %j', (id) => {
    expect(idOf(id)).toBe('a fresh one');
  });
});
