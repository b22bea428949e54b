import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { Access } from '../../src/api/authorize.ts';
import { SESSION_MS, Sessions } from '../../src/console/sessions.ts';

const ADMIN = { token: 'admin-0123', scopes: ['admin' as const] };
const OTHER = { token: 'other-0123', scopes: ['admin' as const, 'read' as const] };
const READER = { token: 'reader-012', scopes: ['read' as const] };

let now = 1_700_000_000_000;
const clock = () => now;
const sessions = new Sessions({ access: new Access([READER, ADMIN, OTHER]), clock });

describe('a session of the console', () => {
  it('begins with a token that grants admin, and with no other', () => {
    expect(() => sessions.begin('admin-0124')).toThrow(expect.objectContaining({ status: 401 }));
    expect(() => sessions.begin('')).toThrow(expect.objectContaining({ status: 401 }));
    expect(() => sessions.begin(READER.token)).toThrow(expect.objectContaining({ status: 403 }));
    const begun = sessions.begin(OTHER.token);
    expect(sessions.find(begun.cookie)).toEqual(begun);
  });

  it('ends after an hour, which nothing prolongs', () => {
    const { cookie } = sessions.begin(ADMIN.token);
    now += SESSION_MS - 1;
    expect(sessions.find(cookie)).toBeDefined();
    now += 1;
    expect(sessions.find(cookie)).toBeUndefined();
  });

  it('is known to every process with the token, and to none without it', () => {
    const { cookie, formToken } = sessions.begin(ADMIN.token);
    expect(new Sessions({ access: new Access([ADMIN]), clock }).find(cookie)).toMatchObject({ formToken });
    expect(new Sessions({ access: new Access([OTHER, READER]), clock }).find(cookie)).toBeUndefined();
    const demoted = { ...ADMIN, scopes: ['read' as const] };
    expect(new Sessions({ access: new Access([demoted, OTHER]), clock }).find(cookie)).toBeUndefined();
  });

  it('has a form token of its own', () => {
    const [one, another] = [sessions.begin(ADMIN.token), sessions.begin(ADMIN.token)];
    expect(one.cookie).not.toBe(another.cookie);
    expect(one.formToken).not.toBe(another.formToken);
    expect(one.cookie).not.toContain(one.formToken);
  });

  test.prop([fc.nat(), fc.constantFrom(...'0aZ-_.=')])(
    'is not found by a cookie that was changed',
    (place, character) => {
      const { cookie } = sessions.begin(ADMIN.token);
      const at = place % cookie.length;
      fc.pre(cookie[at] !== character);
      expect(sessions.find(cookie.slice(0, at) + character + cookie.slice(at + 1))).toBeUndefined();
    },
  );

  test.prop([fc.option(fc.string(), { nil: undefined })])('is not found by anything else', (cookie) => {
    expect(sessions.find(cookie)).toBeUndefined();
  });

  it('needs no token where the API needs none, and still has form tokens', () => {
    const open = new Sessions({ access: new Access([]), clock });
    const { cookie, formToken } = open.begin('');
    expect(open.find(cookie)).toMatchObject({ formToken });
    expect(sessions.find(cookie)).toBeUndefined();
    expect(sessions.begin(ADMIN.token).formToken).not.toBe(formToken);
  });
});
