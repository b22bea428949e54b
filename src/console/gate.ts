import express, { type Request } from 'express';
import type { Logger } from 'pino';
import { z } from 'zod';
import { HttpProblem, problemOf, unavailableProblem } from '../api/http-problem.ts';
import { parse } from '../api/parse.ts';
import { json, pageSecurity, type Reply } from '../api/reply.ts';
import type { HttpOperation, Route } from '../api/route.ts';
import { type Deadline, RequestCancelled } from '../timing/deadline.ts';
import { pageText, type View } from './layout.ts';
import { failureView, loginView } from './pages/login.ts';
import { isSame, SESSION_MS, type Session, type Sessions, sessionCookieOf, setSessionCookie } from './sessions.ts';

/** A request of somebody who is logged in. */
export interface Visit {
  readonly request: Request;
  readonly session: Session;
  readonly deadline: Deadline;
  /** ms since 1970 UTC. */
  readonly now: number;
}

export interface PageDefinition {
  readonly path: string;
  /** It can be shown before the start is over. */
  readonly isEarly?: boolean;
  readonly show: (visit: Visit) => Promise<View> | View;
}

export interface ActionDefinition<S extends z.ZodObject> {
  readonly path: string;
  /** The form's fields, `form` apart. */
  readonly fields: S;
  /** Returns what is shown afterwards. */
  readonly act: (fields: z.output<S>, visit: Visit) => Promise<View>;
}

interface DataDefinition<S extends z.ZodObject> {
  readonly path: string;
  readonly query: S;
  readonly read: (query: z.output<S>) => Promise<object>;
}

export interface GateOptions {
  readonly sessions: Sessions;
  readonly isAnswering: () => boolean;
  readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  readonly clock: () => number;
}

const security = pageSecurity({ formAction: "'self'" });

/** Forms are small. */
const form = express.urlencoded({ extended: false, limit: 16_384, parameterLimit: 200 });

/** Those of a form that is open to everybody are read by its route. */
const NO_FIELDS = z.object({});

const HTML = 'text/html; charset=utf-8';

/** Where the pages and the actions of the console begin and end: who may, and what somebody sees when something fails. */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  page({ path, isEarly = false, show }: PageDefinition): Route {
    return {
      operation: operationOf(path, 'get'),
      before: [security],
      handle: (request, deadline) =>
        this.#guard(request, undefined, async () => {
          const session = this.#sessionOf(request);
          if (session === undefined) return this.#askForToken(request);
          if (!isEarly) this.#requireStart();
          const view = await show({ request, session, deadline, now: this.#options.clock() });
          return this.#reply(request, view, session);
        }),
    };
  }

  /** A form that changes something. It is refused unless it comes from one of these pages, shown to the same session. */
  action<S extends z.ZodObject>({ path, fields, act }: ActionDefinition<S>): Route {
    return {
      operation: operationOf(path, 'post', fields),
      before: [security, form],
      handle: (request, deadline) => {
        const session = this.#sessionOf(request);
        return this.#guard(request, session, async () => {
          requireSameSite(request);
          if (session === undefined) return this.#askForToken(request);
          this.#requireStart();
          const { form: given, ...rest } = { ...request.body };
          if (!isSame(String(given), session.formToken)) throw FORGED;
          const view = await act(parse('body', fields, rest), {
            request,
            session,
            deadline,
            now: this.#options.clock(),
          });
          return this.#reply(request, view, session);
        });
      },
    };
  }

  /** What a page's script asks for: JSON, or a problem as the API has them. */
  data<S extends z.ZodObject>({ path, query, read }: DataDefinition<S>): Route {
    return {
      operation: operationOf(path, 'get'),
      before: [security],
      handle: async (request) => {
        if (this.#sessionOf(request) === undefined) throw new HttpProblem('token_missing');
        return json(200, await read(parse('query', query, request.query)));
      },
    };
  }

  /** A form of somebody who need not be logged in. @param act may throw a problem, which is shown */
  open(path: string, act: (request: Request) => Reply): Route {
    return {
      operation: operationOf(path, 'post', NO_FIELDS),
      before: [security, form],
      handle: (request) =>
        this.#guard(request, undefined, async () => {
          requireSameSite(request);
          return act(request);
        }),
    };
  }

  reply(request: Request, view: View, session?: Session): Reply {
    return this.#reply(request, view, session);
  }

  #requireStart(): void {
    if (!this.#options.isAnswering()) throw unavailableProblem('starting');
  }

  #sessionOf(request: Request): Session | undefined {
    const { sessions } = this.#options;
    return sessions.find(sessionCookieOf(request)) ?? (sessions.isOpen ? sessions.begin('') : undefined);
  }

  #askForToken(request: Request): Reply {
    const next = request.method === 'GET' ? request.originalUrl : '/console';
    const hasEnded = sessionCookieOf(request) !== undefined;
    return this.#reply(
      request,
      loginView({ next, message: hasEnded ? 'Your session has ended. Log in again.' : undefined }),
    );
  }

  /** Errors become pages. */
  async #guard(request: Request, session: Session | undefined, answer: () => Promise<Reply>): Promise<Reply> {
    try {
      return await answer();
    } catch (error) {
      if (error instanceof RequestCancelled) throw error;
      const problem = problemOf(error);
      const { status, code, cause: err } = problem;
      if (status === 500) this.#options.logger.error({ path: request.path, code, err }, 'a page of the console failed');
      return this.#reply(request, failureView(problem), session ?? this.#sessionOf(request), problem.headers);
    }
  }

  #reply(request: Request, view: View, session?: Session, more: Readonly<Record<string, string>> = {}): Reply {
    const { sessions, clock } = this.#options;
    const isNew = sessions.isOpen && session !== undefined && session.cookie !== sessionCookieOf(request);
    const cookie = isNew ? { 'Set-Cookie': setSessionCookie(session.cookie, SESSION_MS / 1_000, request.secure) } : {};
    const frame = { path: request.path, url: request.originalUrl, session, isOpen: sessions.isOpen, now: clock() };
    const headers = { 'Content-Type': HTML, 'Cache-Control': 'no-store', ...cookie, ...more };
    return { status: view.status ?? 200, headers, content: pageText(view, frame) };
  }
}

const FORGED = new HttpProblem('invalid_body', {
  detail: 'The form is no longer valid, or comes from another site. Open the page again.',
});

/** A browser says where a form comes from. @throws HttpProblem 400 when it is another site */
function requireSameSite({ headers }: Request): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw FORGED;
}

function operationOf(path: string, method: 'get' | 'post', body?: z.ZodObject): HttpOperation {
  const replies = { 200: { description: 'The page.', contentType: 'text/html' } };
  return { id: path, method, path, tag: 'service', summary: path, replies, ...(body ? { body } : {}) };
}
