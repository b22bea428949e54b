import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { z } from 'zod';
import { isLoopbackHeader } from '../../../api/listen.ts';
import { pageSecurity } from '../../../api/reply.ts';
import { type Id, idSchema } from '../../../contracts/id.ts';
import { SiteError } from '../../reference-site/checks.ts';
import { documentOf } from './document.ts';
import { type Exhibition, isOver, partsNow } from './exhibition.ts';
import { faceSvg } from './face.ts';
import type { LivePages } from './live.ts';
import { photoSvg } from './photo.ts';
import type { PagePerson } from './site-look.ts';

const FILES = {
  '../../../../console/assets/base.css': 'text/css; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'panels.css': 'text/css; charset=utf-8',
  'site.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

const siteChange = z.object({
  act: z.enum(['add', 'remove', 'upload', 'hide', 'show']),
  person: idSchema,
  contact: idSchema,
  photo: idSchema.optional(),
});

const BUSY = 'The story is not over yet: the buttons work when it has ended.';

/** The page's routes. */
export function pageApp(exhibition: Exhibition, live: LivePages): Express {
  const app = express();
  for (const setting of ['x-powered-by', 'etag']) app.disable(setting);
  app.use(onlyHere, pageSecurity({ formAction: "'self'" }));
  app.get('/', async (request, response) => {
    const person = personOf(exhibition, request, response);
    if (person === undefined) return;
    const text = documentOf(person, exhibition.site.people, await partsNow(exhibition, person));
    response.set('Cache-Control', 'no-store').type('html').send(text);
  });
  app.get('/events', async (request, response) => {
    const person = personOf(exhibition, request, response);
    if (person !== undefined) await live.follow(response, person);
  });
  drawings(app);
  files(app);
  const form = express.urlencoded({ extended: false, limit: 4_096, parameterLimit: 10 });
  app.post('/site/:act', onlyFromHere, form, (request, response) => changeSite(exhibition, request, response));
  app.post('/faults/:fault', onlyFromHere, form, (request, response) => makeFault(exhibition, request, response));
  app.use(failed);
  return app;
}

/** Four parameters, by which Express knows a handler of errors. */
const failed: ErrorRequestHandler = (error, _request, response, _next) => {
  if (response.headersSent) response.destroy();
  else
    response
      .status(500)
      .type('text')
      .send(`This did not work: ${error instanceof Error ? error.message : error}`);
};

/** A page of another site that has its name point here must not read this one (DNS rebinding). */
const onlyHere: RequestHandler = ({ headers }, response, next) => {
  if (isLoopbackHeader(headers.host ?? '')) next();
  else response.sendStatus(403);
};

/**
 * What changes something comes from this page: a browser says where a request comes from. It sends no origin with a form of a page
 * that must not be named as the referrer, but then it says the site.
 */
const onlyFromHere: RequestHandler = ({ headers }, response, next) => {
  const site = headers['sec-fetch-site'];
  const isOurs = site === undefined ? headers.origin === `http://${headers.host}` : site === 'same-origin';
  if (isOurs) next();
  else response.sendStatus(403);
};

/** The person whose page was asked for; by default the one with the most contacts. Undefined: there is none, and that is answered. */
function personOf({ site }: Exhibition, { query }: Request, response: Response): PagePerson | undefined {
  const { people } = site;
  const person = query.person === undefined ? people.at(-1) : people.find(({ id }) => id === query.person);
  if (person === undefined) response.status(404).type('text').send('There is no such page.');
  return person;
}

function drawings(app: Express): void {
  const draw = (path: string, draws: (id: Id) => string) =>
    app.get(`${path}/:id.svg`, ({ params }, response) => {
      const id = idSchema.safeParse(params.id).data;
      if (id === undefined) response.sendStatus(404);
      else response.set('Cache-Control', 'public, max-age=86400').type('image/svg+xml').send(draws(id));
    });
  draw('/faces', faceSvg);
  draw('/photos', photoSvg);
}

function files(app: Express): void {
  for (const [name, type] of Object.entries(FILES)) {
    const content = readFileSync(new URL(`./assets/${name}`, import.meta.url));
    app.get(`/files/${basename(name)}`, (_request, response) => {
      response.set({ 'Cache-Control': 'no-cache', 'Content-Type': type }).send(content);
    });
  }
}

async function changeSite(exhibition: Exhibition, request: Request, response: Response): Promise<void> {
  const change = siteChange.safeParse({ ...request.body, act: request.params.act }).data;
  const person = exhibition.site.people.find(({ id }) => id === change?.person);
  if (change === undefined || person === undefined) return tell(request, response, 400, 'This cannot be done.');
  if (!isOver(exhibition)) return tell(request, response, 409, BUSY);
  try {
    const done = await exhibition.site.change(change);
    tell(request, response, 200, done ?? 'There was nothing to change.');
  } catch (error) {
    if (!(error instanceof SiteError)) throw error;
    tell(request, response, 400, error.message);
  }
}

async function makeFault(exhibition: Exhibition, request: Request, response: Response): Promise<void> {
  if (!isOver(exhibition)) return tell(request, response, 409, BUSY);
  const { faults } = exhibition;
  const name = String(request.body?.name);
  const known: Readonly<Record<string, readonly [() => Promise<boolean> | boolean, string]>> = {
    kill: [() => faults.kill(name), `${name} was killed.`],
    flush: [() => faults.flush(), 'Redis was flushed.'],
    'stop-broker': [() => faults.stopBroker(), 'The broker stands still.'],
    'continue-broker': [() => faults.continueBroker(), 'The broker goes on.'],
  };
  const [act, says] = known[String(request.params.fault)] ?? [() => false, ''];
  if (await act()) tell(request, response, 200, says);
  else tell(request, response, 400, 'This cannot be broken.');
}

/** The script reads a sentence; without it, the page is shown again. */
function tell(request: Request, response: Response, status: number, says: string): void {
  const { person } = { ...request.body };
  response.set('Cache-Control', 'no-store');
  if (request.accepts(['html', 'text']) === 'text') response.status(status).type('text').send(says);
  else response.redirect(303, typeof person === 'string' ? `/?person=${encodeURIComponent(person)}` : '/');
}
