/**
 * Nonces are only compared for equality, and a random one never recurs. So in a state of the search the nonces
 * that are in Redis are `~1`, `~2`, … in the order of the users, and all others, which nothing can equal any more, are
 * `~0`. States that differ only in the values of their nonces are thereby one state.
 */
const MARK = '~';

/** A nonce handed out by the model; it is renamed as soon as the script that uses it has run. */
export const FRESH = `${MARK}fresh`;

const GONE = `${MARK}0`;

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
  for (const nonce of live) if (isNonce(nonce) && !names.has(nonce)) names.set(nonce, `${MARK}${names.size + 1}`);
  for (const nonce of [FRESH, ...before]) if (isNonce(nonce) && !names.has(nonce)) names.set(nonce, GONE);
  return [...names].filter(([name, to]) => name !== to);
}

export function rename(value: string, renaming: Renaming): string {
  return renaming.find(([from]) => from === value)?.[1] ?? value;
}

/** Renames the nonces anywhere in a reply. */
export function renameDeep<T>(value: T, renaming: Renaming): T {
  if (isNonce(value)) return rename(value, renaming) as T;
  if (Array.isArray(value)) return value.map((item) => renameDeep(item, renaming)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, renameDeep(item, renaming)])) as T;
}
