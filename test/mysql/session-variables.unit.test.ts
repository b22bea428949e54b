import { expect, it } from 'vitest';
import { ALL_SET, LEFT } from '../../src/mysql/session-variables.ts';
import { UNTRIED } from '../support/odd-variables.ts';

it('each session variable is in one of the tables, once', () => {
  const names = ALL_SET.map(({ name }) => name).concat(LEFT.flatMap(({ names: left }) => left));
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
});

it('each that Recency sets is tried with another value', () => {
  expect(UNTRIED).toEqual([]);
});
