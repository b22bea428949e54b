import { isSupported, OLDEST_VERSIONS, type ServerProduct } from '../../contracts/server-versions.ts';

/** A server too old to work with. */
export class VersionTooOld extends Error {
  override readonly name = 'VersionTooOld';
}

/** Throws {@link VersionTooOld} when a product has a lowest version and this one lies below it. */
export function requireSupported(product: string, version: string, source: string): void {
  if (!hasOldest(product) || isSupported(product, version)) return;
  const oldest = OLDEST_VERSIONS[product];
  throw new VersionTooOld(`${product} ${version} (${source}) is too old: Recency needs ${product} ${oldest} or newer`);
}

function hasOldest(product: string): product is ServerProduct {
  return product in OLDEST_VERSIONS;
}
