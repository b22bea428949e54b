import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GREATEST_LAG_MS, maxLagParameter, timeOf } from '../../src/contracts/answer-parameters.ts';

describe('a time that a client gives', () => {
  it('is the same in every way of writing it', () => {
    const at = Date.UTC(2004, 4, 1, 12, 0, 0, 123);
    for (const text of [
      '2004-05-01T12:00:00.123Z',
      '2004-05-01t12:00:00.123z',
      '2004-05-01T14:00:00.123+02:00',
      '2004-05-01T06:30:00.123000-05:30',
      String(at),
    ]) {
      expect(timeOf(text), text).toBe(at);
    }
  });

  it('is any moment as the answers write it', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date(253_402_300_799_999), noInvalidDate: true }), (date) => {
        expect(timeOf(date.toISOString())).toBe(date.getTime());
        expect(timeOf(String(date.getTime()))).toBe(date.getTime());
      }),
    );
  });

  it('is rounded up to a whole millisecond, because uploads have whole ones', () => {
    expect(timeOf('1970-01-01T00:00:01.0001Z')).toBe(1_001);
    expect(timeOf('1970-01-01T00:00:01.000000001Z')).toBe(1_001);
    expect(timeOf('1970-01-01T00:00:01.0000Z')).toBe(1_000);
  });

  it('before 1970 is the beginning of 1970', () => {
    expect(timeOf('1969-12-31T23:59:59Z')).toBe(0);
  });

  it.each([
    '',
    'yesterday',
    '2004-05-01',
    '2004-05-01T12:00Z',
    '2004-05-01T12:00:00',
    '2004-05-01 12:00:00Z',
    '2004-05-01T12:00:00 02:00',
    '2004-02-31T12:00:00Z',
    '2003-02-29T12:00:00Z',
    '2004-13-01T12:00:00Z',
    '2004-05-01T24:00:00Z',
    '2004-05-01T12:60:00Z',
    '2004-05-01T12:00:00.Z',
    '-1',
    '+1',
    '01',
    '1e3',
    '1.5',
    ' 1',
    '9007199254740992',
    '99999999999999999',
  ])('is not %j', (text) => {
    expect(timeOf(text)).toBeUndefined();
  });
});

it('the greatest lag is a whole number of ms up to a day', () => {
  for (const text of ['0', '1', '500', String(GREATEST_LAG_MS)]) expect(maxLagParameter.parse(text)).toBe(Number(text));
  for (const text of ['', '-1', '01', '1.5', '1e3', ' 1', String(GREATEST_LAG_MS + 1), '999999999']) {
    expect(maxLagParameter.safeParse(text).success, text).toBe(false);
  }
  expect(maxLagParameter.parse(undefined)).toBeUndefined();
});
