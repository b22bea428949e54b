import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { HttpProblem } from './http-problem.ts';

/** Of an IPv6 address, a site has so many bits to itself: counting whole addresses would count nothing. */
const IPV6_SUBNET = 56;

/**
 * Bounds the requests of one address. It counts in this process's memory, and lets everything through when it cannot
 * count: a limit must not become an outage.
 * @param perSecond requests, > 0
 */
export function limitRate(perSecond: number): RequestHandler {
  return rateLimit({
    windowMs: 1_000,
    limit: perSecond,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    passOnStoreError: true,
    ipv6Subnet: IPV6_SUBNET,
    validate: false,
    handler: (_request, _response, next) => next(new HttpProblem('rate_limited', { headers: { 'Retry-After': '1' } })),
  });
}
