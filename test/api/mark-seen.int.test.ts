import type { Pool } from 'mysql2/promise';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Access } from '../../src/api/authorize.ts';
import { encodeThrough, GREATEST_IN_KEY } from '../../src/contracts/seen.ts';
import { ask, startTestApi, type TestApi } from '../support/api.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const USER = '1';
const IDS = ['7', '8', '9', '10'];

let stores: Stores;
let pool: Pool;
let api: TestApi;

beforeAll(async () => {
  stores = await freshStores();
  pool = freshSitePool(stores.url);
  api = await startTestApi(stores);
  await writeSite(pool, everybodyKnows([USER], IDS)); // 7 at 1,000, … 10 at 1,003
});

beforeEach(async () => {
  await pool.query('DELETE FROM recency_seen');
});

function put(path: string, body: unknown, headers: Record<string, string> = {}, to = api) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = { 'content-type': 'application/json', ...headers };
  return ask(to, `/v1/users/${USER}/${path}`, { method: 'PUT', headers: type, body: text });
}

async function recent() {
  const { body } = await ask(api, `/v1/users/${USER}/contacts/recent`);
  return body as { contacts: { id: string; unseen: boolean }[]; answer: { through: string } };
}

async function unseen(): Promise<string[]> {
  return (await recent()).contacts.filter((row) => row.unseen).map(({ id }) => id);
}

describe('marking as seen', () => {
  it('begins with everything unseen, and takes what an answer shows', async () => {
    expect(await unseen()).toEqual(['10', '9', '8', '7']);
    const { answer } = await recent();
    for (let i = 0; i < 2; i++) {
      expect(await put('contacts/seen', answer)).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
      expect(await put('contacts/seen', { through: answer.through })).toMatchObject({ status: 204, body: '' });
      expect(await unseen()).toEqual([]);
    }
  });

  it('is answered by the deadline of the request, and done all the same', async () => {
    const hasty = await startTestApi(stores, { deadlineMs: 300 });
    const locked = await pool.getConnection();
    await locked.query('LOCK TABLES recency_seen WRITE');
    const late = await put('contacts/seen', { at: '2004-05-01T12:00:00Z' }, {}, hasty);
    await locked.query('UNLOCK TABLES');
    locked.release();
    expect(late).toMatchObject({ status: 503, body: { code: 'deadline_exceeded' } });
    await until(async () => (await unseen()).length === 0);
  });

  it('marks one contact alone, and only what a list shows of it', async () => {
    const through = encodeThrough([{ kind: 'contacts', source: undefined, key: { at: 1_001, id: '8' } }]);
    expect(await put('contacts/8/seen', { through })).toMatchObject({ status: 204 });
    expect(await put('contacts/10/seen', { through })).toMatchObject({ status: 204 });
    expect(await unseen()).toEqual(['10', '9', '7']);
  });

  it('takes a time, and the present for the future', async () => {
    expect(await put('contacts/seen', { at: new Date(1_001).toISOString() })).toMatchObject({ status: 204 });
    expect(await unseen()).toEqual(['10', '9']);
    expect(await put('seen', { at: '9999-01-01T00:00:00+01:00' })).toMatchObject({ status: 204 });
    expect(await unseen()).toEqual([]);
    const [[row]] = (await pool.query('SELECT seen_at FROM recency_seen')) as unknown as [{ seen_at: number }[]];
    expect(Math.abs(Number(row?.seen_at) - Date.now())).toBeLessThan(60_000);
    expect(await put('seen', { at: '1969-01-01T00:00:00Z' })).toMatchObject({ status: 204 });
  });

  it('never passes the present, also where a photo is dated in the future', async () => {
    const year = Date.now() + 365 * 86_400_000;
    const list = (key: { at: number; id: string }, source?: string) =>
      encodeThrough([{ kind: 'contacts', source, key }]);
    expect(await put('contacts/seen', { through: list({ at: year, id: '8' }) })).toMatchObject({ status: 204 });
    expect(await put('contacts/9/seen', { through: list({ at: year, id: '77' }, '9') })).toMatchObject({ status: 204 });
    const latest = async () => {
      const [rows] = await pool.query('SELECT MAX(seen_at) AS latest FROM recency_seen');
      return Number((rows as { latest: number }[])[0]?.latest);
    };
    expect(await latest()).toBeLessThanOrEqual(Date.now());
  });

  it('heals a mark in the future, which an older version or a wrong clock has left', async () => {
    await put('contacts/seen', {
      through: encodeThrough([{ kind: 'contacts', source: undefined, key: { at: 1_001, id: '8' } }]),
    });
    const mark = async () => {
      const [rows] = await pool.query('SELECT seen_at, seen_id FROM recency_seen');
      const [row] = rows as { seen_at: number; seen_id: number }[];
      return { at: Number(row?.seen_at), id: String(row?.seen_id) };
    };
    const ahead = () => pool.query('UPDATE recency_seen SET seen_at = ?', [Date.now() + 365 * 86_400_000]);
    await ahead();
    await put('contacts/seen', { at: new Date(1_002).toISOString() });
    const { at, id } = await mark();
    expect([at <= Date.now(), id]).toEqual([true, '8']);
    await ahead();
    await put('contacts/seen', { at: '9999-01-01T00:00:00Z' });
    expect(await mark()).toMatchObject({ id: GREATEST_IN_KEY });
  });

  it('never falls', async () => {
    for (const at of [1_002, 1_000, 1_001]) await put('contacts/seen', { at: new Date(at).toISOString() });
    expect(await unseen()).toEqual(['10']);
  });

  it('takes the token of an answer that shows nothing, and marks nothing', async () => {
    const { body } = await ask(api, '/v1/users/99/contacts/recent');
    expect(body).toMatchObject({ contacts: [] });
    expect(await put('seen', { through: body.answer.through })).toMatchObject({ status: 204 });
    expect(await unseen()).toHaveLength(4);
  });

  it('changes the entity tag of an answer', async () => {
    const path = `/v1/users/${USER}/contacts/recent`;
    const before = await ask(api, path);
    await put('seen', { through: before.body.answer.through });
    const headers = { 'if-none-match': String(before.headers.get('etag')) };
    expect(await ask(api, path, { headers })).toMatchObject({ status: 200 });
  });

  it.each([
    ['neither', {}, 'body'],
    [
      'both',
      { at: '2004-05-01T12:00:00Z', through: encodeThrough([{ kind: 'contacts', source: undefined, key: undefined }]) },
      'body',
    ],
    ['a token of something else', { through: 'MTIzNDU6Nw' }, 'through'],
    ['a number', { through: 7 }, 'through'],
    ['a time without a zone', { at: '2004-05-01T12:00:00' }, 'at'],
    ['a day that does not exist', { at: '2004-02-31T12:00:00Z' }, 'at'],
    ['a field too many', { at: '2004-05-01T12:00:00Z', by: 'me' }, 'by'],
    ['an array', [], 'body'],
    [
      'a list of another kind',
      { through: encodeThrough([{ kind: 'groups', source: undefined, key: undefined }]) },
      'through',
    ],
    [
      'photos of another contact',
      { through: encodeThrough([{ kind: 'contacts', source: '8', key: { at: 5, id: '3' } }]) },
      'through',
    ],
  ])('refuses %s', async (_what, body, field) => {
    const reply = await put('contacts/7/seen', body);
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_body', field } });
    expect(await unseen()).toHaveLength(4);
  });

  it('refuses a request without a body, of another type, of another kind, and another method', async () => {
    const path = `/v1/users/${USER}/contacts/seen`;
    expect(await ask(api, path, { method: 'PUT' })).toMatchObject({ status: 415 });
    expect(await put('contacts/seen', '')).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    expect(await put('contacts/seen', '{}', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect(await put('contacts/seen', '{')).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
    expect(await put('stores/seen', {})).toMatchObject({ status: 404 });
    expect(await put('contacts/x/seen', {})).toMatchObject({ status: 400, body: { field: 'id' } });
    expect((await ask(api, path)).headers.get('allow')).toBe('PUT, OPTIONS');
  });

  it('is counted, and listed alone', async () => {
    const path = `/v1/users/${USER}/contacts`;
    expect((await ask(api, `${path}/unseen`)).body).toMatchObject({ user: USER, count: 4, at_least: false });
    await put('contacts/seen', { at: new Date(1_001).toISOString() });
    const { body } = await ask(api, `${path}/unseen`);
    expect(body).toMatchObject({ count: 2, at_least: false, answer: { exact: true } });
    const listed = await ask(api, `${path}/recent?unseen=true&limit=1`);
    expect(listed.body).toMatchObject({ contacts: [{ id: '10', unseen: true }], next: expect.any(String) });
    const next = await ask(api, `${path}/recent?unseen=true&limit=1&after=${listed.body.next}`);
    expect(next.body).toMatchObject({ contacts: [{ id: '9' }], next: null });
    await put('contacts/seen', { through: body.answer.through });
    expect((await ask(api, `${path}/unseen`)).body).toMatchObject({ count: 0, at_least: false });
    const refused = await ask(api, `${path}/recent?unseen=1`);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_parameter', field: 'unseen' } });
  });

  it('is counted to 100', async () => {
    const many = Array.from({ length: 101 }, (_, i) => String(1_000 + i));
    await writeSite(pool, everybodyKnows(['2'], many));
    expect((await ask(api, '/v1/users/2/contacts/unseen')).body).toMatchObject({ count: 100, at_least: true });
    await put('../2/contacts/1000/seen', { at: '2004-05-01T12:00:00Z' });
    expect((await ask(api, '/v1/users/2/contacts/unseen')).body).toMatchObject({ count: 100, at_least: false });
    await writeSite(pool, everybodyKnows([USER], IDS));
  });

  it('needs the scope write', async () => {
    const tokens = [{ token: 'reader-token', scopes: ['read'] as const }];
    const guarded = await startTestApi(stores, { access: new Access(tokens) });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer reader-token' };
    const reply = await ask(guarded, '/v1/users/1/seen', { method: 'PUT', headers, body: '{}' });
    expect(reply).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
  });
});
