import type { Pool } from 'mysql2/promise';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isoTime } from '../../src/contracts/http.ts';
import { bumpEpoch, suspendForLoss } from '../../src/index/epoch.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { changeRelationship } from '../../src/tools/reference-site/relationships.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { rewriteMeta } from '../support/index-meta.ts';
import { freshSitePool, rankedContacts, type SmallSite, visiblePhotos, writeSite } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const NOTHING = { rebuilt: [], small: [], forgotten: [], unsettled: [], obstructed: [], slow: [], suspended: [] };
const MAX = 4;
const MIN = 2;
const USER = '9007199254740993';
const NEWEST = 1_083_412_800_123;

let stores: Stores;
let pool: Pool;
let api: TestApi;
let site: SmallSite;

/** A user of 10 contacts, each with three photos: for friends, for everybody, and for nobody. */
function siteOfTen(): SmallSite {
  const ids = Array.from({ length: 10 }, (_, i) => String(18_446_744_073_709_551_615n - BigInt(i)));
  const grants = [...ids.entries()].map(([i, id]) => ({
    user: id,
    contact: USER,
    friend: i % 2 === 0,
    family: false,
    active: true,
  }));
  const ties = ids.map((contact, i) => ({
    user: USER,
    contact,
    friend: i % 3 === 0,
    family: i % 3 !== 1,
    active: true,
  }));
  const photos = ids.flatMap((owner, i) =>
    [1, 0, 4].map((audience, k) => ({ id: String(10 * i + k + 1), owner, audience, at: NEWEST - 1_000 * i - k })),
  );
  return { users: [USER, ...ids], ties: [...ties, ...grants], photos };
}

beforeAll(async () => {
  stores = await freshStores({ max: MAX, min: MIN });
  pool = freshSitePool(stores.url);
  api = await startTestApi(stores, { min: MIN });
});

beforeEach(async () => {
  site = siteOfTen();
  await writeSite(pool, site);
  await stores.index.drop([USER]);
  await stores.redis.del(new KeyNames(stores.prefix).set(USER), new KeyNames(stores.prefix).meta(USER));
});

const recent = `/v1/users/${USER}/contacts/recent`;
const rebuild = () => post(api, `/v1/users/${USER}/index/rebuild`, '');

const expected = (relation: Parameters<typeof rankedContacts>[2] = 'any') =>
  rankedContacts(site, USER, relation).map(({ id, at, isFriend, isFamily }) => ({
    id,
    last_upload_at: isoTime(at),
    relation: [...(isFriend ? ['friend'] : []), ...(isFamily ? ['family'] : [])],
    unseen: true,
  }));

function expectRetry({ status, body, headers }: Awaited<ReturnType<typeof ask>>, code: string): void {
  expect({ status, code: body.code, retry: headers.get('retry-after') }).toEqual({ status: 503, code, retry: '1' });
}

describe('GET …/contacts/recent', () => {
  it('answers a cold user from the database, and builds the index', async () => {
    const { status, body } = await ask(api, recent);
    const times = { as_of: expect.stringMatching(/^\d{4}-.*Z$/), lag_ms: 0 };
    const answer = {
      source: 'database',
      exact: true,
      complete: true,
      floor: null,
      reason: 'cold',
      ...times,
      through: expect.any(String),
    };
    expect({ status, body }).toEqual({
      status: 200,
      body: { user: USER, contacts: expected(), next: null, answer },
    });
    const warm = await until(async () => {
      const { body } = await ask(api, `${recent}?limit=2`);
      return body.answer.source === 'index' && body;
    });
    const below = expected()[MAX];
    expect(warm.answer).toEqual({
      source: 'index',
      exact: true,
      complete: false,
      floor: { at: below?.last_upload_at, id: below?.id },
      ...{ as_of: expect.any(String), lag_ms: 0, through: expect.any(String) },
    });
  });

  it('returns every contact exactly once across the pages', async () => {
    await rebuild();
    for (const relation of ['any', 'friends', 'family', 'friends_or_family'] as const) {
      const contacts = [];
      let next: string | null = '';
      while (next !== null) {
        const { body } = await ask(api, `${recent}?limit=3&relation=${relation}${next && `&after=${next}`}`);
        contacts.push(...body.contacts);
        next = body.next;
      }
      expect(contacts).toEqual(expected(relation));
    }
  });

  it('reports how long Redis and MySQL took', async () => {
    await rebuild();
    const { headers } = await ask(api, recent);
    const [, index, db] = /^index;dur=([\d.]+), db;dur=([\d.]+)$/.exec(headers.get('server-timing') ?? '') ?? [];
    expect(Number(index)).toBeGreaterThan(0);
    expect(Number(db)).toBeGreaterThan(0);
  });

  it('shows times beyond the calendar, and pages past them', async () => {
    const [first] = expected();
    await stores.primary.write('UPDATE users SET last_public_at = 9223372036854775807 WHERE id = ?', [first?.id ?? '']);
    const { body } = await ask(api, `${recent}?limit=1`);
    expect(body.contacts).toMatchObject([{ id: first?.id, last_upload_at: '9999-12-31T23:59:59.999Z' }]);
    const page = await ask(api, `${recent}?limit=1&after=${body.next}`);
    expect(page.body.contacts).toEqual([expected()[1]]);
  });

  it('has no contacts for an unknown user', async () => {
    expect((await ask(api, '/v1/users/5/contacts/recent')).body).toMatchObject({ contacts: [], next: null });
  });

  it('shows a newer time for a contact as soon as the user may see more', async () => {
    await rebuild();
    const [, second] = expected();
    const before = (await ask(api, recent)).body.contacts[1];
    expect(before).toEqual(second);
    await changeRelationship(pool, String(second?.id), USER, { friend: true, family: false });
    const after = (await ask(api, recent)).body.contacts[1];
    expect(Date.parse(after.last_upload_at)).toBe(Date.parse(before.last_upload_at) + 1);
  });
});

describe('GET …/contacts/recent/photos', () => {
  it('groups the newest visible photos by contact', async () => {
    await rebuild();
    const { status, body, headers } = await ask(api, `${recent}/photos?contacts=3&photos=2`);
    const contacts = expected()
      .slice(0, 3)
      .map((contact) => ({
        ...contact,
        photos: visiblePhotos(site, USER, contact.id)
          .slice(0, 2)
          .map(({ id, at }) => ({ id, uploaded_at: isoTime(at), title: `photo ${id}` })),
      }));
    expect({ status, contacts: body.contacts, user: body.user }).toEqual({ status: 200, contacts, user: USER });
    expect(body.answer).toMatchObject({ source: 'index', exact: true });
    expect(headers.get('server-timing')).toMatch(/^index;dur=[\d.]+, db;dur=[\d.]+$/);
  });

  it('returns one contact and ten photos by default', async () => {
    const { body } = await ask(api, `${recent}/photos`);
    expect(body.contacts).toHaveLength(1);
    expect(body.contacts[0].photos).toHaveLength(2);
  });
});

describe('GET …/explain', () => {
  const explain = async (contact: string) => (await ask(api, `/v1/users/${USER}/contacts/${contact}/explain`)).body;
  const contact = (place: number) => String(expected()[place - 1]?.id);

  /** Ends it without a task. */
  const endRelationship = (id: string) =>
    stores.primary.write('UPDATE contacts SET active = 0 WHERE user_id = ? AND contact_id = ?', [USER, id]);

  it('explains a contact in the index', async () => {
    await rebuild();
    const [first] = expected();
    expect(await explain(contact(1))).toEqual({
      user: USER,
      contact: contact(1),
      verdict: { code: 'in_index', sentence: expect.stringContaining('in the index') },
      drift: null,
      breaks: null,
      in_index: true,
      in_answer: true,
      answer: {
        source: 'database',
        reason: 'below_floor',
        verdict: { code: 'shown', sentence: expect.stringContaining('where it belongs') },
      },
      mysql: {
        related: true,
        last_upload_at: first?.last_upload_at,
        relation: ['friend', 'family'],
        sees: [0, 1, 3],
        version: '1',
        place: 1,
      },
      index: {
        state: 'warm',
        epoch_current: true,
        last_upload_at: first?.last_upload_at,
        size: MAX,
        floor: { at: expected()[MAX]?.last_upload_at, id: contact(MAX + 1) },
        complete: false,
      },
    });
  });

  it('explains a contact below the floor, a non-contact and a former contact', async () => {
    await rebuild();
    expect(await explain(contact(7))).toMatchObject({ verdict: { code: 'below_floor' }, mysql: { place: 7 } });
    expect(await explain('5')).toMatchObject({ verdict: { code: 'not_a_contact' }, mysql: null, in_answer: false });
    await endRelationship(contact(9));
    expect(await explain(contact(9))).toMatchObject({ verdict: { code: 'no_longer_related' }, mysql: { place: null } });
  });

  it('finds drift that the tasks have not fixed yet', async () => {
    await rebuild();
    await endRelationship(contact(2));
    const gone = site.ties.filter((tie) => tie.contact === contact(2));
    expect(await explain(String(gone[0]?.contact))).toMatchObject({
      drift: 'ghost',
      breaks: expect.stringMatching(/^I1: /),
      in_index: true,
      in_answer: false,
      answer: { verdict: { code: 'no_longer_related' } },
    });
    await stores.primary.write('UPDATE users SET last_public_at = ? WHERE id = ?', [NEWEST + 9_000, contact(1)]);
    expect(await explain(contact(1))).toMatchObject({ drift: 'score' });
    await stores.primary.write('UPDATE users SET last_public_at = ? WHERE id = ?', [NEWEST + 8_000, contact(8)]);
    expect(await explain(contact(8))).toMatchObject({ drift: 'missing', in_index: false });
  });

  it('finds an index that is wrong as a whole', async () => {
    await rebuild();
    const names = new KeyNames(stores.prefix);
    await stores.redis.zpopmin(names.set(USER), MAX - 1);
    await rewriteMeta(stores.redis, names.meta(USER), { size: '001' });
    const drift = { drift: 'floor', breaks: expect.stringMatching(/^I2: /) };
    expect(await explain(contact(1))).toMatchObject({ verdict: { code: 'in_index' }, ...drift });
  });

  it('says that the user is cold, or that the index is from another epoch', async () => {
    expect(await explain(contact(1))).toMatchObject({ verdict: { code: 'cold' }, index: { state: 'cold', size: 0 } });
    await rebuild();
    await stores.primary.write("UPDATE recency_epoch SET token = CONCAT('x', token)", []);
    expect(await explain(contact(1))).toMatchObject({
      verdict: { code: 'other_epoch' },
      index: { epoch_current: false },
    });
  });
});

describe('the index of a user', () => {
  const index = `/v1/users/${USER}/index`;

  it('is shown as it is, with the day of its last use; looking does not change that', async () => {
    const built = await rebuild();
    expect(built.status).toBe(200);
    await rewriteMeta(stores.redis, new KeyNames(stores.prefix).meta(USER), { day: '5000' });
    await ask(api, index);
    const { body } = await ask(api, index);
    expect(body).toEqual({
      user: USER,
      state: 'warm',
      epoch_current: true,
      size: MAX,
      complete: false,
      floor: { at: expected()[MAX]?.last_upload_at, id: expected()[MAX]?.id },
      members: expected()
        .slice(0, MAX)
        .map(({ id, last_upload_at }) => ({ id, last_upload_at })),
      last_used_on: '2026-01-27',
      changes_left: null,
    });
    expect(built.body).toEqual({ ...body, last_used_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
  });

  it('is shown when it is missing, torn, or from another epoch', async () => {
    expect((await ask(api, index)).body).toMatchObject({ state: 'cold', epoch_current: null, last_used_on: null });
    await rebuild();
    await stores.primary.write("UPDATE recency_epoch SET token = CONCAT('x', token)", []);
    expect((await ask(api, index)).body).toMatchObject({ state: 'warm', epoch_current: false });
    await stores.redis.del(new KeyNames(stores.prefix).set(USER));
    expect((await ask(api, index)).body).toMatchObject({ state: 'torn', epoch_current: null, members: [] });
  });

  it('is forgotten', async () => {
    await rebuild();
    const forgotten = await ask(api, index, { method: 'DELETE' });
    expect({ status: forgotten.status, body: forgotten.body }).toEqual({ status: 204, body: '' });
    expect((await ask(api, index)).body.state).toBe('cold');
    expect((await ask(api, index, { method: 'DELETE' })).status).toBe(204);
  });

  it('is not built when a foreign key has its name', async () => {
    await stores.redis.lpush(new KeyNames(stores.prefix).meta(USER), 'mine');
    const { status, body } = await rebuild();
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'key_in_the_way' });
    expect((await ask(api, index)).body.state).toBe('wrong_type');
    expect((await ask(api, recent)).body.contacts).toEqual(expected());
  });

  it('is not built while the epoch is suspended', async () => {
    await suspendForLoss(stores.primary, ['a place'], 'the test lost tasks');
    try {
      const answer = await rebuild();
      expectRetry(answer, 'epoch_suspended');
      expect((await ask(api, recent)).body).toMatchObject({
        contacts: expected(),
        answer: { source: 'database', exact: true, reason: 'cold' },
      });
    } finally {
      await bumpEpoch(stores.primary, 'the test is over');
    }
    expect((await rebuild()).status).toBe(200);
  });

  it('that keeps changing is to be built later', async () => {
    const contended = await startTestApi(stores, {
      rebuild: async (user) => ({ ...NOTHING, unsettled: [user] }),
    });
    const answer = await post(contended, `${index}/rebuild`, '');
    expectRetry(answer, 'contended');
  });
});

describe('POST /v1/tasks', () => {
  const added = { type: 'recency.contact.added', user: '42', contact: String(2n ** 64n - 1n) };
  const uploaded = { type: 'recency.photo.uploaded', owner: '7', photo: '1', at: 5 };

  it('passes one task on, with a fresh id', async () => {
    api.accepted.length = 0;
    const { status, body } = await post(api, '/v1/tasks', added);
    expect({ status, body }).toEqual({ status: 202, body: { accepted: 1, ids: [expect.any(String)] } });
    expect(api.accepted).toEqual([{ task: added, id: body.ids[0] }]);
  });

  it('passes 500 on, in order', async () => {
    api.accepted.length = 0;
    const tasks = Array.from({ length: 500 }, (_, i) => (i % 2 === 0 ? added : uploaded));
    const { status, body } = await post(api, '/v1/tasks', tasks);
    expect({ status, accepted: body.accepted }).toEqual({ status: 202, accepted: 500 });
    expect(api.accepted.map(({ task }) => task)).toEqual(tasks);
    expect(new Set(body.ids).size).toBe(500);
  });

  it('accepts a version as text and as a number, and passes it on as text', async () => {
    api.accepted.length = 0;
    await post(api, '/v1/tasks', [
      { ...added, version: 3 },
      { ...added, version: '9007199254740993' },
    ]);
    expect(api.accepted.map(({ task }) => task)).toMatchObject([{ version: '3' }, { version: '9007199254740993' }]);
  });

  it('accepts a change of a user, which has no version', async () => {
    api.accepted.length = 0;
    const changed = { type: 'recency.user.changed', user: '42' };
    expect((await post(api, '/v1/tasks', changed)).status).toBe(202);
    expect(api.accepted.map(({ task }) => task)).toEqual([changed]);
    const { status, body } = await post(api, '/v1/tasks', { ...changed, version: '1' });
    expect({ status, accepted: api.accepted.length }).toEqual({ status: 400, accepted: 1 });
    expect(JSON.stringify(body)).toContain('version');
  });

  it('says when the transport does not accept them', async () => {
    const away = await startTestApi(stores, {
      accept: () => Promise.reject(new Error('the broker at 10.0.0.7 is away')),
    });
    const answer = await post(away, '/v1/tasks', added);
    expectRetry(answer, 'transport_unavailable');
    expect(JSON.stringify(answer.body)).not.toContain('10.0.0.7');
    expect(away.log).toMatchObject([{ requestId: answer.body.request_id, code: 'transport_unavailable' }]);
  });
});
