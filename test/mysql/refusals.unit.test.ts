import { expect, it } from 'vitest';
import { SERVER } from '../../src/mysql/error-numbers.ts';
import { asThrown } from '../../src/mysql/faults.ts';
import { refusalRemedy } from '../../src/mysql/refusals.ts';

const errorOf = (errno: number) => Object.assign(new Error('refused'), { errno, sqlState: 'HY000' });

it('each error with which a server refuses work for now says what to do', () => {
  const away = Object.keys(SERVER)
    .map(Number)
    .filter((errno) => SERVER[errno] === 'away');
  expect(away.filter((errno) => refusalRemedy(errorOf(errno)) === undefined)).toEqual([]);
  expect(asThrown(errorOf(1040))).toMatchObject({ remedy: expect.stringContaining('max_connections') });
});

it('other errors do not', () => {
  expect(refusalRemedy(Object.assign(new Error('x'), { errno: 1040 }))).toBeUndefined(); // not of a server
  expect(refusalRemedy(errorOf(1064))).toBeUndefined();
  expect(refusalRemedy('x')).toBeUndefined();
});
