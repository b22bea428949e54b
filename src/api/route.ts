import type { Request, RequestHandler } from 'express';
import type { z } from 'zod';
import type { Scope } from '../config/access-tokens.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { Reply } from './reply.ts';

/** One answer of an operation, for the document. */
export interface DocumentedReply {
  readonly description: string;
  /** Of a JSON answer. */
  readonly schema?: z.ZodType;
  /** Of any other answer. */
  readonly contentType?: string;
  readonly headers?: z.ZodObject;
}

/** What a route takes and answers: checks requests, and becomes the OpenAPI document. */
export interface Operation {
  /** What generated clients call it. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'delete';
  /** As OpenAPI writes it: `/v1/users/{user}/index`. */
  readonly path: string;
  /** What the token must allow; undefined: no token is needed. */
  readonly scope?: Scope;
  readonly tag: 'answers' | 'tasks' | 'indexes' | 'service';
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** By status. */
  readonly replies: Readonly<Record<string, DocumentedReply>>;
  /** Statuses of the problems that only this operation has. */
  readonly problems?: readonly number[];
}

export interface Route {
  readonly operation: Operation;
  /** Between the check of the token and `handle`. */
  readonly before?: readonly RequestHandler[];
  /** All of its waits end at the deadline, which is cancelled when the client disconnects. */
  readonly handle: (request: Request, deadline: Deadline) => Promise<Reply> | Reply;
}

/** The path as express writes it. */
export function expressPath({ path }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
