import { z } from 'zod';

/** The greatest BIGINT UNSIGNED. */
export const GREATEST_ID = String(2n ** 64n - 1n);

const CANONICAL = new RegExp(`^(?:${upTo(GREATEST_ID)})$`);

/**
 * An id of MySQL (BIGINT UNSIGNED) as its decimal text. Never a JavaScript number: 2^53 + 1 must come back as it went
 * in. Canonical: no sign, no leading zero, no exponent, ASCII digits only, 1 to 2^64 − 1.
 */
export type Id = string;

export function isId(value: unknown): value is Id {
  return typeof value === 'string' && CANONICAL.test(value);
}

/**
 * The id halfway in the range after `after` up to `last`, for a search by halves.
 * @param after '0': the range is from the first id
 * @returns undefined: the range is one id
 */
export function middleId(after: Id | '0', last: Id): Id | undefined {
  const middle = String((BigInt(after) + BigInt(last)) / 2n);
  return middle === after ? undefined : middle;
}

/**
 * The pattern of canonical numbers from 1 to the greatest: shorter numbers, numbers with the same leading digits and a
 * smaller digit after them, and the greatest itself. Exact, so that the API's document allows precisely what is
 * accepted.
 */
function upTo(greatest: string): string {
  const smaller = [...greatest].flatMap((digit, place) => {
    const least = place === 0 ? 1 : 0;
    if (Number(digit) <= least) return [];
    return `${greatest.slice(0, place)}[${least}-${Number(digit) - 1}][0-9]{${greatest.length - place - 1}}`;
  });
  return [`[1-9][0-9]{0,${greatest.length - 2}}`, ...smaller, greatest].join('|');
}

export const idSchema = z
  .string({
    error: ({ input }) => {
      if (input === undefined) return 'is missing';
      return typeof input === 'number' ? 'an id is a string, not a number' : 'an id is a string';
    },
  })
  .refine(isId, 'not an id: decimal digits from 1 to 18446744073709551615, without sign or leading zero')
  .meta({
    id: 'Id',
    description: 'An id: a BIGINT UNSIGNED of MySQL as decimal text.',
    example: '42',
    pattern: CANONICAL.source,
  });
