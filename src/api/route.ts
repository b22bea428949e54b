import type { Express, Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { Scope } from '../config/access-tokens.ts';
import { CONTACTS, type Kind } from '../contracts/kind.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import type { Access } from './authorize.ts';
import type { Exchanges } from './exchange.ts';
import { HttpProblem } from './http-problem.ts';
import { noContent, type Reply } from './reply.ts';

/** One documented response of an operation. */
export interface DocumentedReply {
  readonly description: string;
  /** The schema of a JSON response. */
  readonly schema?: z.ZodType;
  /** The media type of any other response. */
  readonly contentType?: string;
  readonly headers?: z.ZodObject;
}

/** What a route accepts and returns: it validates requests and becomes the OpenAPI document. */
export interface HttpOperation {
  /** The name that generated clients use. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** In OpenAPI notation: `/v1/users/{user}/index`. */
  readonly path: string;
  /** The scope that the token must grant; undefined: no token is needed. */
  readonly scope?: Scope;
  readonly tag: 'answers' | 'seen' | 'tasks' | 'indexes' | 'watches' | 'service';
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Request headers of its own. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** By status. */
  readonly replies: Readonly<Record<string, DocumentedReply>>;
  /** Statuses of problems specific to this operation. */
  readonly problems?: readonly number[];
}

export interface Route {
  readonly operation: HttpOperation;
  /** Handlers that run after the token check and before `handle`. */
  readonly before?: readonly RequestHandler[];
  /** @param deadline bounds every wait of the request; it is cancelled when the client disconnects */
  readonly handle: (request: Request, deadline: Deadline) => Promise<Reply> | Reply;
}

/** Adds the routes to the app. For each request: check the token, run `before`, answer. Other methods get 405. */
export function register(app: Express, routes: readonly Route[], exchanges: Exchanges, access: Access): void {
  for (const [path, some] of Map.groupBy(routes, ({ operation }) => operation.path)) {
    const at = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const route of some) at[route.operation.method](...handlersOf(route, exchanges, access));
    at.all(otherMethods(path, some, exchanges));
  }
}

/** A single handler where possible: each one adds to the cost of every request. */
function handlersOf({ operation, before, handle }: Route, exchanges: Exchanges, access: Access): RequestHandler[] {
  const { path, scope } = operation;
  // Any web page can make a browser send a POST without a body, and where no token is needed it would be obeyed.
  const canBeForged = access.isOpen && operation.method === 'post' && operation.body === undefined;
  const enter = (request: Request, response: Response) => {
    exchanges.name(request, response, path);
    if (scope !== undefined) access.authorize(scope, request.headers.authorization);
    if (canBeForged) requireJsonType(request);
  };
  const answer = async (request: Request, response: Response) => {
    const deadline = exchanges.deadlineOf(response);
    // Also what is not told of the deadline, such as a write, which goes on.
    exchanges.answer(request, response, await withinDeadline(deadline, Promise.resolve(handle(request, deadline))));
  };
  if (before === undefined) {
    return [
      (request, response) => {
        enter(request, response);
        return answer(request, response);
      },
    ];
  }
  const enterFirst: RequestHandler = (request, response, next) => {
    enter(request, response);
    next();
  };
  return [enterFirst, ...before, answer];
}

function otherMethods(path: string, routes: readonly Route[], exchanges: Exchanges): RequestHandler {
  const methods = routes.map(({ operation }) => operation.method.toUpperCase());
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return (request, response) => {
    exchanges.name(request, response, path);
    if (request.method !== 'OPTIONS') throw new HttpProblem('method_not_allowed', { headers: { Allow: allow } });
    exchanges.answer(request, response, noContent({ Allow: allow }));
  };
}

/**
 * Requires a media type that a page of another site cannot send without permission: it triggers a CORS preflight.
 * @throws HttpProblem 415, also when there is no body
 */
function requireJsonType({ headers }: Request): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === 'application/json') return;
  throw new HttpProblem('unsupported_media_type', {
    detail: 'Without tokens, a POST needs the header Content-Type: application/json, even without a body.',
  });
}

/** Words about a kind, for the API's document. */

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** What the document says of a kind that an installation need not have. */
export function whereInUse({ name }: Kind): string {
  return name === CONTACTS.name ? '' : ` 404 where RECENCY_KINDS does not name ${name}.`;
}

/** The status of that problem, for an operation that has no other of its own. */
export function problemsWhereUnused({ name }: Kind): { readonly problems?: readonly number[] } {
  return name === CONTACTS.name ? {} : { problems: [404] };
}
