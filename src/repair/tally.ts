/** Counts by name, some of them in groups. */
export type Tally = { readonly [name: string]: number | Tally };

/** The sum of two tallies; what is missing in one of them counts as nothing. */
export function sum<T extends Tally>(a: T, b: T): T {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, sumOf(a[name], b[name])])) as T;
}

function sumOf(a: number | Tally | undefined, b: number | Tally | undefined): number | Tally {
  if (typeof a === 'object' || typeof b === 'object') return sum(asGroup(a), asGroup(b));
  return (a ?? 0) + (b ?? 0);
}

function asGroup(value: number | Tally | undefined): Tally {
  return typeof value === 'object' ? value : {};
}
