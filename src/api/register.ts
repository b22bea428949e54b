import type { Express, RequestHandler } from 'express';
import type { Authorize } from './authorize.ts';
import type { Exchanges } from './exchange.ts';
import { HttpProblem } from './http-problem.ts';
import { requireJsonType } from './json-body.ts';
import { noContent } from './reply.ts';
import { expressPath, type Route } from './route.ts';

export interface Access {
  /** No token is needed for anything. */
  readonly isOpen: boolean;
}

/** Puts the routes on the app: token, then what the route itself wants before, then its answer. Other methods get 405. */
export function register(
  app: Express,
  routes: readonly Route[],
  exchanges: Exchanges,
  authorize: Authorize,
  access: Access,
): void {
  for (const [path, some] of Map.groupBy(routes, ({ operation }) => expressPath(operation))) {
    const at = app.route(path);
    for (const route of some) at[route.operation.method](...handlersOf(route, exchanges, authorize, access));
    at.all(otherMethods(some, exchanges));
  }
}

/** One handler where one is enough: each costs a little on every request. */
function handlersOf(
  { operation, before, handle }: Route,
  exchanges: Exchanges,
  authorize: Authorize,
  { isOpen }: Access,
): RequestHandler[] {
  const { path, scope } = operation;
  // A form on any web page can send a POST without a body, and where no token is needed it would be obeyed.
  const canBeForged = isOpen && operation.method === 'post' && operation.body === undefined;
  const enter = (...[request, response]: Parameters<RequestHandler>) => {
    exchanges.name(response, path);
    if (scope !== undefined) authorize(scope, request.headers.authorization);
    if (canBeForged) requireJsonType(request);
  };
  const answer: RequestHandler = async (request, response) => {
    exchanges.answer(request, response, await handle(request, exchanges.deadlineOf(response)));
  };
  if (before === undefined) {
    return [
      (request, response, next) => {
        enter(request, response, next);
        return answer(request, response, next);
      },
    ];
  }
  const enterFirst: RequestHandler = (request, response, next) => {
    enter(request, response, next);
    next();
  };
  return [enterFirst, ...before, answer];
}

function otherMethods(routes: readonly Route[], exchanges: Exchanges): RequestHandler {
  const path = routes[0]?.operation.path ?? '';
  const methods = routes.map(({ operation }) => operation.method.toUpperCase());
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return (request, response) => {
    exchanges.name(response, path);
    if (request.method !== 'OPTIONS') throw new HttpProblem('method_not_allowed', { headers: { Allow: allow } });
    exchanges.answer(request, response, noContent({ Allow: allow }));
  };
}
