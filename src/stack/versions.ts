const MINIMUM: Readonly<Record<string, string>> = { Redis: '7.0', MariaDB: '10.6', MySQL: '8.0.19' };

/** A server too old to work with. */
export class VersionTooOld extends Error {
  override readonly name = 'VersionTooOld';
}

/** Throws {@link VersionTooOld} when a product has a lowest version and this one lies below it. */
export function requireSupported(product: string, version: string, source: string): void {
  const minimum = MINIMUM[product];
  if (minimum === undefined || compareVersions(version, minimum) >= 0) return;
  throw new VersionTooOld(`${product} ${version} (${source}) is too old: Recency needs ${product} ${minimum} or newer`);
}

/** Compares number by number, so that 10.11 is newer than 10.6; a missing number counts as 0. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [numbersOf(left), numbersOf(right)];
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const numbersOf = (version: string): number[] => version.split('.').map((part) => Number.parseInt(part, 10) || 0);
