import { describe, expect, it } from 'vitest';
import { entryFields, isBefore, timeOf } from '../../src/transport/streams/entries.ts';

describe('entries of a stream', () => {
  it('are ordered by time, then by number, and not as text', () => {
    const ids = ['0-0', '9-1', '9-2', '9-10', '10-0', '18446744073709551615-9007199254740993'];
    for (const [i, a] of ids.entries()) for (const [j, b] of ids.entries()) expect(isBefore(a, b)).toBe(i < j);
    expect(timeOf('1700000000123-4')).toBe(1_700_000_000_123);
  });

  it('have the headers as fields, and a body unless they are tombstones', () => {
    expect(entryFields(Buffer.from('b'), { h: '1' })).toEqual(['h', '1', 'body', Buffer.from('b')]);
    expect(entryFields(null, { h: '1' })).toEqual(['h', '1']);
  });
});
