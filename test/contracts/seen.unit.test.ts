import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GREATEST_ID } from '../../src/contracts/id.ts';
import {
  cursorOfSource,
  decodeThrough,
  EVERY_PHOTO,
  encodeThrough,
  GREATEST_IN_KEY,
  LONGEST_THROUGH,
  type ShownList,
} from '../../src/contracts/seen.ts';

const id = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String);
const key = fc.record({ id, at: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) });
const list: fc.Arbitrary<ShownList> = fc.record({
  kind: fc.constantFrom('contacts', 'groups'),
  source: fc.option(id, { nil: undefined }),
  key: fc.option(key, { nil: undefined }),
});

describe('what an answer shows', () => {
  it('comes back from its token as it was', () => {
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 3 }), (lists) => {
        const token = encodeThrough(lists);
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(token.length).toBeLessThanOrEqual(LONGEST_THROUGH);
        expect(decodeThrough(token)).toEqual(lists);
      }),
    );
  });

  it('is not read from any other text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          list.map((one) => `${encodeThrough([one])}A`),
        ),
        (text) => {
          const lists = decodeThrough(text);
          if (lists !== undefined) expect(encodeThrough(lists)).toBe(text);
        },
      ),
    );
  });

  it.each([
    ['another version', '2,contacts=5:7'],
    ['no list', '1'],
    ['an empty list', '1,'],
    ['a list without a key or the sign for none', '1,contacts'],
    ['time 0', '1,contacts=0:7'],
    ['a time that is not exact', '1,contacts=9007199254740993:7'],
    ['an id that is not canonical', '1,contacts=5:07'],
    ['an id that is too great', '1,contacts=5:18446744073709551616'],
    ['a source that is not an id', '1,contacts/0=5:7'],
    ['a kind in capitals', '1,Contacts=5:7'],
  ])('refuses %s', (_what, text) => {
    expect(decodeThrough(Buffer.from(text).toString('base64url'))).toBeUndefined();
  });

  it('has of one source what is at or below its highest key', () => {
    const shown = { kind: 'contacts', source: undefined, key: { at: 50, id: '7' } };
    expect(cursorOfSource(shown, '7')).toEqual({ kind: 'contacts', source: '7', at: 50, id: EVERY_PHOTO });
    expect(cursorOfSource(shown, '10')).toMatchObject({ at: 50 }); // '10' < '7' as text
    expect(cursorOfSource(shown, '9')).toMatchObject({ at: 49, id: EVERY_PHOTO });
    expect(cursorOfSource({ ...shown, key: { at: 1, id: '7' } }, '9')).toBeUndefined();
    expect(cursorOfSource({ ...shown, key: undefined }, '9')).toBeUndefined();
  });

  it('compares the greatest id of a key as text, and that of a photo as a number', () => {
    fc.assert(fc.property(id, (any) => any <= GREATEST_IN_KEY && BigInt(any) <= BigInt(EVERY_PHOTO)));
    expect(GREATEST_ID <= GREATEST_IN_KEY).toBe(true);
  });
});
