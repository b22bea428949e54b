import { InvalidArgumentError } from 'commander';
import { type Id, isId } from '../contracts/id.ts';
import { UsageError } from './exit-code.ts';

/** Parsers of arguments and options. What they refuse ends the command with exit code 2 and nothing done. */

export function id(text: string): Id {
  if (isId(text)) return text;
  throw new InvalidArgumentError(
    'An id is decimal digits from 1 to 18446744073709551615, without sign or leading zero.',
  );
}

/** A whole number within bounds, both included. */
export function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
  };
}

/** A number within bounds, both included; it may have a fraction. */
export function amount(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It is a number from ${least} to ${most}, such as 2 or 0.5.`);
  };
}

/** How many users: a number, or `all`. */
export function usersOrAll(text: string): number | 'all' {
  return text === 'all' ? 'all' : whole(1, Number.MAX_SAFE_INTEGER)(text);
}

/** A time with its zone, as 2026-01-31T12:00:00Z. @returns ms since 1970 UTC */
export function time(text: string): number {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError('It is a time with its zone, as 2026-01-31T12:00:00Z.');
}

/** @throws UsageError when nothing lies between the two */
export function refuseEmptyRange(from: Id | undefined, to: Id | undefined): void {
  if (from === undefined || to === undefined || BigInt(from) <= BigInt(to)) return;
  throw new UsageError(`--from ${from} --to ${to} is an empty range: there is no user from ${from} up to ${to}.`);
}
