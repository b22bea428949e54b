import type { Value } from './row-change.ts';

const COLLATOR = new Intl.Collator('en', { usage: 'search', sensitivity: 'base' });

/**
 * Whether a row's value may be the one that a condition names. MySQL compares texts by the column's collation, which may
 * ignore case, accents and blanks at the end, and the view's own condition goes by it. So what any common collation takes for
 * the same counts as the same: a hint too many is harmless, one too few is not.
 */
export function isSameValue(value: Value, named: Value): boolean {
  if (value === null || named === null) return value === named;
  const [one, other] = [String(value).trimEnd(), String(named).trimEnd()];
  return one === other || isSameNumber(one, other) || COLLATOR.compare(one, other) === 0;
}

function isSameNumber(one: string, other: string): boolean {
  return one !== '' && other !== '' && Number(one) === Number(other);
}
