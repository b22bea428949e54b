import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address is not one of the public internet: a webhook there could reach what only this network should. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ADDRESS_REFUSED';

  constructor(host: string, address: string) {
    super(
      `${host === address ? host : `${host} (${address})`} is not a public address; RECENCY_WEBHOOK_ALLOW_PRIVATE allows it`,
    );
  }
}

/** What IANA has given out of IPv6 (RFC 4291). Everything else is reserved, for one use or another. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3');

/** In it, but not for the public: protocols (RFC 2928, Teredo among them), documentation (RFC 9637). */
const NOT_PUBLIC = ['2001::/23', '3fff::/20'].map((range) => ipaddr.IPv6.parseCIDR(range));

/**
 * Is this an address of the public internet? Only what is known to be: IPv4 inside IPv6 counts as what it is where that can be
 * reached (mapped), and never as public elsewhere (compatible, 6to4, NAT64, Teredo).
 */
function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  if (!(parsed instanceof ipaddr.IPv6)) return true;
  return parsed.match(GIVEN_OUT) && !NOT_PUBLIC.some((range) => parsed.match(range));
}

/** @param hostname of a URL; a name passes, because what it resolves to is checked when it is connected to @throws AddressRefused */
export function refusePrivateLiteral(hostname: string): void {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && !isPublic(bare)) throw new AddressRefused(bare, bare);
}

/** Finds all addresses of a name. */
export type ResolveAll = (
  host: string,
  options: object,
  callback: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/**
 * Resolves names for a socket, and refuses addresses that are not public. The address that was checked is the one that is
 * connected to, so a name that resolves to another address a moment later (DNS rebinding) gains nothing.
 * @param resolve finds all addresses
 * @param allowPrivate are addresses allowed that are not public?
 */
export function checkedLookup(resolve: ResolveAll, allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const { family } = options as LookupOptions;
      const found = addresses.filter((one) => (family !== 4 && family !== 6) || one.family === family);
      const refused = allowPrivate ? undefined : found.find(({ address }) => !isPublic(address));
      if (refused !== undefined) return callback(new AddressRefused(hostname, refused.address), '', 0);
      if ((options as LookupOptions).all) return callback(null, [...found]);
      const [first] = found;
      callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}
