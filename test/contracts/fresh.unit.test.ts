import { fc, it } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { InvalidFresh, parseFresh } from '../../src/contracts/fresh.ts';
import { LONGEST_GTID_SET, parseGtidSet } from '../../src/contracts/gtid.ts';

const parse = (header: string) => parseFresh(header, ['42'], ['contact', 'group']);
const contact = (id: string, version?: string) => ({
  kind: 'contact',
  user: '42',
  id,
  ...(version === undefined ? {} : { version }),
});

const UUID = '3e11fa47-71ca-11e1-9e33-c80aa9429562';
const OTHER = '3E11FA47-71CA-11E1-9E33-C80AA9429563';

describe('Recency-Fresh', () => {
  it('names relations, with or without a version, each once with the newest version', () => {
    expect(parse('contact=7@3, group=12,contact=8').changes).toEqual([
      contact('7', '3'),
      { kind: 'group', user: '42', id: '12' },
      contact('8'),
    ]);
    expect(parse('contact=7@3, contact=7, contact=7@18446744073709551615').changes).toEqual([
      contact('7', '18446744073709551615'),
    ]);
    expect(parse('contact=7@10,contact=7@9').changes).toEqual([contact('7', '10')]);
    expect(parse('').changes).toEqual([]);
    expect(parse(' , contact=7 ,, ')).toEqual({ changes: [contact('7')], gtids: undefined });
  });

  it('holds up to eight relations; repeating one costs nothing', () => {
    const eight = Array.from({ length: 8 }, (_, i) => `contact=${i + 1}`);
    expect(parse([...eight, ...eight].join(',')).changes).toHaveLength(8);
    expect(() => parse([...eight, 'group=1'].join(','))).toThrow(/more than 8/);
  });

  it('names relations of each user of the request, or of one of them', () => {
    const all = parseFresh('contact=7, contact=43/8@3, contact=7@2, contact=42/7@5', ['42', '43'], ['contact']);
    expect(all.changes).toEqual([
      contact('7', '5'),
      { kind: 'contact', user: '43', id: '7', version: '2' },
      { kind: 'contact', user: '43', id: '8', version: '3' },
    ]);
    const users = Array.from({ length: 100 }, (_, i) => String(i + 1));
    expect(parseFresh('contact=7', users, ['contact']).changes).toHaveLength(100);
    const nine = Array.from({ length: 9 }, (_, i) => `contact=${i + 1}/7`).join(',');
    expect(() => parseFresh(nine, users, ['contact'])).toThrow(/more than 8/);
    expect(parse('contact=42/7@3').changes).toEqual([contact('7', '3')]);
    expect(() => parse('contact=43/7@3')).toThrow('names a user who is not asked for');
  });

  it('holds a GTID set, whose own commas are no separators', () => {
    const { changes, gtids } = parse(`contact=7@3, gtid=${UUID}:1-5:7, ${OTHER}:9, group=12`);
    expect(changes.map(({ id }) => id)).toEqual(['7', '12']);
    expect(gtids).toEqual({ product: 'mysql', text: `${UUID}:1-5:7,${OTHER}:9` });
    expect(parse('gtid=0-1-5, 1-2-8, contact=7, gtid=0-3-9').gtids).toEqual({
      product: 'mariadb',
      text: '0-3-9,1-2-8',
    });
  });

  it.each([
    'contact',
    'contact=',
    'contact=0',
    'contact=007',
    'contact=7@',
    'contact=7@0',
    'contact=7@3@4',
    'contact=-1',
    'contact=/7',
    'contact=42/',
    'contact=042/7',
    'contact=42/7/8',
    'contact=42@3/7',
    'contact=7 8',
    'contact=18446744073709551616',
    'Contact=7',
    'store=7',
    'constructor=7',
    'contact=7; group=2',
    'gtid=',
    'gtid=now',
    `gtid=${UUID}`,
    `gtid=${UUID}:5-1`,
    `gtid=${UUID}:0`,
    `gtid=${UUID}:tag`,
    `gtid=${UUID}:1-5' OR 1`,
    `gtid=${UUID}:1-5, gtid=0-1-5`,
    'gtid=0-1',
    'gtid=4294967296-1-5',
    'gtid=0-1-18446744073709551616',
    `gtid=${`${UUID}:1,`.repeat(200)}${UUID}:1`,
  ])('refuses %j', (header) => {
    expect(() => parse(header)).toThrow(InvalidFresh);
  });

  it.prop([fc.string({ unit: 'binary', maxLength: 60 })])('parses any text, or refuses it as such', (header) => {
    try {
      const { changes } = parse(header);
      for (const { id, version = '1' } of changes) expect([id, version].every((n) => /^[1-9]\d*$/.test(n))).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidFresh);
    }
  });
});

describe('a GTID set', () => {
  it('of MySQL may have tags, each before its intervals', () => {
    const text = `${UUID}:1-5:billing:3-4:7,${OTHER}:_a:1`;
    expect(parseGtidSet(text)).toEqual({ product: 'mysql', text });
    expect(parseGtidSet(`${UUID}:a:b:1`)).toBeUndefined();
  });

  it('of MariaDB keeps the latest position of each domain, because a server would wait for only one of them', () => {
    expect(parseGtidSet('0-1-9,00-2-10,4294967295-1-18446744073709551615')?.text).toBe(
      '00-2-10,4294967295-1-18446744073709551615',
    );
  });

  it('is not read when it is too long', () => {
    const parts = Array.from({ length: 1_000 }, (_, i) => `${i}-1-1`).join(',');
    expect(parts.length).toBeGreaterThan(LONGEST_GTID_SET);
    expect(parseGtidSet(parts)).toBeUndefined();
  });
});
