import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RecentAnswer } from '../../src/query/recent-answer.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { cases } from '../support/cases.ts';
import { IDS, site } from '../support/site-arbitrary.ts';
import { freshSitePool, type SmallSite, writeSite } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';

const PROPERTY_MS = 60_000;
const USER = '1';
const CONTACTS = ['2', '3', '4', '5', '6', '7', '8'];
const LIST = `/v1/users/${USER}/contacts/recent?limit=3`;
const PHOTOS = `/v1/users/${USER}/contacts/recent/photos?contacts=3`;

const SITE: SmallSite = {
  users: [USER, ...CONTACTS],
  ties: CONTACTS.map((contact) => ({ user: USER, contact, friend: false, family: false, active: true })),
  photos: CONTACTS.map((owner, i) => ({ id: owner, owner, audience: 0, at: 1_083_412_800_000 + i })),
};

let stores: Stores;
let pool: Pool;
let api: TestApi;

beforeAll(async () => {
  stores = await freshStores();
  pool = freshSitePool(stores.url);
  api = await startTestApi(stores, { max: 4 });
});

async function tagOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await ask(api, path, { headers });
  expect(answer.status).toBe(200);
  return String(answer.headers.get('etag'));
}

const build = (user = USER) => post(api, `/v1/users/${user}/index/rebuild`, '');

describe.each([LIST, PHOTOS])('the entity tag of %s', (path) => {
  it('is weak, and the same wherever the same rows come from', async () => {
    await writeSite(pool, SITE);
    await stores.index.drop([USER]);
    const cold = await ask(api, path);
    await build();
    const warm = await ask(api, path);
    expect([cold.body.answer.source, warm.body.answer.source]).toEqual(['database', 'index']);
    expect(cold.headers.get('etag')).toMatch(/^W\/"[\w-]{22}"$/);
    expect(warm.headers.get('etag')).toBe(cold.headers.get('etag'));
    expect(warm.headers.get('cache-control')).toBe('private, no-cache');
    expect(warm.headers.get('vary')).toBe('Authorization, Recency-Fresh');
  });

  it('is another once the rows are others, and the old one again with the old rows', async () => {
    await writeSite(pool, SITE);
    const before = await tagOf(path);
    const photos = SITE.photos.map((photo) => (photo.id === '2' ? { ...photo, at: 1_083_412_900_000 } : photo));
    await writeSite(pool, { ...SITE, photos });
    await build();
    expect(await tagOf(path)).not.toBe(before);
    await writeSite(pool, SITE);
    await build();
    expect(await tagOf(path)).toBe(before);
  });

  it('is another once a row alone says something else', async () => {
    await writeSite(pool, SITE);
    const before = await tagOf(path);
    await writeSite(pool, { ...SITE, ties: SITE.ties.map((tie) => ({ ...tie, friend: tie.contact === '8' })) });
    expect(await tagOf(path)).not.toBe(before);
  });

  it('spares the client an answer that it has', async () => {
    await writeSite(pool, SITE);
    const tag = await tagOf(path);
    for (const condition of [tag, tag.slice(2), `"other", ${tag}`, `W/"x",${tag} , "y"`, '*']) {
      // `fetch` sends Cache-Control: no-cache along, which must not prevent it.
      const { status, body, headers } = await ask(api, path, { headers: { 'if-none-match': condition } });
      expect({ status, body, tag: headers.get('etag') }, condition).toEqual({ status: 304, body: '', tag });
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('vary')).toBe('Authorization, Recency-Fresh');
      expect([headers.has('content-length'), headers.has('content-type')]).toEqual([false, false]);
    }
    for (const condition of ['"other"', `${tag}x`, tag.replaceAll('"', ''), '']) {
      expect((await ask(api, path, { headers: { 'if-none-match': condition } })).status, condition).toBe(200);
    }
  });

  it('is the same for HEAD', async () => {
    await writeSite(pool, SITE);
    const tag = await tagOf(path);
    const whole = await ask(api, path, { method: 'HEAD' });
    expect({ status: whole.status, tag: whole.headers.get('etag') }).toEqual({ status: 200, tag });
    expect((await ask(api, path, { method: 'HEAD', headers: { 'if-none-match': tag } })).status).toBe(304);
  });
});

it('a problem has no tag, and is not kept', async () => {
  const { status, headers } = await ask(api, `${LIST}0000`, { headers: { 'if-none-match': '*' } });
  expect({ status, tag: headers.get('etag'), kept: headers.get('cache-control') }).toEqual({
    ...{ status: 400, tag: null, kept: 'no-store' },
  });
});

it('an answer that is not exact has another tag than the same rows that are', async () => {
  await writeSite(pool, SITE);
  const exact = await tagOf(LIST);
  const [contacts] = api.dependencies.answers;
  const inexact = await startTestApi(stores, {
    recentContacts: {
      find: async (query) => ({
        ...((await contacts?.recentContacts.find(query)) as RecentAnswer),
        exact: false,
        replica: true,
      }),
    },
  });
  expect((await ask(inexact, LIST)).headers.get('etag')).not.toBe(exact);
});

it(
  'two answers about a user have one tag exactly when their rows are the same',
  async () => {
    await fc.assert(
      fc.asyncProperty(site, site, fc.integer({ min: 1, max: 5 }), async (before, now, limit) => {
        const seen = [];
        for (const all of [before, now]) {
          await writeSite(pool, all);
          const user = IDS[0];
          await build(user);
          const { body, headers } = await ask(api, `/v1/users/${user}/contacts/recent?limit=${limit}`);
          seen.push({ rows: JSON.stringify([body.contacts, body.next]), tag: headers.get('etag') });
        }
        const [one, other] = seen;
        expect(one?.tag === other?.tag).toBe(one?.rows === other?.rows);
      }),
      { numRuns: cases(40) },
    );
  },
  PROPERTY_MS,
);
