import express, { type RequestHandler } from 'express';
import type { z } from 'zod';
import type { FieldError } from '../contracts/problem.ts';
import { MAX_TASK_BYTES } from '../contracts/task.ts';
import { HttpProblem } from './http-problem.ts';

/** Maximum errors reported per body. */
export const MAX_FIELD_ERRORS = 20;
/** Field names are cut off after this many characters. */
const MAX_FIELD_LENGTH = 100;

/**
 * Validates a part of the request.
 * @throws HttpProblem 400 that names every invalid field, and echoes nothing else of what was sent
 */
export function parse<S extends z.ZodType>(where: FieldError['in'], schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => fieldErrors(where, issue, value)).slice(0, MAX_FIELD_ERRORS);
  const [first] = errors;
  throw new HttpProblem(where === 'body' ? 'invalid_body' : 'invalid_parameter', {
    errors,
    ...(first ? { detail: `${first.field}: ${first.detail}` } : {}),
  });
}

function fieldErrors(where: FieldError['in'], issue: z.core.$ZodIssue, value: unknown): FieldError[] {
  const error = (path: readonly PropertyKey[], detail: string) => ({ field: fieldOf(path), in: where, detail });
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) =>
      error([...issue.path, key], `is not a ${where === 'query' ? 'parameter' : 'field'}`),
    );
  }
  return [error(issue.path, isAbsent(issue.path, value) ? 'is missing' : issue.message)];
}

function isAbsent(path: readonly PropertyKey[], value: unknown): boolean {
  let part: unknown = value;
  for (const key of path) part = (part as Record<PropertyKey, unknown> | undefined)?.[key];
  return part === undefined;
}

/** `limit`, `[3].contact`; `body` for the whole body. */
function fieldOf(path: readonly PropertyKey[]): string {
  const field = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return (field.startsWith('.') ? field.slice(1) : field).slice(0, MAX_FIELD_LENGTH) || 'body';
}

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
