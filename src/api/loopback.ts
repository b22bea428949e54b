import { BlockList, isIP } from 'node:net';
import type { RequestHandler } from 'express';
import type { AccessToken } from '../config/access-tokens.ts';
import { HttpProblem } from './http-problem.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Can only this machine reach it? Of names only `localhost` is known to be so. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Does a Host header name this machine, by `localhost` or a loopback address, with any port? A web page can point a name of its own
 * at 127.0.0.1 and then read answers (DNS rebinding); its requests name that name.
 */
export function isLoopbackHeader(host: string): boolean {
  const [, name = ''] = /^(.*?)(?::\d{1,5})?$/.exec(host) ?? [];
  return isLoopback(name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name);
}

/** Refuses HTTP/1.1 without a Host header and, where everything is allowed without a token, one that names another host. */
export function checkHostHeader(tokens: readonly AccessToken[]): RequestHandler {
  const isOpen = tokens.length === 0;
  return (request, _response, next) => {
    const { host } = request.headers;
    if (host === undefined && request.httpVersion === '1.1') {
      throw new HttpProblem('malformed_request', { detail: 'The header Host is missing.' });
    }
    if (isOpen && host !== undefined && !isLoopbackHeader(host)) throw new HttpProblem('host_not_allowed');
    next();
  };
}

/** Why the API must not listen there, and how to fix it; undefined: it may. */
export function checkHost(host: string, tokens: readonly AccessToken[]): string | undefined {
  if (tokens.length > 0 || isLoopback(host)) return undefined;
  return `Without tokens anybody who can connect may do everything, so the API listens on loopback only, not on ${host}. Set RECENCY_TOKENS (or RECENCY_TOKENS_FILE), or RECENCY_HOST=127.0.0.1.`;
}
