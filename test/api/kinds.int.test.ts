import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { createGroup, joinGroup, leaveGroup } from '../../src/tools/reference-site/groups.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addToPool } from '../../src/tools/reference-site/pools.ts';
import { addContact } from '../../src/tools/reference-site/relationships.ts';
import { createUsers } from '../../src/tools/reference-site/users.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { withGroups } from '../support/groups-api.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, type KindTestStores, kindStoresOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 8, min: 4 };
const [USER, OTHER] = ['1', '2'];
const LONG_AGO = 1;

let stores: Stores;
let ofGroups: KindTestStores;
let pool: Pool;
let api: TestApi;
/** Those of the user, the most recently active one last; each has one photo. */
const groups: string[] = [];

beforeAll(async () => {
  stores = await freshStores({ kinds: [CONTACTS, GROUPS], ...LIMITS });
  ofGroups = kindStoresOn(stores, GROUPS, LIMITS);
  pool = freshSitePool(stores.url);
  await createUsers(pool, [USER, OTHER, '3', '4']);
  for (const at of [100, 200, 300]) {
    const group = await createGroup(pool);
    await addToPool(pool, group, await uploadPhoto(pool, '4', 0, at), at);
    await joinGroup(pool, USER, group, LONG_AGO);
    groups.push(group);
  }
  await joinGroup(pool, OTHER, groups[0] as string, LONG_AGO);
  await uploadPhoto(pool, '3', 0, 250);
  await addContact(pool, USER, '3');
  await pool.query('UPDATE contacts SET since = ?', [LONG_AGO]);
  for (const { steps } of [stores, ofGroups]) await run(rebuild([USER, OTHER], true), steps);
  api = await startTestApi(stores, { ...LIMITS, ...withGroups(stores, ofGroups, LIMITS) });
});

const mark = (path: string, body: unknown) =>
  ask(api, path, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

const recent = (kind: string, more = '') => ask(api, `/v1/users/${USER}/${kind}/recent?limit=10${more}`);
const unseen = async (kind = '') => (await ask(api, `/v1/users/${USER}${kind}/unseen`)).body;
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe('POST /v1/recent about groups', () => {
  it('answers each user from the index of groups, as a single request does', async () => {
    const { status, body } = await post(api, '/v1/recent', { users: [USER, OTHER], kind: 'groups' });
    expect(status).toBe(200);
    expect(body.answers.map((one: { groups: { id: string }[] }) => idsOf(one.groups))).toEqual([
      groups.toReversed(),
      [groups[0]],
    ]);
    expect(body.answers[0].answer).toMatchObject({ source: 'index', exact: true });
    const single = (await recent('groups')).body;
    expect(body.answers[0].groups).toEqual(single.groups);
    expect(body.answers[0].answer.through).toBe(single.answer.through);
  });

  it('refuses a relation, and a kind that is not in use', async () => {
    const asked = { users: [USER], kind: 'groups', relation: 'friends' };
    expect((await post(api, '/v1/recent', asked)).body).toMatchObject({
      code: 'invalid_body',
      errors: [{ field: 'relation' }],
    });
    const contactsOnly = await startTestApi(stores, LIMITS);
    const { status, body } = await post(contactsOnly, '/v1/recent', { users: [USER], kind: 'groups' });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'invalid_body', errors: [{ field: 'kind' }] },
    });
    expect((await ask(contactsOnly, `/v1/users/${USER}/groups/unseen`)).status).toBe(404);
  });
});

describe("a user's own change of a membership", () => {
  it('is shown to a read that names it, and applied by apply=now, though no task was processed', async () => {
    const [, , newest = ''] = groups;
    const version = await leaveGroup(pool, USER, newest);
    const headers = { 'Recency-Fresh': `group=${newest}@${version}` };
    const { body } = await ask(api, `/v1/users/${USER}/groups/recent`, { headers });
    expect(idsOf(body.groups)).toEqual([groups[1], groups[0]]);
    expect(body.answer).toMatchObject({ source: 'index', exact: true });
    const joined = await joinGroup(pool, USER, newest, LONG_AGO);
    const task = { type: 'recency.group.joined', user: USER, group: newest, version: joined };
    expect(await post(api, '/v1/tasks?apply=now', task)).toMatchObject({ status: 200, body: { applied: 1 } });
    const reading = await ofGroups.index.read(USER, 0, false);
    expect(reading.state === 'warm' && idsOf(reading.head)).toEqual(groups.toReversed());
    const many = await post(api, '/v1/recent', { users: [USER], kind: 'groups' }, headers);
    expect(idsOf(many.body.answers[0].groups)).toEqual(groups.toReversed());
  });
});

describe('unseen', () => {
  it('counts each kind and all of them; a mark of one kind leaves the other', async () => {
    expect([await unseen(), await unseen('/contacts'), await unseen('/groups')]).toMatchObject([
      { user: USER, count: 4, at_least: false, answer: { source: 'index', exact: true } },
      { count: 1 },
      { count: 3 },
    ]);
    const { through } = (await recent('groups')).body.answer;
    expect((await mark(`/v1/users/${USER}/groups/seen`, { through })).status).toBe(204);
    expect([await unseen(), await unseen('/contacts'), await unseen('/groups')]).toMatchObject([
      { count: 1 },
      { count: 1 },
      { count: 0 },
    ]);
    await addToPool(pool, groups[0] as string, await uploadPhoto(pool, '4', 0, 400), 400);
    const [first, ...others] = (await recent('groups', '&consistency=strong')).body.groups;
    expect(first).toEqual({ id: groups[0], last_upload_at: expect.any(String), unseen: true });
    expect(others.map((row: { unseen: boolean }) => row.unseen)).toEqual([false, false]);
    const strong = `/v1/users/${USER}/unseen?consistency=strong`;
    const { body } = await ask(api, strong);
    expect(body).toMatchObject({ count: 2, answer: { source: 'database', reason: 'strong', exact: true } });
    expect((await mark(`/v1/users/${USER}/seen`, { through: body.answer.through })).status).toBe(204);
    expect((await ask(api, strong)).body).toMatchObject({ count: 0, at_least: false });
  });
});

describe('the photos of one source', () => {
  const page = (kind: string, id: string, more = '') =>
    ask(api, `/v1/users/${USER}/${kind}/${id}/photos?limit=2${more}`);

  it.each(['contacts', 'groups'])(
    'that are new, of %s, are shown oldest first and once, however often a client dies before it marks',
    async (kind) => {
      const id = kind === 'groups' ? (groups[1] as string) : '3';
      const ids: string[] = [];
      for (const at of [1_001, 1_002, 1_002, 1_003]) {
        const photo = await uploadPhoto(pool, kind === 'groups' ? '4' : '3', 0, at);
        if (kind === 'groups') await addToPool(pool, id, photo, at);
        ids.push(photo);
      }
      await mark(`/v1/users/${USER}/${kind}/${id}/seen`, { at: '1970-01-01T00:00:01Z' });
      const shown: string[] = [];
      for (let isOver = false; !isOver; ) {
        const { status, body } = await page(kind, id, '&unseen=true');
        expect(status).toBe(200);
        expect((await page(kind, id, '&unseen=true')).body.photos).toEqual(body.photos);
        shown.push(...idsOf(body.photos));
        const { through } = body.answer;
        expect((await mark(`/v1/users/${USER}/${kind}/${id}/seen`, { through })).status).toBe(204);
        isOver = body.next === null;
      }
      expect(shown).toEqual(ids);
      expect((await page(kind, id, '&unseen=true')).body).toMatchObject({ photos: [], next: null });
      const all = (await page(kind, id)).body;
      expect(all).toMatchObject({ user: USER, id, answer: { source: 'database', exact: true, reason: 'one_source' } });
      expect(idsOf(all.photos)).toEqual(ids.slice(2).toReversed());
      expect(idsOf((await page(kind, id, `&after=${all.next}`)).body.photos)).toEqual(ids.slice(0, 2).toReversed());
      const row = (await recent(kind, '&consistency=strong')).body[kind].find((one: { id: string }) => one.id === id);
      expect(row.unseen).toBe(false);
    },
  );

  it('are none of a source that the user does not follow; a wrong parameter is refused', async () => {
    expect(await page('contacts', '4')).toMatchObject({ status: 200, body: { photos: [], answer: { exact: true } } });
    expect(await page('contacts', '3', '&after=x')).toMatchObject({ status: 400, body: { field: 'after' } });
    expect(await page('contacts', 'x')).toMatchObject({ status: 400, body: { field: 'id' } });
    const one = (await page('contacts', '3')).body.answer.through;
    expect(await mark(`/v1/users/${USER}/contacts/4/seen`, { through: one })).toMatchObject({
      status: 400,
      body: { field: 'through' },
    });
  });
});
