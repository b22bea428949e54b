import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime } from '../../src/contracts/http.ts';
import {
  decodeCursor,
  decodeSourceCursor,
  encodeCursor,
  encodeSourceCursor,
  LONGEST_CURSOR,
  LONGEST_SOURCE_CURSOR,
} from '../../src/contracts/key.ts';
import { KIND_NAMES } from '../../src/contracts/kind.ts';

const ids = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String);
const times = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

describe('a cursor over several kinds', () => {
  it('comes back as it went in, and is one short word', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KIND_NAMES), ids, times, (kind, id, at) => {
        const word = encodeSourceCursor({ kind, id, at });
        expect(decodeSourceCursor(word)).toEqual({ kind, id, at });
        expect(word).toMatch(/^[A-Za-z0-9_.-]+$/);
        expect(word.length).toBeLessThanOrEqual(LONGEST_SOURCE_CURSOR);
      }),
    );
  });

  const key = encodeCursor({ id: '7', at: 100 });
  it.each([
    ['nothing', ''],
    ['no kind', key],
    ['an empty kind', `.${key}`],
    ['a kind that there is not', `stores.${key}`],
    ['no key', 'contacts.'],
    ['something behind', `contacts.${key}.1`],
  ])('with %s is none', (_what, text) => {
    expect(decodeSourceCursor(text)).toBeUndefined();
  });
});

describe('a page cursor', () => {
  it('comes back as it went in, and is one short word', () => {
    fc.assert(
      fc.property(ids, times, (id, at) => {
        const word = encodeCursor({ id, at });
        expect(decodeCursor(word)).toEqual({ id, at });
        expect(word).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(word.length).toBeLessThanOrEqual(LONGEST_CURSOR);
      }),
    );
  });

  it('is not guessed from anything else', () => {
    const texts = fc.oneof(fc.string(), fc.base64String());
    fc.assert(
      fc.property(texts, (text) => {
        const key = decodeCursor(text);
        if (key !== undefined) expect(encodeCursor(key)).toBe(text);
      }),
    );
  });

  const word = (text: string) => Buffer.from(text, 'latin1').toString('base64url');
  it.each([
    ['nothing', ''],
    ['a letter too many', `${encodeCursor({ id: '7', at: 100 })}A`],
    ['padding', `${encodeCursor({ id: '7', at: 100 })}=`],
    ['white space', ` ${encodeCursor({ id: '7', at: 100 })}`],
    ['no id', word('100:')],
    ['id 0', word('100:0')],
    ['an id with a leading zero', word('100:07')],
    ['an id past 2^64', word('100:18446744073709551616')],
    ['no time', word(':7')],
    ['time 0', word('0:7')],
    ['a negative time', word('-5:7')],
    ['a time with an exponent', word('1e3:7')],
    ['a time past 2^53', word('9007199254740993:7')],
    ['something behind', word('100:7:8')],
  ])('with %s is none', (_what, text) => {
    expect(decodeCursor(text)).toBeUndefined();
  });
});

describe('a time in JSON', () => {
  it('is RFC 3339 with milliseconds', () => {
    expect(isoTime(1_083_412_800_123)).toBe('2004-05-01T12:00:00.123Z');
  });

  it('stays in the order of the times, and always has four digits for the year', () => {
    const any = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(any, any, (a, b) => {
        const [earlier, later] = a < b ? [a, b] : [b, a];
        expect(isoTime(earlier) <= isoTime(later)).toBe(true);
        expect(isoTime(a)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }),
    );
  });

  it('past the year 9999 is its last moment', () => {
    const last = '9999-12-31T23:59:59.999Z';
    expect([Date.parse(last), Date.parse(last) + 1, Number.MAX_SAFE_INTEGER].map(isoTime)).toEqual([last, last, last]);
    expect(isoTime(Date.parse(last) - 1)).toBe('9999-12-31T23:59:59.998Z');
  });
});
