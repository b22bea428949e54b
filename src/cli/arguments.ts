import { InvalidArgumentError } from 'commander';
import { type Id, isId } from '../contracts/id.ts';
import { UsageError } from './exit-code.ts';

/** Parsers of arguments and options. On a value that they refuse, the command does nothing and exits with code 2. */

export function id(text: string): Id {
  if (isId(text)) return text;
  throw new InvalidArgumentError(
    'An id is a number from 1 to 18446744073709551615 in decimal digits, without sign or leading zero.',
  );
}

/** A whole number within inclusive bounds. */
export function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** A number within inclusive bounds, possibly with a fraction. */
export function amount(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}, such as 2 or 0.5.`);
  };
}

/** A number of users, or `all`. */
export function usersOrAll(text: string): number | 'all' {
  return text === 'all' ? 'all' : whole(1, Number.MAX_SAFE_INTEGER)(text);
}

/** A time with its time zone, such as 2026-01-31T12:00:00Z. @returns ms since 1970 UTC */
export function time(text: string): number {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError('It must be a time with its time zone, such as 2026-01-31T12:00:00Z.');
}

/** @throws UsageError when the range is empty */
export function refuseEmptyRange(from: Id | undefined, to: Id | undefined): void {
  if (from === undefined || to === undefined || BigInt(from) <= BigInt(to)) return;
  throw new UsageError(`--from ${from} --to ${to} is an empty range.`);
}
