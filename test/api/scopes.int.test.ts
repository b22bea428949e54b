import { beforeAll, expect, it } from 'vitest';
import { Access } from '../../src/api/authorize.ts';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import { ask, startTestApi, type TestApi } from '../support/api.ts';
import { withGroups } from '../support/groups-api.ts';
import { freshStores, kindStoresOn } from '../support/stores.ts';

const SCOPES = ['read', 'write', 'admin'] as const;
const TOKENS = SCOPES.map((scope) => ({ token: `${scope}-0123`, scopes: [scope] }));

let api: TestApi;
let operations: { method: string; path: string }[];

beforeAll(async () => {
  const limits = { max: 24, min: 12 };
  const stores = await freshStores({ kinds: [CONTACTS, GROUPS], ...limits });
  const groups = withGroups(stores, kindStoresOn(stores, GROUPS, limits), limits);
  api = await startTestApi(stores, { ...limits, ...groups, access: new Access(TOKENS) });
  const { paths } = (await ask(api, '/openapi.json')).body;
  operations = Object.entries<object>(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })));
});

/** The scope that SECURITY.md promises. */
function promised({ method, path }: { method: string; path: string }): string {
  if (/\/(index|index\/rebuild)$|^\/v1\/(fan-outs|watches|dead-letters)/.test(path)) return 'admin';
  return method === 'PUT' || path === '/v1/tasks' ? 'write' : 'read';
}

/** A parameter that no route knows keeps what is allowed from doing anything: it is looked at after the token. */
async function statusOf({ method, path }: { method: string; path: string }, token?: string): Promise<number> {
  const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const body = method === 'GET' ? null : '{}';
  return (await ask(api, `${path.replaceAll(/\{\w+\}/g, '1')}?unknown=1`, { method, headers, body })).status;
}

it('every operation under /v1 takes a token of one scope, and refuses the others and none', async () => {
  expect(operations.length).toBeGreaterThan(20);
  for (const operation of operations) {
    const statuses = await Promise.all(TOKENS.map(({ token }) => statusOf(operation, token)));
    const allowed = SCOPES.filter((_, i) => statuses[i] !== 403);
    expect(allowed, JSON.stringify({ ...operation, statuses })).toEqual([promised(operation)]);
    expect(await statusOf(operation)).toBe(401);
    expect(await statusOf(operation, 'stranger-0123')).toBe(401);
  }
});
