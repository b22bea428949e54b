/** What a site's views have beyond what Recency needs is in every answer. */
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { findColumnProblems } from '../../src/mysql/view-checks.ts';
import { USUAL_SITE } from '../../src/site/site.ts';
import { createGroup, joinGroup } from '../../src/tools/reference-site/groups.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addToPool } from '../../src/tools/reference-site/pools.ts';
import { addContact } from '../../src/tools/reference-site/relationships.ts';
import { createUsers } from '../../src/tools/reference-site/users.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { withGroups } from '../support/groups-api.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, type KindTestStores, kindStoresOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 24, min: 10 };
const USER = '1';
const KINDS = [CONTACTS, GROUPS];
const SITE = { ...USUAL_SITE, kinds: KINDS };
/** The newest first; more than one statement of the first candidates reads. */
const OWNERS = Array.from({ length: 30 }, (_, i) => String(i + 2));

const COLUMNS = {
  wide: 'BIGINT UNSIGNED',
  small: 'INT UNSIGNED',
  price: 'DECIMAL(20,4)',
  ratio: 'FLOAT',
  exact_ratio: 'DOUBLE',
  born: 'DATE',
  joined: 'DATETIME(6)',
  changed: 'TIMESTAMP NULL',
  clock: 'TIME',
  year: 'YEAR',
  name: 'VARCHAR(255)',
  kind: "ENUM('still', 'film')",
  note: 'MEDIUMTEXT',
} as const;

const GIVEN = {
  wide: '18446744073709551615',
  small: 4_294_967_295,
  price: '1234567890123456.7890',
  ratio: 0.1,
  exact_ratio: 0.1,
  born: '2004-02-29',
  joined: '2004-05-01 12:00:00.123456',
  changed: '2004-05-01 12:00:00',
  clock: '-12:30:00',
  year: 2004,
  name: 'https://cdn.example/ä/🙂.jpg?"\\',
  kind: 'film',
  note: 'short',
};

const SHOWN = {
  ...GIVEN,
  joined: '2004-05-01T12:00:00.123Z',
  changed: '2004-05-01T12:00:00.000Z',
};

const NOTHING = Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, null]));

let stores: Stores;
let ofGroups: KindTestStores;
let pool: Pool;
let api: TestApi;
let group: string;
/** The newest photo of the first owner, which is in the group too. */
let photo: string;

async function extend(view: string, select: string): Promise<void> {
  await pool.query(`CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW ${view} AS ${select}`);
}

const REFERENCE = new Map<string, string>();

/** The reference view with these columns of another table too. */
async function withExtra(view: string, columns: string, join: string): Promise<void> {
  const [[row]] = await pool.query<import('mysql2').RowDataPacket[]>(`SHOW CREATE VIEW ${view}`);
  const select = REFERENCE.get(view) ?? String(row?.['Create View']).replace(/^.*? AS (?=select)/i, '');
  REFERENCE.set(view, select);
  await extend(view, select.replace(/ from /i, `, ${columns} from `).replace(/$/, join));
}

const ALL = Object.keys(COLUMNS).map((name) =>
  name === 'note' ? 'LEFT(p.note, 4096) AS extra_note' : `p.${name} AS extra_${name}`,
);

beforeAll(async () => {
  stores = await freshStores({ kinds: KINDS, passesOn: true, ...LIMITS });
  ofGroups = kindStoresOn(stores, GROUPS, { passesOn: true, ...LIMITS });
  pool = freshSitePool(stores.url);
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  await pool.query(
    `CREATE TABLE profiles (id BIGINT UNSIGNED PRIMARY KEY, ${columns.join(', ')}) CHARACTER SET utf8mb4`,
  );
  await createUsers(pool, [USER, ...OWNERS]);
  for (const [i, owner] of OWNERS.entries()) {
    const uploaded = await uploadPhoto(pool, owner, 0, 1_000 - i);
    if (i === 0) photo = uploaded;
    await addContact(pool, USER, owner);
  }
  await pool.query('UPDATE contacts SET since = 1');
  group = await createGroup(pool);
  await addToPool(pool, group, photo, 2_000);
  await joinGroup(pool, USER, group, 1);
  for (const id of [OWNERS[0], Number(photo) + 1_000, group]) {
    await pool.query('INSERT IGNORE INTO profiles SET id = ?, ?', [id, GIVEN]);
  }
  await withExtra('recency_contacts', ALL.join(', '), ' LEFT JOIN profiles AS p ON p.id = contacts.contact_id');
  await withExtra('recency_groups', 'p.name AS extra_title', ' LEFT JOIN profiles AS p ON p.id = memberships.group_id');
  await withExtra(
    'recency_photos',
    'p.name AS extra_thumbnail, p.wide AS extra_bytes',
    ' LEFT JOIN profiles AS p ON p.id = photos.id + 1000',
  );
  await withExtra(
    'recency_group_photos',
    'p.kind AS extra_kind',
    ' LEFT JOIN profiles AS p ON p.id = photos.id + 1000',
  );
  for (const { statements } of [stores.primary, ofGroups.primary]) await statements.probe(stores.primary);
  await run(rebuild([USER], true), stores.steps);
  await run(rebuild([USER], true), ofGroups.steps);
  api = await startTestApi(stores, { ...LIMITS, ...withGroups(stores, ofGroups, LIMITS) });
});

const user = (path: string) => ask(api, `/v1/users/${USER}/${path}`);
const TITLE = { title: GIVEN.name };
const PHOTO = { thumbnail: GIVEN.name, bytes: GIVEN.wide };
const NO_PHOTO = { thumbnail: null, bytes: null };

describe('the columns extra_… of the views', () => {
  it('can all be passed on', async () => {
    expect(await findColumnProblems(stores.primary, SITE)).toEqual([]);
  });

  it('are in answers from the index, from the plain query, and of a user whose index is being built', async () => {
    const narrowed = await user('contacts/recent?limit=2');
    const plain = await user('contacts/recent?limit=2&consistency=strong');
    await stores.index.drop([USER]);
    const cold = await user('contacts/recent?limit=2');
    const rest = await user('contacts/recent?limit=100');
    expect([narrowed, plain, cold, rest].map(({ body }) => [body.answer.source, body.answer.reason])).toEqual([
      ['index', undefined],
      ['database', 'strong'],
      ['database', 'cold'],
      ['database', 'below_floor'],
    ]);
    for (const { body } of [narrowed, plain, cold]) {
      expect(body.contacts.map(({ extra }: { extra: unknown }) => extra)).toEqual([SHOWN, NOTHING]);
    }
    expect(rest.body.contacts).toHaveLength(OWNERS.length);
    expect(rest.body.contacts[0].extra).toEqual(SHOWN);
  });

  it('are in the lists of photos', async () => {
    const { body } = await user('contacts/recent/photos?contacts=2');
    expect(body.contacts.map(({ extra }: { extra: unknown }) => extra)).toEqual([SHOWN, NOTHING]);
    expect(body.contacts.map(({ photos }: { photos: { extra: unknown }[] }) => photos[0]?.extra)).toEqual([
      PHOTO,
      NO_PHOTO,
    ]);
    for (const more of ['', '?unseen=true']) {
      const one = await user(`contacts/${OWNERS[0]}/photos${more}`);
      expect(one.body.photos, more).toEqual([
        { id: photo, uploaded_at: '1970-01-01T00:00:01.000Z', title: expect.any(String), extra: PHOTO },
      ]);
    }
  });

  it('are in answers about groups, over all kinds, and of many users', async () => {
    expect((await user('groups/recent')).body.groups[0].extra).toEqual(TITLE);
    expect((await user(`groups/${group}/photos`)).body.photos[0].extra).toEqual({ kind: 'film' });
    const { body } = await user('recent?limit=3');
    expect(body.sources.map(({ extra }: { extra: unknown }) => extra)).toEqual([TITLE, SHOWN, NOTHING]);
    const photos = await user('recent/photos?sources=2');
    expect(
      photos.body.sources.map((source: { extra: unknown; photos: { extra: unknown }[] }) => [
        source.extra,
        source.photos[0]?.extra,
      ]),
    ).toEqual([
      [TITLE, { kind: 'film' }],
      [SHOWN, PHOTO],
    ]);
    const many = await post(api, '/v1/recent', JSON.stringify({ users: [USER, '2'], limit: 1 }));
    expect(many.body.answers[0].contacts[0].extra).toEqual(SHOWN);
  });

  it('are in the heads that a stream sends', async () => {
    const ending = new AbortController();
    const response = await fetch(`${api.url}/v1/users/${USER}/contacts/recent/stream?limit=1`, {
      signal: ending.signal,
    });
    let text = '';
    for await (const part of response.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(part).toString();
      if (/^data: .*\n/m.test(text)) break;
    }
    ending.abort();
    expect(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '').contacts[0].extra).toEqual(SHOWN);
  });

  it('are part of what the entity tag is of', async () => {
    const path = 'contacts/recent/photos?contacts=2';
    const before = (await user(path)).headers.get('etag');
    const set = (name: string) => pool.query('UPDATE profiles SET name = ? WHERE id = ?', [name, OWNERS[0]]);
    await set('another.jpg');
    expect((await user(path)).headers.get('etag')).not.toBe(before);
    await set(GIVEN.name);
    expect((await user(path)).headers.get('etag')).toBe(before);
  });

  it('are days and moments that exist, or null', async () => {
    await pool.query("SET SESSION sql_mode = ''");
    await pool.query(
      "UPDATE profiles SET born = '0000-00-00', joined = '2004-02-00 10:00:00', changed = 0 WHERE id = ?",
      [OWNERS[0]],
    );
    const { born, joined, changed } = (await user('contacts/recent?limit=1')).body.contacts[0].extra;
    expect({ born, joined, changed }).toEqual({ born: null, joined: null, changed: null });
  });

  it('are left out, one by one, when a view loses them under a running process', async () => {
    await withExtra(
      'recency_contacts',
      'p.small AS extra_small',
      ' LEFT JOIN profiles AS p ON p.id = contacts.contact_id',
    );
    await withExtra('recency_photos', 'p.wide AS extra_bytes', ' LEFT JOIN profiles AS p ON p.id = photos.id + 1000');
    const { body } = await user('contacts/recent/photos');
    expect([body.contacts[0].extra, body.contacts[0].photos[0].extra]).toEqual([
      { small: GIVEN.small },
      { bytes: GIVEN.wide },
    ]);
    expect((await user('contacts/recent?limit=1')).body.contacts[0].extra).toEqual({ small: GIVEN.small });
    expect((await user('groups/recent')).body.groups[0].extra).toEqual(TITLE);
  });
});

describe('a column extra_… that no answer can hold', () => {
  const problemsOf = async (columns: string) => {
    await withExtra('recency_contacts', columns, ' LEFT JOIN profiles AS p ON p.id = contacts.contact_id');
    const found = await findColumnProblems(stores.primary, SITE);
    return found.map(({ column, type, works, fault, fix }) => ({ column, says: `${type}, ${fault}. ${fix}`, works }));
  };

  it.each([
    ["CAST('x' AS BINARY(3)) AS extra_x", /^(var)?binary.*, which answers cannot pass on\. .*TO_BASE64/],
    ['p.note AS extra_x', /^mediumtext\(16777215\), .*LEFT\(…, 4096\) AS extra_x/],
    ['p.small AS `extra_x-y`', /name it extra_ and letters, digits or underscores/],
    ['p.small AS `extra_`', /name it extra_ and letters, digits or underscores/],
    [
      Array.from({ length: 17 }, (_, i) => `p.small AS extra_${i}`).join(', '),
      /the 17th of 17 columns extra_….*at most 16/,
    ],
  ])('is refused: %s', async (columns, says) => {
    expect(await problemsOf(columns)).toEqual([
      { column: expect.stringMatching(/^recency_contacts\.extra_/), says: expect.stringMatching(says), works: false },
    ]);
  });

  it('is not passed on', async () => {
    await problemsOf('p.note AS extra_x, p.small AS extra_small');
    const { primary } = stores;
    await primary.statements.probe(primary);
    expect((await user('contacts/recent?limit=1')).body.contacts[0].extra).toEqual({ small: GIVEN.small });
  });
});
