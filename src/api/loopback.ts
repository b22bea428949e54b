import { BlockList, isIP } from 'node:net';
import type { AccessToken } from '../config/access-tokens.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Can only this machine reach it? Of names only `localhost` is known to be so. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** Why the API must not listen there, and how to mend it; undefined: it may. */
export function checkHost(host: string, tokens: readonly AccessToken[]): string | undefined {
  if (tokens.length > 0 || isLoopback(host)) return undefined;
  return `Without tokens anybody who can connect may do everything, so the API listens on loopback only, not on ${host}. Set RECENCY_TOKENS (or RECENCY_TOKENS_FILE), or RECENCY_HOST=127.0.0.1.`;
}
