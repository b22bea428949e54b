import { hash } from 'node:crypto';

/** Characters of a tag, in base64url: 132 bits. */
const LENGTH = 22;

/** The tag of what is sent, always weak (RFC 9110, 8.8.1): a part of it that may differ is left out of `content`. */
export function entityTag(content: string | Buffer): string {
  return `W/"${hash('sha256', content, 'base64url').slice(0, LENGTH)}"`;
}

/**
 * Does the client have what has this tag? Compared weakly, as RFC 9110 (13.1.2) says for If-None-Match. Not by
 * express's `request.fresh`: it answers 200 whenever the request has `Cache-Control: no-cache`, which `fetch` adds to every
 * request with an If-None-Match, and which only tells caches to ask.
 */
export function isKnown(condition: string | undefined, tag: string): boolean {
  if (condition === undefined) return false;
  const opaque = tag.slice('W/'.length);
  return condition.trim() === '*' || condition.split(',').some((one) => one.trim().replace(/^W\//, '') === opaque);
}
