import { beforeAll, describe, expect, it } from 'vitest';
import { CONTACTS, GROUPS, type Kind } from '../../src/contracts/kind.ts';
import { KindStatements } from '../../src/mysql/statements/kind-statements.ts';
import { readPhotos } from '../../src/mysql/statements/photos.ts';
import { raiseSeen } from '../../src/mysql/statements/seen.ts';
import { USUAL_SITE } from '../../src/site/site.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { makeHeavy, STRANGER } from '../support/heavy-user.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';

const [HEAVY, LIGHT] = ['1', '2'];
const MANY = 20_000;
const ASKED = 10;
const PHOTOS = 5;
/** The sources asked about: both users have them. */
const sources = Array.from({ length: ASKED }, (_, i) => ({ id: String(STRANGER + i), sees: '1' }));

let stores: Stores;

/** Every contact has three photos, and every group the same three in its pool. A group has the id of a contact. */
beforeAll(async () => {
  stores = await freshStores({ kinds: [CONTACTS, GROUPS] });
  const pool = freshSitePool(stores.url);
  await pool.query('INSERT INTO users (id) VALUES (?), (?)', [HEAVY, LIGHT]);
  await makeHeavy(pool, [HEAVY], MANY);
  await makeHeavy(pool, [LIGHT], ASKED);
  for (const older of [0, 1, 2]) {
    const photos =
      'INSERT INTO photos (id, owner_id, audience, uploaded_at) SELECT id * 10 + ?, id, 0, last_public_at - ?';
    await pool.query(`${photos} FROM users WHERE id >= ?`, [older, older, STRANGER]);
  }
  await pool.query('INSERT INTO user_groups (id, last_public_at) SELECT id, last_public_at FROM users WHERE id >= ?', [
    STRANGER,
  ]);
  await pool.query('INSERT INTO memberships (user_id, group_id, since) SELECT user_id, contact_id, 1 FROM contacts');
  const added = 'INSERT INTO group_pools (group_id, photo_id, audience, added_at)';
  await pool.query(`${added} SELECT owner_id, id, 0, uploaded_at FROM photos`);
  await pool.query('ANALYZE TABLE users, contacts, photos, user_groups, memberships, group_pools');
});

async function costOf(kind: Kind, user: string): Promise<number> {
  const counting = new CountingDatabase(stores.url);
  const database = { server: counting, statements: new KindStatements(USUAL_SITE, kind) };
  const read = () => readPhotos(database, user, sources, PHOTOS);
  await read(); // learns what to compare, and prepares the statement
  const before = await counting.rowsRead();
  const found = await read();
  const rows = (await counting.rowsRead()) - before;
  expect(found.size).toBe(ASKED);
  for (const { photos } of found.values()) expect(photos).toHaveLength(3);
  return rows;
}

describe.each([CONTACTS, GROUPS])('the photos of $name', (kind) => {
  it('take as many rows for a user with 20,000 as for one with ten', async () => {
    const light = await costOf(kind, LIGHT);
    expect(await costOf(kind, HEAVY)).toBe(light);
    expect(light).toBeLessThan(300);
  });

  it('do so too when the user has seen each by itself', async () => {
    const cursors = Array.from({ length: 1_000 }, (_, i) => ({
      ...{ kind: kind.name, source: String(STRANGER + i), at: 1_500, id: '1' },
    }));
    for (const user of [HEAVY, LIGHT]) {
      await raiseSeen(stores.primary, user, user === HEAVY ? cursors : cursors.slice(0, ASKED));
    }
    await stores.primary.rows('ANALYZE TABLE recency_seen', []);
    const light = await costOf(kind, LIGHT);
    expect(await costOf(kind, HEAVY)).toBe(light);
    expect(light).toBeLessThan(500);
  });
});
