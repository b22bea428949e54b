import type { Pool } from 'mysql2/promise';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiQueries } from '../../src/app/api-queries.ts';
import { indexStores } from '../../src/app/stores.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CONTACTS, GROUPS, type KindName } from '../../src/contracts/kind.ts';
import { EpochWatch } from '../../src/index/epoch-watch.ts';
import { createGroup, joinGroup } from '../../src/tools/reference-site/groups.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addToPool } from '../../src/tools/reference-site/pools.ts';
import { addContact } from '../../src/tools/reference-site/relationships.ts';
import { createUsers } from '../../src/tools/reference-site/users.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { ownershipOf } from '../support/epoch-watch.ts';
import { closeAtEnd } from '../support/servers.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const USER = '1';
const CONTACT = '3';

let stores: Stores;
let pool: Pool;
let group: string;
let api: TestApi;
let registry: Registry;

const logger = pino({ enabled: false });

/** The API wired by the composition root, about these kinds. */
async function startedWith(kinds: readonly KindName[]): Promise<{ api: TestApi; registry: Registry }> {
  const { url: mysqlUrl, prefix: keyPrefix, primary, redis } = stores;
  const rules = { indexAbove: 0, keep: 1_000_000 };
  const config = { ...loadConfig({}), ...rules, mysqlUrl, keyPrefix, kinds: [...kinds], max: 8, min: 4 };
  const resources = new AsyncDisposableStack();
  closeAtEnd(() => resources.disposeAsync());
  const watch = new EpochWatch({ client: redis, database: primary, logger, ownership: ownershipOf(stores) });
  resources.defer(() => watch.stop());
  await watch.start();
  const opened = { primary, redis, watch, ...indexStores(config, primary, redis) };
  const context = { config, logger, resources };
  const registry = new Registry();
  const queries = apiQueries(context, opened, { reading: primary, lagMs: () => 0 });
  return { registry, api: await startTestApi(stores, { ...queries, registry }) };
}

beforeAll(async () => {
  stores = await freshStores({ kinds: [CONTACTS, GROUPS] });
  pool = freshSitePool(stores.url);
  await createUsers(pool, [USER, CONTACT]);
  group = await createGroup(pool);
  await addToPool(pool, group, await uploadPhoto(pool, CONTACT, 0, 200), 200);
  await joinGroup(pool, USER, group, 1);
  await addContact(pool, USER, CONTACT);
  ({ api, registry } = await startedWith(['contacts', 'groups']));
});

beforeEach(async () => {
  await ask(api, `/v1/users/${USER}/index`, { method: 'DELETE' });
});

const of = (kind: string, rest: string) => `/v1/users/${USER}/${kind}/${rest}`;
const indexOf = async (kind: string) => (await ask(api, of(kind, 'index'))).body;
const states = async () => [(await indexOf('contacts')).state, (await indexOf('groups')).state];

describe('the index of groups', () => {
  it('is built by the first read of a cold user, and that of contacts is not', async () => {
    const cold = (await ask(api, of('groups', 'recent'))).body;
    expect(cold).toMatchObject({
      groups: [{ id: group }],
      answer: { source: 'database', reason: 'cold', exact: true },
    });
    await until(async () => (await indexOf('groups')).state === 'warm');
    expect(await states()).toEqual(['cold', 'warm']);
    const warm = (await ask(api, of('groups', 'recent'))).body;
    expect(warm).toMatchObject({ groups: cold.groups, answer: { source: 'index', exact: true, complete: true } });
    expect(await registry.getSingleMetricAsString('recency_cold_builds_total')).toMatch(/outcome="built"} [1-9]/);
  });

  it('is built by a count over both kinds as well', async () => {
    await ask(api, `/v1/users/${USER}/unseen`);
    await until(async () => (await states()).every((state) => state === 'warm'));
  });

  it('can be looked at and rebuilt by itself', async () => {
    expect(await indexOf('groups')).toMatchObject({ user: USER, state: 'cold', size: 0, members: [] });
    const { status, body } = await post(api, of('groups', 'index/rebuild'), '');
    expect({ status, body }).toMatchObject({ status: 200, body: { state: 'warm', complete: true } });
    expect(body.members).toEqual([{ id: group, last_upload_at: '1970-01-01T00:00:00.200Z' }]);
    expect(await indexOf('groups')).toEqual(body);
    expect(await states()).toEqual(['cold', 'warm']);
  });

  it('is explained, in words about groups', async () => {
    await post(api, of('groups', 'index/rebuild'), '');
    const { body } = await ask(api, of('groups', `${group}/explain`));
    expect(body).toMatchObject({
      user: USER,
      group,
      verdict: { code: 'in_index', sentence: 'The group is in the index, where it belongs.' },
      in_answer: true,
      answer: { source: 'index', verdict: { sentence: 'The first page shows the group, where it belongs.' } },
      mysql: { related: true, place: 1 },
      index: { state: 'warm', size: 1 },
    });
    expect(body).not.toHaveProperty('contact');
    expect(body.mysql).not.toHaveProperty('relation');
    const other = (await ask(api, of('groups', '999/explain'))).body;
    expect(other).toMatchObject({ group: '999', verdict: { code: 'not_a_contact' }, mysql: null, in_answer: false });
    const { status, body: bad } = await ask(api, of('groups', 'x/explain'));
    expect({ status, bad }).toMatchObject({ status: 400, bad: { code: 'invalid_parameter', field: 'group' } });
  });
});

describe('the routes without a kind', () => {
  it('look at and rebuild the index of contacts', async () => {
    expect((await post(api, `/v1/users/${USER}/index/rebuild`, '')).status).toBe(200);
    expect(await states()).toEqual(['warm', 'cold']);
    const { body } = await ask(api, `/v1/users/${USER}/index`);
    expect(body).toMatchObject({ state: 'warm', members: [{ id: CONTACT }] });
    expect(body).toEqual(await indexOf('contacts'));
  });

  it('forget the indexes of every kind', async () => {
    for (const kind of ['contacts', 'groups']) await post(api, of(kind, 'index/rebuild'), '');
    expect(await states()).toEqual(['warm', 'warm']);
    expect((await ask(api, `/v1/users/${USER}/index`, { method: 'DELETE' })).status).toBe(204);
    expect(await states()).toEqual(['cold', 'cold']);
    await ask(api, of('groups', 'recent'));
    await until(async () => (await indexOf('groups')).state === 'warm');
  });
});

describe('a kind that is not in use', () => {
  it('is forgotten too: it may have been in use', async () => {
    const { api: other } = await startedWith(['contacts']);
    for (const kind of ['contacts', 'groups']) await post(api, of(kind, 'index/rebuild'), '');
    expect(await states()).toEqual(['warm', 'warm']);
    expect((await ask(other, `/v1/users/${USER}/index`, { method: 'DELETE' })).status).toBe(204);
    expect(await states()).toEqual(['cold', 'cold']);
  });

  it.each([
    ['contacts', 'groups'],
    ['groups', 'contacts'],
  ] as const)('has no routes where only %s are', async (used, unused) => {
    const { api: other } = await startedWith([used]);
    const paths = [of(unused, 'recent'), of(unused, 'index'), of(unused, '7/explain'), of(unused, 'unseen')];
    for (const path of paths) {
      expect(await ask(other, path), path).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect((await post(other, of(unused, 'index/rebuild'), '')).status).toBe(404);
    expect((await ask(other, `/v1/users/${USER}/index`)).status).toBe(used === 'contacts' ? 200 : 404);
    expect((await ask(other, of(used, 'index'))).status).toBe(200);
    expect((await post(other, of(used, 'index/rebuild'), '')).body.members).toHaveLength(1);
  });
});
