import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import { readNeighbours, readPairs } from '../../src/mysql/statements/pairs.ts';
import { readPhotos } from '../../src/mysql/statements/photos.ts';
import { readSourcePhotos } from '../../src/mysql/statements/source-photos.ts';
import { explain } from '../../src/query/explain.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { PageCheck } from '../../src/repair/page-check.ts';
import { passedAtOnce } from '../support/barriers.ts';
import { Verify } from '../support/jobs-of-contacts.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 6, min: 3 };
const USER = '1';
const YEAR_MS = 365 * 24 * 3_600_000;
const FUTURE = Date.now() + YEAR_MS;
const GREATEST = Number.MAX_SAFE_INTEGER;

/** Contact, and last upload as a site's own view may return it. No contact is in the reference table of users. */
const ROWS: readonly [Id, string | null][] = [
  ['101', null],
  ['102', '0'],
  ['103', '-5'],
  ['104', String(FUTURE)],
  ['105', '9223372036854775807'],
  ['106', '1000'],
  ['107', '999'],
];

let stores: Stores;
beforeAll(async () => {
  stores = await freshStores(LIMITS);
  const pool = freshSitePool(stores.url);
  await pool.query('CREATE TABLE ties (user_id BIGINT UNSIGNED, contact_id BIGINT UNSIGNED, at BIGINT, KEY (user_id))');
  await pool.query(`CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_contacts AS
    SELECT user_id, contact_id, TRUE AS related, at AS last_upload_at, 1 AS sees, FALSE AS is_friend, FALSE AS is_family, 1 AS version FROM ties`);
  await pool.query('INSERT INTO ties VALUES ?', [ROWS.map((row) => [USER, ...row])]);
});

async function verify() {
  const { index, primary } = stores;
  const now = () => performance.now();
  const check = new PageCheck({
    index,
    primary,
    limits: LIMITS,
    raiseBarrier: passedAtOnce,
    graceMs: 0,
    settleMs: 1_000,
    now,
    clock: Date.now,
    random: Math.random,
  });
  const job = new Verify({ primary, check, now, random: Math.random }, { user: USER });
  await runToEnd(job);
  return job.result;
}

const head = async () => {
  const reading = await stores.index.read(USER, 0, false);
  return reading.state === 'warm' ? reading.head : reading;
};

it('rows: null, zero and negative times mean no upload, future ones count, orphans are as the view says; all are reported', async () => {
  const expected = [
    { id: '105', at: GREATEST },
    { id: '104', at: FUTURE },
    { id: '106', at: 1_000 },
    { id: '107', at: 999 },
  ];
  await run(rebuild([USER]), stores.steps);
  expect(await head()).toEqual(expected);
  await run(refresh(ROWS.map(([contact]) => ({ user: USER, contact }))), stores.steps);
  expect(await head()).toEqual(expected);
  expect(await verify()).toMatchObject({
    ...{ warm: 1, wrong: 0, answers_wrong: 0 },
    odd_rows: { null: 1, negative: 1, future: 2, duplicate: 0 },
  });
});

it('rows: a user as a contact of their own is in no index and no answer, and its deletion leaves nothing behind', async () => {
  const pool = freshSitePool(stores.url);
  const { primary, index } = stores;
  const others = ['105', '104', '106', '107'];
  await pool.query(`INSERT INTO ties VALUES (${USER}, ${USER}, 5000)`);
  await pool.query(
    `INSERT INTO photos (id, owner_id, audience, uploaded_at, title) VALUES (1, ${USER}, 0, 5000, 'own')`,
  );
  const recent = recentContactsOn(stores, LIMITS);
  const ids = async (unseen: boolean, consistency: 'index' | 'strong') => {
    const query = { user: USER, relation: 'any', limit: 100, below: undefined, unseen, consistency } as const;
    return (await recent.find(query)).contacts.map(({ id }) => id);
  };

  const pair = { user: USER, contact: USER };
  const inIndex = async () => (await stores.index.read(USER, 0, false)) as { readonly head?: readonly { id: Id }[] };
  const expected = { head: others.map((id) => expect.objectContaining({ id })) };
  await run(rebuild([USER]), stores.steps);
  expect(await inIndex()).toMatchObject(expected);
  await run(refresh([pair]), stores.steps);
  expect(await inIndex()).toMatchObject(expected);
  await run(rebuild([USER, '2']), stores.steps); // several users: another statement
  expect(await inIndex()).toMatchObject(expected);
  for (const unseen of [false, true]) {
    for (const consistency of ['index', 'strong'] as const) expect(await ids(unseen, consistency)).toEqual(others);
  }
  expect((await readPairs(primary, [pair])).rows).toMatchObject([{ related: false }]);
  expect((await readNeighbours(primary, [pair])).rows).toEqual([]);
  expect([...(await readPhotos(primary, USER, [{ id: USER, sees: '1' }], 5)).keys()]).toEqual([]);
  const page = { order: 'newest first', above: undefined, below: undefined, limit: 5 } as const;
  expect((await readSourcePhotos(primary, { user: USER, source: USER }, '1', page)).photos).toEqual([]);
  expect(await explain({ index, database: primary, recent, limits: LIMITS }, USER, USER)).toMatchObject({
    verdict: 'own_self',
    answer: { shown: false, verdict: 'own_self' },
  });
  expect(await verify()).toMatchObject({ wrong: 0, answers_wrong: 0, odd_rows: { self: 1 } });

  await pool.query(`DELETE FROM ties WHERE contact_id = ${USER}`);
  await pool.query(`DELETE FROM photos WHERE id = 1`);
  expect(await verify()).toMatchObject({ wrong: 0, answers_wrong: 0, odd_rows: { self: 0 } });
});

it('rows: an id below 1 is in no index and no answer, and the index beside it works', async () => {
  const pool = freshSitePool(stores.url);
  const ids = ['105', '104', '106', '107'];
  await pool.query(`INSERT INTO ties VALUES (${USER}, 0, 5000)`);
  onTestFinished(async () => void (await pool.query('DELETE FROM ties WHERE contact_id = 0')));
  for (const build of [() => rebuild([USER]), () => rebuild([USER, '2'])]) {
    await stores.index.drop([USER]);
    await run(build(), stores.steps);
    expect(await head()).toMatchObject(ids.map((id) => ({ id })));
  }
  const recent = recentContactsOn(stores, LIMITS);
  for (const consistency of ['index', 'strong'] as const) {
    const query = { user: USER, relation: 'any', limit: 100, below: undefined, consistency } as const;
    expect((await recent.find(query)).contacts.map(({ id }) => id)).toEqual(ids);
  }
  expect(await verify()).toMatchObject({ wrong: 0, answers_wrong: 0, odd_rows: { bad_id: 1, self: 0 } });
});

it('rows: a pair that a view returns several times is one contact, on every page and in the index, and is counted', async () => {
  const pool = freshSitePool(stores.url);
  const ids = ['105', '104', '106', '107'];
  await pool.query(`INSERT INTO ties VALUES ${[1, 2, 3].map(() => `(${USER}, 105, 9999999999999999)`).join()}`);
  await pool.query(`INSERT INTO ties VALUES (${USER}, 106, 2000)`);
  for (const build of [() => rebuild([USER]), () => rebuild([USER, '2'])]) {
    await stores.index.drop([USER]);
    await run(build(), stores.steps);
    expect(await head()).toMatchObject([{}, {}, { id: '106', at: 2_000 }, {}]);
    await run(refresh([{ user: USER, contact: '106' }]), stores.steps);
    expect(await head()).toMatchObject(ids.map((id) => ({ id })));
  }
  const recent = recentContactsOn(stores, LIMITS);
  for (const consistency of ['index', 'strong'] as const) {
    for (const limit of [1, 2, 3, 4, 100]) {
      const query = { user: USER, relation: 'any', limit, below: undefined, consistency } as const;
      const { contacts, more } = await recent.find(query);
      expect(contacts.map(({ id }) => id)).toEqual(ids.slice(0, limit));
      expect(more).toBe(limit < ids.length);
    }
  }
  const result = await verify();
  expect(result).toMatchObject({ wrong: 0, answers_wrong: 0, odd_rows: { duplicate: 4 } });
});
