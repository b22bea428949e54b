import { InvalidArgument } from './errors.ts';

/** An id of MySQL (BIGINT UNSIGNED) as its decimal text: never a JavaScript number, which is exact to 2^53 only. */
export type Id = string;

const DIGITS = /^[1-9][0-9]{0,19}$/;
const GREATEST = 2n ** 64n - 1n;

/** Decimal digits from 1 to 2^64 − 1, without sign or leading zero. */
export function isId(value: unknown): value is Id {
  return typeof value === 'string' && DIGITS.test(value) && BigInt(value) <= GREATEST;
}

/** @throws InvalidArgument */
export function checkId(field: string, value: unknown): Id {
  if (isId(value)) return value;
  throw new InvalidArgument(
    field,
    typeof value === 'number' || typeof value === 'bigint'
      ? `is the ${typeof value} ${value}: an id is text, because numbers are exact to 2^53 only. Read it from MySQL as text (mysql2: supportBigNumbers and bigNumberStrings)`
      : `is ${shown(value)}: an id is decimal digits from 1 to ${GREATEST}, as text, without sign or leading zero`,
  );
}

/** The version of a row: an id's digits, or a whole number from 1. @throws InvalidArgument */
export function checkVersion(field: string, value: unknown): string {
  if (isId(value)) return value;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return String(value);
  throw new InvalidArgument(field, `is ${shown(value)}: a version is a whole number from 1, as text or as a number`);
}

/** A value as an error shows it. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
