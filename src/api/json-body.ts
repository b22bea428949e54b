import express, { type RequestHandler } from 'express';
import { MAX_TASK_BYTES } from '../contracts/task.ts';
import { HttpProblem } from './http-problem.ts';

/** Reads a JSON body of at most 64 KiB, decompressed. Any other type is refused before it is read. */
export const jsonBody: readonly RequestHandler[] = [
  requireJson,
  express.json({ limit: MAX_TASK_BYTES, strict: false }),
];

/** RFC 8259 allows JSON only in UTF-8. */
const CHARSETS = new Set(['utf-8', 'utf8']);

const ENCODINGS = new Set(['identity', 'gzip', 'deflate', 'br']);

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)"?/i;

function requireJson(...[request, , next]: Parameters<RequestHandler>): void {
  const matches = request.is('application/json');
  if (matches === null) {
    const errors = [{ field: 'body', in: 'body' as const, detail: 'is missing' }];
    throw new HttpProblem('invalid_body', { detail: 'body: is missing', errors });
  }
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  const charset = CHARSET.exec(type)?.[1] ?? 'utf-8';
  if (matches === false || !CHARSETS.has(charset.toLowerCase())) throw new HttpProblem('unsupported_media_type');
  if (!ENCODINGS.has(encoding.toLowerCase())) {
    throw new HttpProblem('unsupported_media_type', {
      detail: 'The body must be uncompressed, or compressed with gzip, deflate or br.',
      headers: { 'Accept-Encoding': 'gzip, deflate, br' },
    });
  }
  next();
}
