import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type ErrorRequestHandler, type Express, type Request } from 'express';

export interface SiteParts {
  /** Where the API answers. */
  readonly baseUrl: string;
  /** A token with the scope read, where the API has tokens. It stays here: the page gets the stream from this site. */
  readonly token: string | undefined;
}

const ID = /^[1-9][0-9]{0,19}$/;

/** The site's routes: the page of a person, and the stream that it shows. A site of your own asks here who is signed in. */
export function createSite({ baseUrl, token }: SiteParts): Express {
  const site = express();
  site.disable('x-powered-by');
  site.param('person', (_request, response, next, id) => {
    if (ID.test(id)) next();
    else response.sendStatus(404);
  });
  site.get('/', (_request, response) => response.redirect('/people/1'));

  site.get('/people/:person', (_request, response) => {
    response.sendFile('page.html', { root: import.meta.dirname });
  });

  site.get('/people/:person/stream', async (request, response) => {
    const leaving = new AbortController();
    response.once('close', () => leaving.abort());
    const url = new URL(`/v1/users/${request.params.person}/contacts/recent/stream`, baseUrl);
    const { signal } = leaving;
    const { status, body } = await fetch(url, { headers: headersOf(token, hasEvent(request)), signal });
    if (status !== 200 || body === null) {
      await body?.cancel();
      response.status(status === 503 ? 503 : 502).end();
      return;
    }
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'private, no-cache, no-transform',
    });
    response.flushHeaders();
    await pipeline(Readable.fromWeb(body), response);
  });
  site.use(ended);
  return site;
}

/** The event that the browser has: it says so itself when it connects again, and the page where it has to. */
function hasEvent(request: Request): string {
  const { last_event_id: asked } = request.query;
  return request.get('last-event-id') ?? (typeof asked === 'string' ? asked : '');
}

function headersOf(token: string | undefined, event: string): Record<string, string> {
  return {
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(event === '' ? {} : { 'Last-Event-ID': event }),
  };
}

/** Whichever side ended a stream, the browser connects again. Before it has begun, the API is not there. */
const ended: ErrorRequestHandler = (error, _request, response, _next) => {
  if (response.destroyed) return;
  console.error(error);
  if (response.headersSent) response.destroy();
  else response.status(502).end();
};
