import { type RecencyClient, RecencyError, RecencyProblem } from '@recency/client';
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import { page } from './page.ts';
import type { Store } from './store.ts';

export interface SiteParts {
  readonly store: Store;
  readonly recency: RecencyClient;
}

const ID = /^[1-9][0-9]{0,19}$/;

/** The site's routes: one page for each person, and a form for each change. */
export function createSite({ store, recency }: SiteParts): Express {
  const site = express();
  site.disable('x-powered-by');
  site.use(express.urlencoded({ extended: false }));
  site.param('person', (_request, response, next, id) => {
    if (ID.test(id)) next();
    else response.sendStatus(404);
  });

  site.get('/', async (_request, response) => {
    const [first] = await store.people();
    if (first === undefined) response.status(404).type('text').send('The site has no people yet.');
    else response.redirect(`/people/${first.id}`);
  });

  site.get('/people/:person', async (request, response) => {
    const { person: user } = request.params;
    const [people, recent] = await Promise.all([
      store.people(),
      recency.GET('/v1/users/{user}/contacts/recent', { params: { path: { user } } }),
    ]);
    const me = people.find(({ id }) => id === user);
    if (me === undefined) response.sendStatus(404);
    else response.type('html').send(page({ me, people, recent: recent.data }));
  });

  site.post('/people/:person/contacts{/:what}', (request, response, next) => {
    if (ID.test(request.body?.contact)) next();
    else response.sendStatus(400);
  });

  // Once a change is committed, `changed` makes this person's next reads show it, whether its task has been applied or not.
  site.post('/people/:person/contacts', async (request, response) => {
    const [user, contact] = named(request);
    recency.changed(user, await store.addContact(user, contact, Date.now()));
    back(request, response);
  });

  site.post('/people/:person/contacts/remove', async (request, response) => {
    const [user, contact] = named(request);
    recency.changed(user, await store.removeContact(user, contact));
    back(request, response);
  });

  // On a real site the contact uploads, and the person sees it a moment later. Here the person plays the contact.
  site.post('/people/:person/contacts/upload', async (request, response) => {
    const [user, contact] = named(request);
    recency.changed(user, await store.upload(contact, Date.now(), 'a photo'));
    back(request, response);
  });
  markAsSeen(site, recency);
  site.use(refused);
  return site;
}

function markAsSeen(site: Express, recency: RecencyClient): void {
  // The form names what its page showed, not the present: what was uploaded since the page was made stays new.
  site.post('/people/:person/seen', async (request, response) => {
    const { person: user } = request.params;
    const { through } = request.body ?? {};
    if (typeof through !== 'string') {
      response.sendStatus(400);
      return;
    }
    await recency.PUT('/v1/users/{user}/contacts/seen', { params: { path: { user } }, body: { through } });
    back(request, response);
  });
}

/** What a form holds may be wrong (400): the API says how, and the site passes it on. Any other failure is not the visitor's. */
const refused: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof RecencyProblem && error.status === 400) {
    response.status(400).type('application/problem+json').send(JSON.stringify(error.problem));
  } else if (error instanceof RecencyError) {
    console.error(error);
    response.status(502).type('text').send('The list of recent contacts is not available.');
  } else next(error);
};

/** The person who acts, and the contact whom the form names. */
function named({ params, body }: Request<{ person: string }>): [user: string, contact: string] {
  return [params.person, body.contact];
}

/** After a change: see other, so that reloading the page does not repeat it. */
function back({ params }: Request<{ person: string }>, response: Response): void {
  response.redirect(303, `/people/${params.person}`);
}
