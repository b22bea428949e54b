import { z } from 'zod';
import { HttpProblem, problemOf } from '../api/http-problem.ts';
import type { Reply } from '../api/reply.ts';
import type { Route } from '../api/route.ts';
import { LineLimit } from '../timing/line-limit.ts';
import { filesRoute } from './files.ts';
import { Gate, type GateOptions } from './gate.ts';
import { chartsView } from './history.ts';
import { html } from './html.ts';
import type { View } from './layout.ts';
import { confirmDiscardPage, confirmReplayPage, deadLetterPage, deadLettersPage } from './pages/dead-letters.ts';
import { driftPage } from './pages/drift.ts';
import { bumpAction, bumpPage, epochPage } from './pages/epoch.ts';
import { discardAction, replayAction } from './pages/letter-actions.ts';
import { loginView } from './pages/login.ts';
import { overviewPage } from './pages/overview.ts';
import { fanOutsPage, runsPage } from './pages/progress.ts';
import { rebuildAction } from './pages/rebuild.ts';
import { userPage } from './pages/user.ts';
import { SESSION_MS, setSessionCookie } from './sessions.ts';
import type { ConsoleSources } from './sources.ts';

/** The console: pages for people, in place of some commands. */
export function consoleRoutes(sources: ConsoleSources, options: GateOptions): Route[] {
  const gate = new Gate(options);
  const { logger } = options;
  return [
    gate.page(overviewPage(sources)),
    gate.page(userPage(sources)),
    gate.action(rebuildAction(sources, (facts) => logger.info(facts, 'indexes were rebuilt in the console'))),
    gate.page(deadLettersPage(sources)),
    gate.page(confirmReplayPage(sources)),
    gate.action(replayAction(sources, (facts) => logger.info(facts, 'dead letters were replayed in the console'))),
    gate.page(confirmDiscardPage(sources)),
    gate.action(discardAction(sources, (facts) => logger.info(facts, 'dead letters were discarded in the console'))),
    gate.page(deadLetterPage(sources)),
    gate.page(fanOutsPage(sources)),
    gate.page(epochPage(sources)),
    gate.page(bumpPage(sources)),
    gate.action(bumpAction(sources, (facts) => logger.warn(facts, 'a new epoch was begun in the console'))),
    gate.data({
      path: '/console/history',
      query: historyQuery,
      read: async ({ after }) => chartsView(await sources.history(after)),
    }),
    gate.page(runsPage(sources)),
    gate.page(driftPage(sources)),
    gate.page({ path: '/console/login', isEarly: true, show: loggedIn }),
    loginRoute(gate, options),
    logoutRoute(gate),
    filesRoute(),
    gate.page({ path: '/console/{page}', isEarly: true, show: noSuchPage }),
  ];
}

/** ms since 1970 UTC: what is later than this. */
const historyQuery = z.strictObject({ after: z.coerce.number().int().nonnegative().default(0) });

/** Where a browser ends that loads the answer to the form again. */
function loggedIn(): View {
  return { title: 'Logged in', content: html`<p><a href="/console">To the overview</a></p>` };
}

function noSuchPage(): never {
  throw new HttpProblem('not_found', { detail: 'The console has no such page.' });
}

/** Only pages of the console: a link to the form must not lead elsewhere. */
const NEXT = /^\/console(?:[/?][\w./?=&%:-]*)?$/;

/** Somebody who tries tokens may do so thousands of times: one line in this time, ms. */
const REFUSED_LINE_MS = 60_000;

function loginRoute(gate: Gate, { sessions, logger }: GateOptions): Route {
  const refused = new LineLimit({ everyMs: REFUSED_LINE_MS });
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
      const leftOut = refused.next(String(status));
      if (leftOut !== undefined) logger.info({ status, ...leftOut }, 'somebody could not log in to the console');
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
