import { IS_LONG } from './length.ts';

/**
 * How many random cases a property on servers tries: all of them in the long form, a quarter in the short one, and never fewer than
 * five. Their seeds are new in each run, so that short runs try them all in time.
 */
export function cases(all: number): number {
  return IS_LONG ? all : Math.max(5, Math.ceil(all / 4));
}
