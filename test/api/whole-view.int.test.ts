/** A view without a column of the last upload, with columns extra_… and bits, of a site whose users and contacts are numbered apart. */

import fc from 'fast-check';
import type { Pool, RowDataPacket } from 'mysql2/promise';
import { beforeAll, expect, it } from 'vitest';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { uploadsFrom } from '../../src/mysql/statements/last-upload.ts';
import { findColumnProblems } from '../../src/mysql/view-checks.ts';
import { AnswerCheck } from '../../src/repair/answer-check.ts';
import { TruthCheck } from '../../src/repair/truth-check.ts';
import { siteOf } from '../../src/site/site.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { cases } from '../support/cases.ts';
import { freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';

const LIMITS = { max: 6, min: 3 };
const USER = '7';
/** The user's own number among them. */
const CONTACT_IDS = Array.from({ length: 10 }, (_, i) => String(i + 2));
const PROPERTY_MS = 120_000;

const VIEW = `
  SELECT user_id, contact_id, active AS related, 1 | (is_friend << 1) AS sees, is_friend, is_family, version, since, bits,
         CONCAT('of ', contact_id) AS extra_name
  FROM contacts`;

const PHOTOS_VIEW = `
  SELECT id, owner_id, audience, uploaded_at, title, CONCAT(id, '.jpg') AS extra_thumbnail FROM photos`;

/** Of the tables, not of the views: what a user sees of each contact, newest first. */
const PLAIN = `
  SELECT CAST(c.contact_id AS CHAR) AS id, MAX(p.uploaded_at) AS at, MAX(c.is_friend) AS friend, MAX(c.bits & 1) AS bell
  FROM contacts AS c JOIN photos AS p ON p.owner_id = c.contact_id
  WHERE c.user_id = ? AND c.active AND p.uploaded_at > 0 AND (p.audience = 0 OR (p.audience = 1 AND c.is_friend))
  GROUP BY c.contact_id
  ORDER BY at DESC, CAST(c.contact_id AS BINARY) DESC`;

const SITE = siteOf({ kinds: ['contacts'], separateIds: 'true', relations: ['bell:0'] });

let stores: Stores;
let pool: Pool;
let api: TestApi;

beforeAll(async () => {
  stores = await freshStores({ site: SITE, passesOn: true, ...LIMITS });
  pool = freshSitePool(stores.url);
  await pool.query('ALTER TABLE contacts ADD bits INT UNSIGNED NULL');
  for (const [view, select] of [
    [CONTACTS.view, VIEW],
    [CONTACTS.photosView, PHOTOS_VIEW],
  ]) {
    await pool.query(`CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW ${view} AS ${select}`);
  }
  await stores.primary.statements.probe(stores.primary);
  api = await startTestApi(stores, LIMITS);
});

interface Drawn {
  readonly friend: boolean;
  readonly active: boolean;
  readonly bits: number | null;
  /** Audience and time of each photo. */
  readonly photos: readonly (readonly [number, number])[];
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  friend: fc.boolean(),
  active: fc.constantFrom(true, true, true, false),
  bits: fc.constantFrom(null, 0, 1, 2, 3),
  photos: fc.array(fc.tuple(fc.constantFrom(0, 0, 1, 4), fc.integer({ min: 1, max: 20 })), { maxLength: 3 }),
});

/** All have the same time, so that the ids decide. */
const EQUAL: Drawn = { friend: true, active: true, bits: 1, photos: [[1, 5]] };

async function write(rows: readonly Drawn[]): Promise<void> {
  await writeSite(pool, {
    users: ['1', ...CONTACT_IDS],
    ties: rows.map(({ friend, active }, i) => ({
      user: USER,
      contact: CONTACT_IDS[i] ?? '',
      friend,
      family: false,
      active,
    })),
    photos: rows.flatMap(({ photos }, i) =>
      photos.map(([audience, at], n) => ({ id: String(10 * (i + 1) + n), owner: CONTACT_IDS[i] ?? '', audience, at })),
    ),
  });
  for (const [i, { bits }] of rows.entries()) {
    await pool.query('UPDATE contacts SET bits = ? WHERE contact_id = ?', [bits, CONTACT_IDS[i]]);
  }
  await stores.index.drop([USER]);
}

interface Shown {
  readonly id: string;
  readonly last_upload_at: string;
  readonly relation: readonly string[];
  readonly extra: { readonly name: string };
}

/** The rows of an answer, without what this test says nothing about. */
const rowsOf = (contacts: readonly Shown[]) =>
  contacts.map(({ id, last_upload_at, relation, extra }) => ({ id, at: Date.parse(last_upload_at), relation, extra }));

async function plain(): Promise<ReturnType<typeof rowsOf>> {
  const [rows] = await pool.query<RowDataPacket[]>(PLAIN, [USER]);
  return rows.map(({ id, at, friend, bell }) => ({
    id,
    at: Number(at),
    relation: [...(Number(friend) ? ['friend'] : []), ...(Number(bell) ? ['bell'] : [])],
    extra: { name: `of ${id}` },
  }));
}

const user = async (path: string) => (await ask(api, `/v1/users/${USER}/${path}`)).body;

async function checkAll(): Promise<unknown> {
  const { index, primary } = stores;
  const asked = { index, primary, limits: LIMITS, now: () => performance.now(), clock: Date.now, random: Math.random };
  const answers = new AnswerCheck({ ...asked, truth: new TruthCheck(asked) });
  const { wrong, oddRows, truth } = await answers.check(USER, answers.everyQuestion());
  return { wrong, self: oddRows.self, untrue: truth.wrong };
}

it('is a view like any other, whose last uploads are those of the photos', async () => {
  expect(await findColumnProblems(stores.primary, SITE)).toEqual([]);
  expect(await uploadsFrom(stores.primary)).toBe('photos');
});

it(
  'every answer is what plain SQL says of the tables',
  async () => {
    const rows = fc.array(drawn, { minLength: CONTACT_IDS.length, maxLength: CONTACT_IDS.length });
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom('any', 'friends', 'bell'), async (all, relation) => {
        await write(all);
        const one = relation === 'friends' ? 'friend' : relation;
        const every = await plain();
        const wanted = every.filter((row) => relation === 'any' || row.relation.includes(one));
        const first = wanted.slice(0, 3);
        const path = `contacts/recent?relation=${relation}&limit=3`;
        const cold = await user(path);
        await run(rebuild([USER], true), stores.steps);
        const answers = [cold, await user(path), await user(`${path}&consistency=strong`)];
        for (const { contacts } of answers) expect(rowsOf(contacts)).toEqual(first);
        const { next } = answers[1];
        if (next) expect(rowsOf((await user(`${path}&after=${next}`)).contacts)).toEqual(wanted.slice(3, 6));
        const many = await post(api, '/v1/recent', JSON.stringify({ users: [USER, '8'], relation, limit: 3 }));
        expect(rowsOf(many.body.answers[0].contacts)).toEqual(first);
        expect((await user(`contacts/unseen?relation=${relation}`)).count).toBe(wanted.length);
        const withPhotos = (await user(`contacts/recent/photos?relation=${relation}&contacts=3`)).contacts;
        expect(rowsOf(withPhotos)).toEqual(first);
        for (const { id, last_upload_at, photos } of withPhotos) {
          const [newest] = photos;
          expect(newest).toMatchObject({ uploaded_at: last_upload_at, extra: { thumbnail: `${newest.id}.jpg` } });
          expect((await user(`contacts/${id}/photos`)).photos[0]).toEqual(newest);
        }
        for (const { id, relation: marks } of every.slice(0, 2)) {
          expect((await user(`contacts/${id}/explain`)).mysql).toMatchObject({ relation: marks });
        }
        expect(await checkAll()).toEqual({ wrong: [], self: 0, untrue: [] });
      }),
      { numRuns: cases(12), examples: [[CONTACT_IDS.map(() => EQUAL), 'bell']] },
    );
  },
  PROPERTY_MS,
);
