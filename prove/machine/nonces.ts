/**
 * Nonces are only compared for equality, and a random one never recurs. So in a state of the search the nonces
 * that are in Redis are `~1`, `~2`, … in the order of the users, and all others, which nothing can equal any more, are
 * `~0`. States that differ only in the values of their nonces are thereby one state. The allowance at the end of a nonce stays.
 */
const MARK = '~';

/** A nonce handed out by the model; it is renamed as soon as the script that uses it has run. */
export const FRESH = `${MARK}fresh`;

const GONE = `${MARK}0`;

/** What comes after a nonce's own name: the allowance. */
const ALLOWANCE = /:.*/;

/** Maps old names to new ones, where they change. */
export type Renaming = readonly (readonly [string, string])[];

export function isNonce(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(MARK);
}

/**
 * The new names of the nonces that are in Redis now, and of those that were there before.
 * @param before the previous names
 * @param live those in Redis now, in the order of the users
 */
export function renamingOf(before: readonly string[], live: readonly string[]): Renaming {
  const names = new Map<string, string>();
  const own = (nonces: readonly string[]) => nonces.filter(isNonce).map((nonce) => nonce.replace(ALLOWANCE, ''));
  for (const name of own(live)) if (!names.has(name)) names.set(name, `${MARK}${names.size + 1}`);
  for (const name of own([FRESH, ...before])) if (!names.has(name)) names.set(name, GONE);
  return [...names].filter(([name, to]) => name !== to);
}

export function rename(value: string, renaming: Renaming): string {
  const [allowance = ''] = ALLOWANCE.exec(value) ?? [];
  const name = value.slice(0, value.length - allowance.length);
  const to = renaming.find(([from]) => from === name)?.[1];
  if (to === undefined) return value;
  return to === GONE ? GONE : to + allowance;
}

/** Renames the nonces anywhere in a reply. */
export function renameDeep<T>(value: T, renaming: Renaming): T {
  if (isNonce(value)) return rename(value, renaming) as T;
  if (Array.isArray(value)) return value.map((item) => renameDeep(item, renaming)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, renameDeep(item, renaming)])) as T;
}
