import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
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

/** Is this an address of the public internet? IPv4 inside IPv6 (mapped, 6to4, NAT64, Teredo) counts as what it is, not as public. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'unicast';
}

/** @param hostname of a URL; a name passes, because what it resolves to is checked when it is connected to @throws AddressRefused */
export function refusePrivateLiteral(hostname: string): void {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && !isPublic(bare)) throw new AddressRefused(bare, bare);
}

/**
 * Resolves names for a socket, and refuses addresses that are not public. The address that was checked is the one that is
 * connected to, so a name that resolves to another address a moment later (DNS rebinding) gains nothing.
 * @param resolve `dns.lookup`
 */
export function publicLookup(resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, callback) => {
    const all = { ...(options as LookupOptions), all: true } as const;
    resolve(hostname, all, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const found = addresses as unknown as LookupAddress[];
      const refused = found.find(({ address }) => !isPublic(address));
      if (refused !== undefined) return callback(new AddressRefused(hostname, refused.address), '', 0);
      if ((options as LookupOptions).all) return callback(null, found);
      const [first] = found;
      callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}
