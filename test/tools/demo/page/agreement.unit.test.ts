import { describe, expect, test } from 'vitest';
import { type Certificate, wordsOf } from '../../../../src/tools/demo/page/certificate.ts';
import { answerAgrees, indexAgrees } from '../../../../src/tools/demo/page/site-look.ts';

const AT = Date.UTC(2026, 4, 1);
const iso = (at: number) => new Date(at).toISOString();
const row = (id: string, at: number) => ({ id, last_upload_at: iso(at) });

describe('an index agrees with MySQL about a contact', () => {
  const members = [row('7', AT), row('8', AT - 1_000)];
  const floor = { at: iso(AT - 5_000), id: '9' };

  test.each([
    ['it has the contact with its last upload', '7', AT, true],
    ['it has an older upload of the contact', '7', AT + 1, false],
    ['it lacks the contact, above its floor', '6', AT - 4_000, false],
    ['it lacks the contact, below its floor', '6', AT - 6_000, true],
    ['it still has a contact who is none', '7', undefined, false],
    ['it lacks who is none', '6', undefined, true],
  ])('%s', (_what, contact, at, agrees) => {
    expect(indexAgrees({ members, floor }, contact, at)).toBe(agrees);
  });

  test('one that left nobody out lacks nobody', () => {
    expect(indexAgrees({ members, floor: null }, '6', 1)).toBe(false);
  });
});

describe('an answer agrees with MySQL about a contact', () => {
  const rows = [row('7', AT), row('8', AT - 1_000)];

  test.each([
    ['it shows the contact with the upload', '7', 10, AT, true],
    ['it shows an older upload', '7', 10, AT + 1, false],
    ['the contact is further down than what was asked for', '6', 2, AT - 2_000, true],
    ['the contact should be among the rows', '6', 2, AT - 500, false],
    ['there would be room for the contact', '6', 10, AT - 2_000, false],
    ['it still shows who is none', '7', 10, undefined, false],
    ['it does not show who is none', '6', 10, undefined, true],
  ])('%s', (_what, contact, limit, at, agrees) => {
    expect(answerAgrees(rows, limit, contact, at)).toBe(agrees);
  });
});

describe('a certificate in words', () => {
  const certificate: Certificate = {
    ...{ source: 'index', exact: true, complete: false, floor: null },
    ...{ as_of: iso(AT), lag_ms: 12 },
  };

  test('says how old a change is at most that may be missing', () => {
    expect(wordsOf(certificate)).toContain('older than 12 ms is in this answer');
  });

  test('says why plain SQL answered', () => {
    expect(wordsOf({ ...certificate, source: 'database', reason: 'cold' })).toMatch(/^Plain SQL .* no index/);
  });

  test('says that it is not exact, and why', () => {
    const words = wordsOf({ ...certificate, exact: false, reason: 'lag', lag_ms: null });
    expect(words).toMatch(/not exact: how old/);
  });
});
