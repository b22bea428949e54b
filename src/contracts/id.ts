import { z } from 'zod';

/** The greatest BIGINT UNSIGNED. */
const GREATEST = 18_446_744_073_709_551_615n;

const CANONICAL = /^[1-9][0-9]{0,19}$/;

/**
 * An id of MySQL (BIGINT UNSIGNED) as its decimal text. Never a JavaScript number: 2^53 + 1 must come back as it went in.
 * Canonical: no sign, no leading zero, no exponent, ASCII digits only, 1 to 2^64 − 1.
 */
export type Id = string;

export function isId(value: unknown): value is Id {
  return typeof value === 'string' && CANONICAL.test(value) && (value.length < 20 || BigInt(value) <= GREATEST);
}

export const idSchema = z
  .string({
    error: (issue) => (typeof issue.input === 'number' ? 'an id is a string, not a number' : 'an id is a string'),
  })
  .refine(isId, 'not an id: decimal digits from 1 to 18446744073709551615, without sign or leading zero')
  .meta({
    id: 'Id',
    description: 'An id: a BIGINT UNSIGNED of MySQL as decimal text.',
    example: '42',
    pattern: CANONICAL.source,
  });
