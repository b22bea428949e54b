import express, { type RequestHandler } from 'express';
import { MAX_TASK_BYTES } from '../contracts/task.ts';
import { HttpProblem } from './http-problem.ts';

/** Reads a JSON body of at most 64 KiB, unpacked. Anything else is refused before it is read. */
export const jsonBody: readonly RequestHandler[] = [requireJson, express.json({ limit: MAX_TASK_BYTES })];

function requireJson(...[request, , next]: Parameters<RequestHandler>): void {
  const matches = request.is('application/json');
  if (matches === null) {
    const errors = [{ field: 'body', in: 'body' as const, detail: 'is missing' }];
    throw new HttpProblem('invalid_body', { detail: 'body: is missing', errors });
  }
  if (matches === false) throw new HttpProblem('unsupported_media_type');
  next();
}
