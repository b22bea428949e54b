import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { FreshTokens, MOST_PAIRS, tokenOf } from '../src/fresh.ts';

function fresh(keepMs = 1_000) {
  const clock = { now: 0 };
  return { clock, tokens: new FreshTokens({ keepMs, now: () => clock.now }) };
}

describe('the changes of a user', () => {
  it('are joined, the latest first, each pair once in its highest version', () => {
    const { tokens } = fresh();
    for (const token of ['contact=7@3', 'contact=9', 'contact=7@2', 'contact=9@1,group=7']) tokens.add('42', token);
    expect(tokens.header('42')).toBe('group=7,contact=9@1,contact=7@3');
  });

  it('are forgotten after their time, each by itself', () => {
    const { clock, tokens } = fresh(1_000);
    tokens.add('42', 'contact=7');
    clock.now = 600;
    tokens.add('42', 'contact=8');
    clock.now = 1_000;
    expect(tokens.header('42')).toBe('contact=8');
    clock.now = 1_600;
    expect(tokens.header('42')).toBeUndefined();
  });

  it('are eight at most: the latest', () => {
    const { tokens } = fresh();
    for (let contact = 1; contact <= 10; contact += 1) tokens.add('42', `contact=${contact}`);
    expect(tokens.header('42')).toBe(
      'contact=10,contact=9,contact=8,contact=7,contact=6,contact=5,contact=4,contact=3',
    );
    expect(tokens.header('42', 'contact=1')).toMatch(/^contact=1,contact=10,.*contact=4$/);
  });

  it('of several users are eight at most, the latest of all of them', () => {
    const { clock, tokens } = fresh(1_000);
    for (let n = 1; n <= 10; n += 1) {
      clock.now = n;
      tokens.add(n % 2 === 0 ? '42' : '43', `contact=${n}@1`);
    }
    tokens.add('44', 'contact=1');
    expect(tokens.headerOfMany(['42', '43'], 'contact=5,group=6')).toBe(
      'group=6,contact=5,contact=42/10@1,contact=43/9@1,contact=42/8@1,contact=43/7@1,contact=42/6@1,contact=43/5@1',
    );
    clock.now = 1_008;
    expect(tokens.headerOfMany(['42', '43', '45'])).toBe('contact=42/10@1,contact=43/9@1');
    clock.now = 1_010;
    expect(tokens.headerOfMany(['42', '43'])).toBeUndefined();
  });

  it.each([
    ['', 'fresh'],
    ['7', 'fresh'],
    ['contact=7@', 'fresh'],
    ['contact=07', 'contact'],
    ['contact=18446744073709551616', 'contact'],
    ['contact=7@0', 'version'],
    ['contact=7;group=8', 'fresh'],
    ['contact=7\r\nX: y', 'fresh'],
  ])('are no token: %j', (token, field) => {
    expect(() => fresh().tokens.add('42', token)).toThrow(expect.objectContaining({ name: 'InvalidArgument', field }));
  });

  it.each([
    [{}, 'contact'],
    [{ contact: '7', group: '8' }, 'contact'],
    [{ contact: 7 as unknown as string }, 'contact'],
    [{ group: '-1' }, 'group'],
    [{ contact: '7', version: 1.5 }, 'version'],
  ])('are none: %j', (change, field) => {
    expect(() => tokenOf(change)).toThrow(expect.objectContaining({ name: 'InvalidArgument', field }));
  });
});

const id = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String);
const change = fc.record({
  user: fc.constantFrom('1', '2'),
  contact: fc.oneof(fc.constantFrom('5', '6', '7'), id),
  version: fc.option(id, { nil: undefined }),
  wait: fc.nat(700),
});

test.prop([fc.array(change, { maxLength: 40 })])(
  'what is carried is what a plain list of all changes says',
  (changes) => {
    const { clock, tokens } = fresh(1_000);
    const all: Made[] = [];
    for (const { user, contact, version, wait } of changes) {
      clock.now += wait;
      tokens.add(user, tokenOf({ contact, ...(version === undefined ? {} : { version }) }));
      all.push({ user, contact, version, at: clock.now });
      for (const reader of ['1', '2', '3']) expect(tokens.header(reader)).toBe(model(all, reader, clock.now));
    }
  },
);

interface Made {
  readonly user: string;
  readonly contact: string;
  readonly version: string | undefined;
  readonly at: number;
}

function model(all: readonly Made[], user: string, now: number): string | undefined {
  const own = all.filter((one) => one.user === user);
  const latest = [...new Set(own.map(({ contact }) => contact).reverse())];
  const pairs = latest.flatMap((contact) => {
    const highest = remembered(
      own.filter((one) => one.contact === contact),
      now,
    );
    if (highest === undefined) return [];
    return [highest === 0n ? `contact=${contact}` : `contact=${contact}@${highest}`];
  });
  return pairs.length === 0 ? undefined : pairs.slice(0, MOST_PAIRS).join(',');
}

/** The highest version among the changes since the pair was last forgotten; 0: none had any; undefined: it is forgotten. */
function remembered(changes: readonly Made[], now: number): bigint | undefined {
  let [highest, until] = [0n, Number.NEGATIVE_INFINITY];
  for (const { version = '0', at } of changes) {
    if (until <= at) highest = 0n;
    highest = BigInt(version) > highest ? BigInt(version) : highest;
    until = at + 1_000;
  }
  return until > now ? highest : undefined;
}
