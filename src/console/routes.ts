import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { HttpProblem, problemOf } from '../api/http-problem.ts';
import { pageSecurity } from '../api/page-security.ts';
import { page, type Reply } from '../api/reply.ts';
import type { Route } from '../api/route.ts';
import { setSessionCookie } from './cookie.ts';
import { Gate, type GateOptions } from './gate.ts';
import { html } from './html.ts';
import type { View } from './layout.ts';
import { confirmReplayPage, deadLetterPage, deadLettersPage, replayAction } from './pages/dead-letters.ts';
import { driftPage } from './pages/drift.ts';
import { epochPage } from './pages/epoch.ts';
import { fanOutsPage } from './pages/fan-outs.ts';
import { loginView } from './pages/login.ts';
import { overviewPage } from './pages/overview.ts';
import { runsPage } from './pages/runs.ts';
import { userPage } from './pages/user.ts';
import { SESSION_MS } from './sessions.ts';
import type { ConsoleSources } from './sources.ts';

/** The console: pages for people, in place of some commands. */
export function consoleRoutes(sources: ConsoleSources, options: GateOptions): Route[] {
  const gate = new Gate(options);
  const { logger } = options;
  return [
    gate.page(overviewPage(sources)),
    gate.page(userPage(sources)),
    gate.page(deadLettersPage(sources)),
    gate.page(confirmReplayPage(sources)),
    gate.action(replayAction(sources, (facts) => logger.info(facts, 'dead letters were replayed in the console'))),
    gate.page(deadLetterPage(sources)),
    gate.page(fanOutsPage(sources)),
    gate.page(epochPage(sources)),
    gate.page(runsPage(sources)),
    gate.page(driftPage(sources)),
    gate.page({ path: '/console/login', isEarly: true, show: loggedIn }),
    loginRoute(gate, options),
    logoutRoute(gate),
    filesRoute(),
    gate.page({ path: '/console/{page}', isEarly: true, show: noSuchPage }),
  ];
}

/** Where a browser ends that loads the answer to the form again. */
function loggedIn(): View {
  return { title: 'Logged in', content: html`<p><a href="/console">To the overview</a></p>` };
}

function noSuchPage(): never {
  throw new HttpProblem('not_found', { detail: 'The console has no such page.' });
}

/** Only pages of the console: a link to the form must not lead elsewhere. */
const NEXT = /^\/console(?:[/?][\w./?=&%:-]*)?$/;

function loginRoute(gate: Gate, { sessions, logger }: GateOptions): Route {
  return gate.open('/console/login', (request) => {
    const { token = '', next = '' } = { ...request.body };
    const to = NEXT.test(String(next)) ? String(next) : '/console';
    try {
      const { cookie } = sessions.begin(String(token).trim());
      logger.info('somebody logged in to the console');
      return seeOther(to, setSessionCookie(cookie, SESSION_MS / 1_000, request.secure));
    } catch (error) {
      const { status, message } = problemOf(error);
      if (status >= 500) throw error;
      logger.info({ status }, 'somebody could not log in to the console');
      return gate.reply(request, { ...loginView({ next: to, message }), status });
    }
  });
}

function logoutRoute(gate: Gate): Route {
  return gate.open('/console/logout', (request) =>
    seeOther('/console', setSessionCookie(undefined, 0, request.secure)),
  );
}

/** The browser goes on with a GET. */
function seeOther(to: string, cookie: string): Reply {
  const headers = { Location: to, 'Set-Cookie': cookie, 'Cache-Control': 'no-store', 'Content-Type': 'text/plain' };
  return { status: 303, headers, content: '' };
}

const FILES = {
  'frame.css': 'text/css; charset=utf-8',
  'parts.css': 'text/css; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

const fileParams = z.strictObject({ file: z.enum(Object.keys(FILES) as (keyof typeof FILES)[]) });

function filesRoute(): Route {
  const read = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url));
  const files = new Map(Object.entries(FILES).map(([name, type]) => [name, page(type, read(name))]));
  const replies = { 200: { description: 'The file.', contentType: '*/*' } };
  return {
    operation: {
      id: 'consoleFile',
      method: 'get',
      path: '/console/files/{file}',
      tag: 'service',
      summary: 'A file of the console',
      replies,
    },
    before: [pageSecurity({ formAction: "'none'" })],
    handle: ({ params }) => {
      const reply = files.get(String(fileParams.safeParse(params).data?.file));
      if (reply === undefined) throw new HttpProblem('not_found');
      return reply;
    },
  };
}
