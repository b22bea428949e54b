import type { Request } from 'express';
import { HttpProblem } from '../api/http-problem.ts';
import { jsonBody, parse } from '../api/parse.ts';
import { json, noContent, type Reply } from '../api/reply.ts';
import type { Route } from '../api/route.ts';
import type { Id } from '../contracts/id.ts';
import type { Watch } from '../contracts/watch.ts';
import type { Site } from '../site/site.ts';
import { AddressRefused, refusePrivateLiteral } from './public-address.ts';
import { TooManyWatches, WatchBusy, type WatchManager } from './watch-manager.ts';
import { none, OPERATIONS, ofUser, one, viewOf, type WatchBodies, watchBodiesOf } from './watch-view.ts';

interface WatchRoutesOptions {
  readonly watches: Pick<WatchManager, 'create' | 'find' | 'ofUser' | 'change' | 'remove' | 'test'>;
  readonly site: Site;
  /** May a webhook go to a private address, and by http? */
  readonly allowPrivateWebhooks: boolean;
}

export function watchRoutes(options: WatchRoutesOptions): Route[] {
  const { watches } = options;
  const bodies = watchBodiesOf(options.site);
  return [
    { operation: OPERATIONS.create, before: jsonBody, handle: (request) => create(request, bodies, options) },
    {
      operation: OPERATIONS.list,
      handle: async (request) => {
        const { user } = parse('query', ofUser, request.query);
        return json(200, { watches: (await watches.ofUser(user)).map(viewOf) });
      },
    },
    {
      operation: OPERATIONS.show,
      handle: async (request) => json(200, viewOf(found(await watches.find(idOf(request))))),
    },
    { operation: OPERATIONS.change, before: jsonBody, handle: (request) => change(request, bodies, options) },
    {
      operation: OPERATIONS.remove,
      handle: async (request) => {
        await watches.remove(idOf(request));
        return noContent();
      },
    },
    {
      operation: OPERATIONS.test,
      handle: async (request) => json(202, { notification: found(await asConflict(watches.test(idOf(request)))) }),
    },
  ];
}

async function create(
  request: Request,
  { created }: WatchBodies,
  { watches, ...allowed }: WatchRoutesOptions,
): Promise<Reply> {
  parse('query', none, request.query);
  const body = parse('body', created, request.body);
  const { interval_ms: intervalMs, kinds = allowed.site.kinds.map(({ name }) => name), channel, url, ...asked } = body;
  checkFields({ kinds, channel, url, isNew: true }, allowed);
  const filter = { ...asked, kinds: kinds as Watch['kinds'], intervalMs };
  const target = url === undefined ? ({ channel: 'kafka' } as const) : ({ channel: 'webhook', url } as const);
  return json(201, { ...(await asConflict(watches.create({ ...filter, ...target }))) });
}

async function change(
  request: Request,
  { changed }: WatchBodies,
  { watches, ...allowed }: WatchRoutesOptions,
): Promise<Reply> {
  const id = idOf(request);
  const body = parse('body', changed, request.body);
  const { interval_ms: intervalMs, rotate_secret: rotateSecret, kinds, url, relation, muted } = body;
  const { channel } = found(await watches.find(id));
  checkFields({ kinds, channel, url, isNew: false, rotateSecret }, allowed);
  const changes = { kinds: kinds as Watch['kinds'] | undefined, url, relation, muted, intervalMs, rotateSecret };
  return json(200, { id, ...found(await asConflict(watches.change(id, changes))) });
}

function idOf(request: Request): Id {
  parse('query', none, request.query);
  return parse('path', one, request.params).id;
}

function found<T>(thing: T | undefined): T {
  if (thing === undefined) throw new HttpProblem('watch_unknown');
  return thing;
}

async function asConflict<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof WatchBusy) throw new HttpProblem('watch_busy', { cause: error });
    if (error instanceof TooManyWatches)
      throw new HttpProblem('too_many_watches', { detail: `${error.message}.`, cause: error });
    throw error;
  }
}

interface CheckedFields {
  readonly kinds: readonly string[] | undefined;
  readonly channel: Watch['channel'];
  readonly url: string | undefined;
  readonly isNew: boolean;
  readonly rotateSecret?: boolean | undefined;
}

type Allowed = Omit<WatchRoutesOptions, 'watches'>;

/** What the schema cannot say. @throws HttpProblem 400 */
function checkFields({ kinds, channel, url, isNew, rotateSecret }: CheckedFields, allowed: Allowed): void {
  const inUse: readonly string[] = allowed.site.kinds.map(({ name }) => name);
  const unused = kinds?.find((kind) => !inUse.includes(kind));
  if (unused !== undefined) refuse('kinds', `${unused} is not in use here: RECENCY_KINDS is ${inUse.join(', ')}`);
  if (channel === 'webhook' && isNew && url === undefined) refuse('url', 'is missing: a webhook needs one');
  if (channel === 'kafka' && url !== undefined) refuse('url', 'is only for webhooks');
  if (channel === 'kafka' && rotateSecret) refuse('rotate_secret', 'is only for webhooks');
  if (url !== undefined) checkUrl(url, allowed);
}

function checkUrl(text: string, { allowPrivateWebhooks }: Allowed): void {
  const url = URL.parse(text);
  const isHttps = url?.protocol === 'https:' || (allowPrivateWebhooks && url?.protocol === 'http:');
  if (url === null || !isHttps) refuse('url', 'must be an https URL');
  else if (url.username !== '' || url.password !== '') refuse('url', 'must not have a user or a password');
  else if (!allowPrivateWebhooks) {
    try {
      refusePrivateLiteral(url.hostname);
    } catch (error) {
      if (!(error instanceof AddressRefused)) throw error;
      refuse('url', error.message);
    }
  }
}

function refuse(field: string, detail: string): never {
  throw new HttpProblem('invalid_body', { detail: `${field}: ${detail}`, errors: [{ field, in: 'body', detail }] });
}
