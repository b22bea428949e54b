import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Express } from 'express';
import { Registry } from 'prom-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/api/app.ts';
import { Access } from '../../src/api/authorize.ts';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { withGroups } from '../support/groups-api.ts';
import { freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, kindStoresOn } from '../support/stores.ts';
import { listen } from '../support/streams.ts';

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly security: readonly unknown[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
}

const LETTER = { id: '0-1', headers: { 'dlq-attempts': '1' }, timestamp: 1 };

const TOKENS = [
  { token: 'all-0123', scopes: ['read', 'write', 'admin'] },
  { token: 'none-0123', scopes: [] },
] as const;

let api: TestApi;
let document: Document;
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });

beforeAll(async () => {
  const limits = { max: 24, min: 12 };
  const stores = await freshStores({ kinds: [CONTACTS, GROUPS], ...limits });
  await writeSite(freshSitePool(stores.url), {
    users: ['1', '2', '3'],
    ties: ['2', '3'].map((contact) => ({ user: '1', contact, friend: true, family: false, active: true })),
    photos: ['2', '3'].map((owner) => ({ id: owner, owner, audience: 0, at: 1_083_412_800_123 })),
  });
  const failing = { always: async () => 'fine', never: () => Promise.reject(new Error('no')) };
  api = await startTestApi(stores, {
    ...limits,
    ...withGroups(stores, kindStoresOn(stores, GROUPS, limits), limits),
    access: new Access(TOKENS),
    deadLetters: {
      list: async () => [{ ...LETTER, bytes: 2 }],
      get: async () => ({ ...LETTER, body: Buffer.from('{}') }),
      replay: async () => ({ replayed: 1, missing: [] }),
      discard: async () => ({ discarded: ['0-1'], missing: [] }),
    },
    checks: failing,
    reports: { slow: async () => ({ state: 'warning', detail: 'much waits' }) },
  });
  document = (await ask(api, '/openapi.json')).body;
  ajv.addSchema(document, 'document');
});

/** Does the document say that this operation answers so? */
function expectDocumented(method: string, path: string, { status, headers, body }: Awaited<ReturnType<typeof ask>>) {
  const response = document.paths[path]?.[method]?.responses[status];
  expect(response, `${method} ${path} → ${status}`).toBeDefined();
  const [type] = (headers.get('content-type') ?? '').split(';');
  const types = Object.keys(response?.content ?? {});
  if (types.length === 0) return expect(body).toBe('');
  expect(types.includes('*/*') ? type : types, path).toEqual(types.includes('*/*') ? type : [type]);
  if (!type?.includes('json') || path === '/openapi.json') return;
  const pointer = ['paths', path, method, 'responses', String(status), 'content', type, 'schema'];
  const check = ajv.compile({ $ref: `document#/${pointer.map(escaped).join('/')}` });
  expect(check(body), JSON.stringify(check.errors)).toBe(true);
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

const TOKEN = { authorization: 'Bearer all-0123' };
const task = { type: 'recency.user.deleted', user: '7' };

/** A request of each operation that goes well. Each of the document's has to be here. */
const REQUESTS: [method: string, path: string, actual: string, body?: unknown][] = [
  ['get', '/v1/users/{user}/contacts/recent', '/v1/users/1/contacts/recent?limit=1'],
  ['get', '/v1/users/{user}/contacts/recent/photos', '/v1/users/1/contacts/recent/photos?contacts=2'],
  ['get', '/v1/users/{user}/contacts/unseen', '/v1/users/1/contacts/unseen'],
  ['get', '/v1/users/{user}/groups/recent', '/v1/users/1/groups/recent?limit=1'],
  ['get', '/v1/users/{user}/groups/recent/photos', '/v1/users/1/groups/recent/photos'],
  ['get', '/v1/users/{user}/groups/unseen', '/v1/users/1/groups/unseen'],
  ['get', '/v1/users/{user}/contacts/{id}/photos', '/v1/users/1/contacts/2/photos?unseen=true'],
  ['get', '/v1/users/{user}/groups/{id}/photos', '/v1/users/1/groups/2/photos'],
  ['get', '/v1/users/{user}/unseen', '/v1/users/1/unseen'],
  ['get', '/v1/users/{user}/recent', '/v1/users/1/recent?limit=2'],
  ['get', '/v1/users/{user}/recent/stream', '/v1/users/1/recent/stream?limit=2'],
  ['get', '/v1/users/{user}/contacts/recent/stream', '/v1/users/1/contacts/recent/stream'],
  ['get', '/v1/users/{user}/groups/recent/stream', '/v1/users/1/groups/recent/stream'],
  ['get', '/v1/users/{user}/recent/photos', '/v1/users/1/recent/photos?sources=2'],
  ['put', '/v1/users/{user}/contacts/seen', '/v1/users/1/contacts/seen', { at: '2004-05-01T12:00:00Z' }],
  ['put', '/v1/users/{user}/contacts/{id}/seen', '/v1/users/1/contacts/2/seen', { at: '2004-05-01T12:00:00Z' }],
  ['put', '/v1/users/{user}/groups/seen', '/v1/users/1/groups/seen', { at: '2004-05-01T12:00:00Z' }],
  ['put', '/v1/users/{user}/groups/{id}/seen', '/v1/users/1/groups/2/seen', { at: '2004-05-01T12:00:00Z' }],
  ['put', '/v1/users/{user}/seen', '/v1/users/1/seen', { at: '2004-05-01T12:00:00Z' }],
  ['get', '/v1/users/{user}/contacts/{contact}/explain', '/v1/users/1/contacts/2/explain'],
  ['get', '/v1/users/{user}/groups/{group}/explain', '/v1/users/1/groups/2/explain'],
  ['post', '/v1/users/{user}/contacts/index/rebuild', '/v1/users/1/contacts/index/rebuild'],
  ['get', '/v1/users/{user}/contacts/index', '/v1/users/1/contacts/index'],
  ['post', '/v1/users/{user}/groups/index/rebuild', '/v1/users/1/groups/index/rebuild'],
  ['get', '/v1/users/{user}/groups/index', '/v1/users/1/groups/index'],
  ['post', '/v1/users/{user}/index/rebuild', '/v1/users/1/index/rebuild'],
  ['get', '/v1/fan-outs', '/v1/fan-outs'],
  ['get', '/v1/dead-letters', '/v1/dead-letters'],
  ['post', '/v1/dead-letters/replay', '/v1/dead-letters/replay', { ids: ['0-1'] }],
  ['post', '/v1/dead-letters/discard', '/v1/dead-letters/discard', { type: 'x', why: 'of a test' }],
  ['get', '/v1/dead-letters/{id}', '/v1/dead-letters/0-1'],
  ['get', '/v1/users/{user}/index', '/v1/users/1/index'],
  ['delete', '/v1/users/{user}/index', '/v1/users/1/index'],
  ['post', '/v1/recent', '/v1/recent', { users: ['1', '2', '1'], limit: 1 }],
  ['post', '/v1/tasks', '/v1/tasks', task],
  ['post', '/v1/watches', '/v1/watches', { user: '1', channel: 'kafka' }],
  ['get', '/v1/watches', '/v1/watches?user=1'],
  ['get', '/v1/watches/{id}', '/v1/watches/1'],
  ['patch', '/v1/watches/{id}', '/v1/watches/1', { interval_ms: 5 }],
  ['post', '/v1/watches/{id}/test', '/v1/watches/1/test'],
  ['delete', '/v1/watches/{id}', '/v1/watches/1'],
  ['get', '/livez', '/livez'],
  ['get', '/readyz', '/readyz?verbose'],
  ['get', '/startupz', '/startupz'],
  ['get', '/metrics', '/metrics'],
  ['get', '/openapi.json', '/openapi.json'],
  ['get', '/docs', '/docs'],
  ['get', '/docs/{file}', '/docs/swagger-ui.css'],
];

/** Routes whose POST has a body. */
const BODIES = ['/v1/tasks', '/v1/recent', '/v1/watches', '/v1/dead-letters/replay', '/v1/dead-letters/discard'];

const documented = () =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );

describe('the OpenAPI document', () => {
  it('is 3.1, of this version', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.version).toBe('1.2.3');
  });

  it('has every route that is registered, and no other', () => {
    const app = createApp({ ...api.dependencies, registry: new Registry() });
    expect(registered(app)).toEqual(
      documented()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    );
    expect(REQUESTS.map(([method, path]) => `${method} ${path}`).sort()).toEqual(registered(app));
  });

  it('gives every operation a unique name', () => {
    const names = documented().map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(REQUESTS)('describes the answers of %s %s', async (method, path, actual, body) => {
    const headers = { ...TOKEN, 'content-type': 'application/json' };
    const init = body === undefined ? { headers: TOKEN } : { headers, body: JSON.stringify(body) };
    const answer = await (path.endsWith('/stream')
      ? beginningOf(actual)
      : ask(api, actual, { method: method.toUpperCase(), ...init }));
    expectDocumented(method, path, answer);
    const expected = path === '/readyz' ? ['503'] : Object.keys(successOf(method, path));
    expect(expected).toContain(String(answer.status));
  });

  it('documents how every operation refuses a bad request, a bad token and a missing scope', async () => {
    for (const { method, path, operation } of documented().filter(({ path }) => path.startsWith('/v1'))) {
      const actual = path.replaceAll(/\{\w+\}/g, '1');
      const bad =
        ['put', 'patch'].includes(method) || (method === 'post' && BODIES.includes(path))
          ? await ask(api, actual, {
              method: method.toUpperCase(),
              headers: { ...TOKEN, 'content-type': 'application/json' },
              body: '[{}]',
            })
          : undefined;
      const none = { authorization: 'Bearer none-0123' };
      const answers = [
        bad ??
          (await ask(api, `${path.replaceAll(/\{\w+\}/g, 'x')}?x=1`, { method: method.toUpperCase(), headers: TOKEN })),
        await ask(api, actual, { method: method.toUpperCase() }),
        await ask(api, actual, { method: method.toUpperCase(), headers: none }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 401, 403]);
      for (const answer of answers) expectDocumented(method, path, answer);
      expect(operation.security).toEqual([{ token: [] }]);
    }
  });

  it('documents the answers to an oversized body and a wrong type', async () => {
    expectDocumented('post', '/v1/tasks', await post(api, '/v1/tasks', ' '.repeat(70_000), TOKEN));
    expectDocumented(
      'post',
      '/v1/tasks',
      await post(api, '/v1/tasks', task, { ...TOKEN, 'content-type': 'text/plain' }),
    );
    expectDocumented('get', '/docs/{file}', await ask(api, '/docs/nothing'));
  });

  it('has the bounds of numeric query parameters', () => {
    const parameters = document.paths['/v1/users/{user}/contacts/recent']?.get?.parameters ?? [];
    const limit = parameters.find(({ name }) => name === 'limit');
    expect(limit?.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 10 });
    expect(limit?.schema).not.toHaveProperty('pattern');
  });

  it('detects an answer that does not match it', () => {
    const answer = {
      status: 200,
      headers: new Headers({ 'content-type': 'application/json' }),
      body: { status: 'dead' },
    };
    expect(() => expectDocumented('get', '/livez', answer)).toThrow();
  });
});

/** Of an answer that does not end. */
async function beginningOf(actual: string) {
  const { status, headers, stop } = await listen(api, actual, TOKEN);
  stop();
  return { status, headers, body: '' };
}

function successOf(method: string, path: string) {
  const responses = Object.entries(document.paths[path]?.[method]?.responses ?? {});
  return Object.fromEntries(responses.filter(([status]) => status.startsWith('2')));
}

/** `method path` of every route that express has, in the document's way of writing paths. */
function registered(app: Express): string[] {
  const layers = (app.router as unknown as { stack: { route?: { path: string; methods: Record<string, boolean> } }[] })
    .stack;
  return layers
    .flatMap(({ route }) => (route ? Object.keys(route.methods).map((method) => [method, route.path] as const) : []))
    .filter(([method]) => method !== '_all')
    .map(([method, path]) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    .sort();
}
