import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeCursor } from '../../src/contracts/key.ts';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import { decodeThrough } from '../../src/contracts/seen.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { createGroup, joinGroup, leaveGroup } from '../../src/tools/reference-site/groups.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addToPool } from '../../src/tools/reference-site/pools.ts';
import { addContact } from '../../src/tools/reference-site/relationships.ts';
import { createUsers } from '../../src/tools/reference-site/users.ts';
import { ask, startTestApi, type TestApi } from '../support/api.ts';
import { withGroups } from '../support/groups-api.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, kindStoresOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 8, min: 4 };
const USER = '1';
const LONG_AGO = 1;

let stores: Stores;
let pool: Pool;
let api: TestApi;
/** With a photo at 100 and 300. */
const groups: string[] = [];

const recent = (more = '', headers = {}) => ask(api, `/v1/users/${USER}/recent${more}`, { headers });
const namesOf = (rows: readonly { kind: string; id: string }[]) => rows.map(({ kind, id }) => `${kind} ${id}`);
let list: string[];

beforeAll(async () => {
  stores = await freshStores({ kinds: [CONTACTS, GROUPS], ...LIMITS });
  const ofGroups = kindStoresOn(stores, GROUPS, LIMITS);
  pool = freshSitePool(stores.url);
  await createUsers(pool, [USER, '2', '3', '4']);
  for (const at of [100, 300]) {
    const group = await createGroup(pool);
    await addToPool(pool, group, await uploadPhoto(pool, '4', 0, at), at);
    await joinGroup(pool, USER, group, LONG_AGO);
    groups.push(group);
  }
  await uploadPhoto(pool, '2', 0, 200);
  await uploadPhoto(pool, '3', 0, 300);
  for (const contact of ['2', '3']) await addContact(pool, USER, contact);
  await pool.query('UPDATE contacts SET since = ?', [LONG_AGO]);
  for (const { steps } of [stores, ofGroups]) await run(rebuild([USER], true), steps);
  api = await startTestApi(stores, { ...LIMITS, ...withGroups(stores, ofGroups, LIMITS) });
  list = ['contacts 3', `groups ${groups[1]}`, 'contacts 2', `groups ${groups[0]}`];
});

describe('GET /v1/users/{user}/recent', () => {
  it('answers with the sources of both kinds, each as its own kind shows it', async () => {
    const { status, body } = await recent();
    expect(status).toBe(200);
    expect(namesOf(body.sources)).toEqual(list);
    const at = '1970-01-01T00:00:00.300Z';
    expect(body.sources.slice(0, 2)).toEqual([
      { kind: 'contacts', id: '3', last_upload_at: at, relation: [], unseen: true },
      { kind: 'groups', id: groups[1], last_upload_at: at, unseen: true },
    ]);
    expect(body).toMatchObject({ user: USER, next: null, answer: { source: 'index', exact: true, complete: true } });
  });

  it('pages through both', async () => {
    const found: string[] = [];
    for (let next = ''; ; ) {
      const { body } = await recent(`?limit=1${next}`);
      found.push(...namesOf(body.sources));
      if (body.next === null) break;
      next = `&after=${body.next}`;
    }
    expect(found).toEqual(list);
  });

  it('marks what a page has shown, of each kind', async () => {
    const { body } = await recent('?limit=3');
    expect(decodeThrough(body.answer.through)).toEqual([
      { kind: 'contacts', source: undefined, key: { at: 300, id: '3' } },
      { kind: 'groups', source: undefined, key: { at: 300, id: groups[1] } },
    ]);
    const onlyContacts = await recent('?limit=1');
    const mark = { method: 'PUT', headers: { 'content-type': 'application/json' } };
    const seen = { ...mark, body: JSON.stringify({ through: onlyContacts.body.answer.through }) };
    expect((await ask(api, `/v1/users/${USER}/seen`, seen)).status).toBe(204);
    expect(namesOf((await recent('?unseen=true')).body.sources)).toEqual([list[1], list[3]]);
    await pool.query('DELETE FROM recency_seen');
  });

  it('is 304 for a client that has it, and 200 once something has changed', async () => {
    const { headers } = await recent();
    const has = { 'If-None-Match': headers.get('etag') ?? '' };
    expect((await recent('', has)).status).toBe(304);
    const version = await leaveGroup(pool, USER, groups[0] as string);
    const { status, body } = await recent('', { ...has, 'Recency-Fresh': `group=${groups[0]}@${version}` });
    expect(status).toBe(200);
    expect(namesOf(body.sources)).toEqual(list.slice(0, 3));
    const joined = await joinGroup(pool, USER, groups[0] as string, LONG_AGO);
    expect((await recent('', { ...has, 'Recency-Fresh': `group=${groups[0]}@${joined}` })).status).toBe(304);
  });

  it('takes since and consistency', async () => {
    expect(namesOf((await recent('?since=200')).body.sources)).toEqual(list.slice(0, 3));
    const strong = (await recent('?consistency=strong')).body;
    expect(namesOf(strong.sources)).toEqual(list);
    expect(strong.answer).toMatchObject({ source: 'database', reason: 'strong', exact: true, lag_ms: 0 });
  });

  it.each([
    ['after', `after=${encodeCursor({ at: 300, id: '3' })}`],
    ['relation', 'relation=friends'],
    ['limit', 'limit=101'],
    ['contacts', 'contacts=1'],
  ])('refuses a wrong %s', async (field, query) => {
    expect(await recent(`?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_parameter', field } });
  });
});

describe('GET /v1/users/{user}/recent/photos', () => {
  it('answers with the photos of the first of both kinds', async () => {
    const { status, body } = await recent('/photos?sources=3&photos=5');
    expect(status).toBe(200);
    expect(namesOf(body.sources)).toEqual(list.slice(0, 3));
    for (const source of body.sources) {
      expect(source.photos).toMatchObject([{ uploaded_at: source.last_upload_at }]);
    }
    expect(body.answer).toMatchObject({ source: 'index', exact: true });
    expect((await recent('/photos?sources=21')).body).toMatchObject({ code: 'invalid_parameter', field: 'sources' });
  });
});

it('is about contacts alone where only these are in use', async () => {
  const contactsOnly = await startTestApi(stores, LIMITS);
  const { body } = await ask(contactsOnly, `/v1/users/${USER}/recent`);
  expect(namesOf(body.sources)).toEqual(['contacts 3', 'contacts 2']);
  expect(decodeThrough(body.answer.through)?.map(({ kind }) => kind)).toEqual(['contacts']);
});
