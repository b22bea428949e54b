/**
 * The oldest servers that Recency works with: MySQL needs SKIP LOCKED and JSON_TABLE, Redis scripts need their flags.
 */
export const OLDEST_VERSIONS = { Redis: '7.0', MariaDB: '10.6', MySQL: '8.0.19' } as const;

export type ServerProduct = keyof typeof OLDEST_VERSIONS;

/** @param version in the server's own words, such as `10.11.6-MariaDB-1`; what follows a number is ignored */
export function isSupported(product: ServerProduct, version: string): boolean {
  return compareVersions(version, OLDEST_VERSIONS[product]) >= 0;
}

/** The product of a version that `SELECT VERSION()` returned. */
export function mysqlProductOf(version: string): 'MariaDB' | 'MySQL' {
  return /mariadb/i.test(version) ? 'MariaDB' : 'MySQL';
}

/** Servers that speak MySQL's protocol, and give a version of it, but lack what Recency needs. By their own versions. */
const OTHER_PRODUCTS = ['Vitess', 'TiDB', 'OceanBase', 'SingleStore', 'PolarDB-X'];

/** The product that says it is another one than MySQL or MariaDB; undefined: none. @param version as `SELECT VERSION()` returned it */
export function otherProductOf(version: string): string | undefined {
  return OTHER_PRODUCTS.find((product) => version.toLowerCase().includes(product.toLowerCase()));
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
