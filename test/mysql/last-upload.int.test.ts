import { fc } from '@fast-check/vitest';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { readAllContacts } from '../../src/mysql/statements/all-contacts.ts';
import { readCandidates, readCandidatesOfMany } from '../../src/mysql/statements/candidates.ts';
import { readExplainedContact } from '../../src/mysql/statements/explained-contact.ts';
import { uploadsFrom } from '../../src/mysql/statements/last-upload.ts';
import { readNeighbours, readPairs } from '../../src/mysql/statements/pairs.ts';
import { readPlain } from '../../src/mysql/statements/plain-contacts.ts';
import { raiseSeen } from '../../src/mysql/statements/seen.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import { findColumnProblems, findPlanProblems } from '../../src/mysql/view-checks.ts';
import { USUAL_SITE } from '../../src/site/site.ts';
import { cases } from '../support/cases.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { freshStores, migratedDatabase } from '../support/stores.ts';
import { questionsThatReadMore } from '../support/upload-questions.ts';
import { leaveOutUploads } from '../support/without-uploads.ts';

const OPTIONS = { connections: 2, queue: 100, deadlineMs: 60_000 };
const CONTACT_IDS = ['2', '9', '10', '100', '18446744073709551615'];

let url: string;
let database: ContactsDatabase;

beforeAll(async () => {
  const stores = await freshStores();
  ({ url, primary: database } = stores);
  await database.write(
    'CREATE TABLE seen_by (user BIGINT UNSIGNED, contact BIGINT UNSIGNED, sees BIGINT UNSIGNED, PRIMARY KEY (user, contact), KEY (contact, user))',
    [],
  );
  await database.write('ALTER TABLE photos DROP CONSTRAINT photos_audience', []);
  await database.write(
    `CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_contacts AS SELECT user AS user_id, contact AS contact_id,
     TRUE AS related, sees, FALSE AS is_friend, FALSE AS is_family, 1 AS version FROM seen_by`,
    [],
  );
});

async function fill(table: string, columns: string, rows: readonly (readonly (string | number)[])[]): Promise<void> {
  await database.write(`DELETE FROM ${table}`, []);
  for (const row of rows) {
    const places = row.map(() => '?').join(', ');
    await database.write(`INSERT INTO ${table} (${columns}) VALUES (${places})`, row.map(String));
  }
}

/** The same database, whose statements are noted. */
function noting(database: ContactsDatabase, statements: string[]): ContactsDatabase {
  const noted: ContactsDatabase = new Proxy(database, {
    get: (of, name) => {
      if (name === 'server') return noted;
      const value: unknown = Reflect.get(of, name, of);
      if (typeof value !== 'function') return value;
      if (name !== 'rows') return value.bind(of);
      return (...args: Parameters<ContactsDatabase['rows']>) => {
        statements.push(args[0]);
        return of.rows(...args);
      };
    },
  });
  return noted;
}

describe('without a column of the last upload', () => {
  it('every question says what the photos say', async () => {
    const audience = fc.constantFrom(0, 1, 3, 4, 5, 40, 62);
    const photos = fc.array(fc.tuple(fc.constantFrom(...CONTACT_IDS), audience, fc.integer({ min: -2, max: 5 })), {
      maxLength: 15,
    });
    const masks = fc.array(fc.subarray([0, 1, 3, 4, 40, 62]), { minLength: 5, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(photos, masks, async (all, seen) => {
        await fill('photos', 'owner_id, audience, uploaded_at', all);
        const bits = (audiences: readonly number[]) => audiences.reduce((mask, k) => mask | (1n << BigInt(k)), 0n);
        await fill(
          'seen_by',
          'user, contact, sees',
          CONTACT_IDS.map((id, i) => ['1', id, String(bits(seen[i] ?? []))]),
        );
        const expected = CONTACT_IDS.map((id, i) => {
          const times = all.filter(([owner, of]) => owner === id && seen[i]?.includes(of)).map(([, , at]) => at);
          return { id, at: Math.max(0, ...times) };
        });
        const keys = expected.filter(({ at }) => at > 0).sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
        const keysOf = (rows: readonly { id: string; at: number }[]) => rows.map(({ id, at }) => ({ id, at }));
        expect(
          keysOf((await readPlain(database, { user: '1', relation: 'any', limit: 10, below: undefined })).contacts),
        ).toEqual(keys);
        expect(new Set(keysOf((await readCandidates(database, '1', CONTACT_IDS)).contacts))).toEqual(new Set(keys));
        expect((await readTopContacts(database, ['1'], 10)).tops).toEqual([keys]);
        expect((await readTopContacts(database, ['1', '7'], 10)).tops).toEqual([keys, []]);
        const below = keys[0];
        if (below)
          expect(
            keysOf((await readPlain(database, { user: '1', relation: 'any', limit: 10, below })).contacts),
          ).toEqual(keys.slice(1));
        const pairs = CONTACT_IDS.map((contact) => ({ user: '1', contact }));
        const told = new Map((await readPairs(database, pairs)).rows.map((row) => [row.contact, row.lastUploadAt]));
        const raw = new Map((await readAllContacts(database, '1')).map((row) => [row.id, Number(row.lastUploadAt)]));
        for (const { id, at } of expected) {
          expect(told.get(id)).toBe(at);
          expect(raw.get(id)).toBe(at);
          expect((await readNeighbours(database, [{ user: '1', contact: id }])).rows[0]?.lastUploadAt).toBe(at);
        }
        if (below)
          expect((await readExplainedContact(database, '1', below.id)).row).toMatchObject({ at: below.at, above: 0 });
      }),
      { numRuns: cases(25) },
    );
  });

  it.for([
    ['before anybody has seen anything', false],
    ['with cursors', true],
  ] as const)(
    'narrowed reads have look-ups for the audiences that somebody sees, and no others: %s',
    async ([, cursors]) => {
      const stores = await freshStores();
      await stores.primary.write('ALTER TABLE photos DROP CONSTRAINT photos_audience', []);
      await stores.primary.write(
        `CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_contacts AS SELECT user_id, contact_id, active AS related, since AS sees,
       FALSE AS is_friend, FALSE AS is_family, version FROM contacts`,
        [],
      );
      if (cursors) await raiseSeen(stores.primary, '5', [{ kind: 'contacts', source: '0', at: 1, id: '1' }]);
      const statements: string[] = [];
      const narrowed = noting(stores.primary, statements);
      const see = async (audience: number) => {
        await stores.primary.write('REPLACE INTO photos (id, owner_id, audience, uploaded_at) VALUES (1, 2, ?, 7)', [
          audience,
        ]);
        await stores.primary.write('REPLACE INTO contacts (user_id, contact_id, since) VALUES (1, 2, ?)', [
          String(2n ** BigInt(audience)),
        ]);
        statements.length = 0;
        const one = (await readCandidates(narrowed, '1', ['2', '3'])).contacts.map(({ at }) => at);
        const many = (await readCandidatesOfMany(narrowed, [{ user: '1', candidates: ['3', '2'] }])).contacts.get('1');
        expect([one, many?.map(({ at }) => at)]).toEqual([[7], [7]]);
        return [statements.length - 2, [...String(statements.at(-1)).matchAll(/p\.audience = \d/g)].length];
      };
      await readCandidates(narrowed, '1', ['3']); // what the views lack, and whether there are cursors, is noticed
      expect(await see(0)).toEqual([0, 1]);
      expect(await see(1)).toEqual([1, 2]);
      expect(await see(0)).toEqual([0, 2]);
      expect(await see(3)).toEqual([1, 4]);
      expect(await see(2)).toEqual([0, 4]);
      expect(await see(62)).toEqual([1, 4]);
      expect(await see(4)).toEqual([0, 4]);
    },
  );

  it('newer photos that the user may not see cost no reading, in no question', async () => {
    await fill('photos', 'owner_id, audience, uploaded_at', [[2, 0, 5]]);
    await fill('seen_by', 'user, contact, sees', [['1', '2', '15']]);
    const more = await questionsThatReadMore(url, { user: '1', contact: '2', at: 5 }, async () => {
      const times = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => i + 10));
      await database.write(
        "INSERT INTO photos (owner_id, audience, uploaded_at) SELECT 2, 4, it.at FROM JSON_TABLE(?, '$[*]' COLUMNS (at BIGINT PATH '$')) AS it",
        [times],
      );
      await database.rows('ANALYZE TABLE photos', []);
    });
    // Fewer may be: with what it has learned of the table, MySQL 9 reads even fewer for the neighbours.
    expect(more).toEqual({});
  });

  it('is learned once for a database, also while it is in use', async () => {
    const reference = await freshStores();
    const { primary } = reference;
    const statements: string[] = [];
    const counting = noting(primary, statements);
    await primary.write('INSERT INTO users (id, last_public_at) VALUES (2, 7)', []);
    await primary.write('INSERT INTO photos (owner_id, audience, uploaded_at) VALUES (2, 0, 5)', []);
    await primary.write('INSERT INTO contacts (user_id, contact_id) VALUES (1, 2)', []);
    const ask = async () => (await readCandidates(counting, '1', ['2'])).contacts.map(({ at }) => at);
    expect(await ask()).toEqual([7]);
    await leaveOutUploads(reference.url, [CONTACTS]);
    expect(await ask()).toEqual([5]);
    expect(statements).toHaveLength(4); // the second is refused, the third asks what the view has
    expect(await ask()).toEqual([5]);
    expect((await readPairs(counting, [{ user: '1', contact: '2' }])).rows.map((row) => row.lastUploadAt)).toEqual([5]);
    expect(statements).toHaveLength(6);
  });

  it('doctor has nothing against the view', async () => {
    expect(await findColumnProblems(database, USUAL_SITE)).toEqual([]);
    expect(await findPlanProblems([database])).toEqual([]);
    expect(await uploadsFrom(database)).toBe('photos');
    const reference = new ContactsDatabase(await migratedDatabase(), OPTIONS);
    try {
      expect(await uploadsFrom(reference)).toBe('column');
    } finally {
      await reference.close();
    }
  });
});
