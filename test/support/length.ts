import process from 'node:process';

/**
 * Whether suites that show the same rule again and again go on for long: `npm test` has their short form, `npm run test:long` the
 * long one. docs/testing.md lists them, and package.json names them.
 */
export const IS_LONG = process.env.TEST_LONG === 'true';

/** The value for this form. */
export function shortOrLong<T>(short: T, long: T): T {
  return IS_LONG ? long : short;
}
