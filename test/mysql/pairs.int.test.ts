import { fc } from '@fast-check/vitest';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { readFollowerAt, readFollowers, readFollowersIn } from '../../src/mysql/statements/followers.ts';
import { type Pair, readNeighbours, readPairs } from '../../src/mysql/statements/pairs.ts';
import { cases } from '../support/cases.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';

const OWNER = '5';
const ANOTHER = '6';
/** By id. Some differ only beyond what a double holds, and in the order of texts they would stand otherwise. */
const USERS: readonly Id[] = [
  ...['7', '9', '10', '99', '100', '20000000', '9007199254740991', '9007199254740992', '9007199254740993'],
  ...['9007199254740994', '18446744073709551614', '18446744073709551615'],
];

const TIE = { friend: false, family: false, active: true };

let stores: Stores;

beforeAll(async () => {
  stores = await freshStores();
  const { primary } = stores;
  const each = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS it";
  await primary.write(`INSERT INTO users (id, last_public_at) SELECT id, 1000 FROM ${each}`, [
    JSON.stringify([OWNER, ANOTHER, ...USERS]),
  ]);
});

/** One relationship of every user with both owners. @param related of the users, in their order, with the owner */
async function relate(related: readonly boolean[], at: number): Promise<void> {
  const rows = USERS.flatMap((user, i) => [
    [user, OWNER, related[i] ? 1 : 0],
    [user, ANOTHER, 1],
  ]);
  await stores.primary.write('UPDATE users SET last_public_at = ? WHERE id = ?', [String(at), OWNER]);
  await stores.primary.write('DELETE FROM contacts', []);
  await stores.primary.write(
    `INSERT INTO contacts (user_id, contact_id, active, version)
    SELECT user_id, contact_id, active, 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (
      user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]', active BOOLEAN PATH '$[2]')) AS it`,
    [JSON.stringify(rows)],
  );
}

const pairsOf = (users: readonly Id[]): Pair[] => users.map((user) => ({ user, contact: OWNER }));

describe('neighbours', () => {
  it('are told as each pair is told, those who are not related left out', async () => {
    const some = fc.subarray([...USERS], { minLength: 1 });
    const related = fc.array(fc.boolean(), { minLength: USERS.length, maxLength: USERS.length });
    await fc.assert(
      fc.asyncProperty(some, related, fc.integer({ min: 1, max: 9_999 }), async (asked, are, at) => {
        await relate(are, at);
        const told = await readNeighbours(stores.primary, pairsOf(asked));
        const each = await readPairs(stores.primary, pairsOf(asked));
        expect(told.epoch).toBe(each.epoch);
        const rowsOfAsked = told.rows.filter(({ user }) => asked.includes(user));
        expect(rowsOfAsked).toEqual(each.rows.filter((row) => row.related));
        const between = USERS.slice(USERS.indexOf(String(asked[0])), USERS.indexOf(String(asked.at(-1))) + 1);
        expect(told.rows.map(({ user }) => user)).toEqual(between.filter((user) => are[USERS.indexOf(user)]));
      }),
      { numRuns: cases(60) },
    );
  });

  it('come with the epoch when nobody is left', async () => {
    await relate([], 1);
    const { epoch } = await readPairs(stores.primary, []);
    expect(await readNeighbours(stores.primary, pairsOf(['7', '99']))).toEqual({ epoch, rows: [] });
  });

  it('cost no more reading than they are, however many contacts they have and followers there are', async () => {
    const { url, primary } = await freshStores();
    const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => i + 1));
    const each = (alias: string) => `JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS ${alias}`;
    await primary.write(`INSERT INTO users (id, last_public_at) SELECT id, id FROM ${each('it')}`, [numbers(1_500)]);
    await primary.write(
      `INSERT INTO contacts (user_id, contact_id)
      SELECT it.id, other.id FROM ${each('it')} JOIN ${each('other')} WHERE it.id <> other.id`,
      [numbers(1_500), numbers(40)],
    );
    await primary.write('ANALYZE TABLE contacts, users', []);
    const database = new CountingDatabase(url);
    const asked = Array.from({ length: 200 }, (_, i) => ({ user: String(1_001 + i), contact: '7' }));
    await readNeighbours(database, asked);
    const before = await database.rowsRead();
    expect((await readNeighbours(database, asked)).rows.length).toBe(asked.length);
    // Of each the relationship, the contact, and what the contact grants.
    expect((await database.rowsRead()) - before).toBeLessThan(3 * asked.length + 100);
  });

  it('are nobody without a pair', async () => {
    await expect(readNeighbours(stores.primary, [])).rejects.toThrow(RangeError);
  });
});

describe('the users who have a row with an owner', () => {
  it('are paged by id, related or not', async () => {
    await relate([], 1);
    const { primary } = stores;
    await primary.write('UPDATE contacts SET active = TRUE WHERE contact_id = ? AND user_id IN (9, 20000000)', [OWNER]);
    expect(await readFollowers(primary, { owner: OWNER, after: '0' }, 4)).toEqual(USERS.slice(0, 4));
    expect(await readFollowers(primary, { owner: OWNER, after: '99' }, 100)).toEqual(USERS.slice(4));
    for (const [i, through] of USERS.entries()) {
      const range = { owner: OWNER, after: USERS[1] ?? '0', through };
      expect(await readFollowers(primary, range, 100)).toEqual(USERS.slice(2, i + 1));
      expect(await readFollowers(primary, range, 1)).toEqual(USERS.slice(2, Math.min(i + 1, 3)));
    }
  });

  it('are the same when several owners are asked about together, whatever the limit cuts off', async () => {
    const { url, primary } = await freshStores();
    const pool = freshSitePool(url);
    const owners = [...USERS, ...Array.from({ length: 28 }, (_, i) => String(1_000 + i))];
    const counts = fc.array(fc.nat(9), { minLength: owners.length, maxLength: owners.length });
    await fc.assert(
      fc.asyncProperty(
        counts,
        fc.shuffledSubarray(owners, { minLength: 1 }),
        fc.integer({ min: 1, max: 30 }),
        async (has, asked, limit) => {
          const followersOf = (owner: string) =>
            owners.filter((user) => user !== owner).slice(0, has[owners.indexOf(owner)] ?? 0);
          const ties = owners.flatMap((contact) => followersOf(contact).map((user) => ({ user, contact, ...TIE })));
          await writeSite(pool, { users: owners, ties, photos: [] });
          const wanted = asked.map((owner) => ({ owner, after: '0' }) as const);
          expect(await readFollowersIn(primary, wanted, limit)).toEqual(
            asked.map((owner) => followersOf(owner).slice(0, limit)),
          );
        },
      ),
      { numRuns: cases(40) },
    );
  });

  it('are found where the rows name an owner in another way than it was asked about', async () => {
    await relate([], 1);
    const wanted = [ANOTHER, `00${OWNER}`].map((owner) => ({ owner, after: '0' }) as const);
    expect(await readFollowersIn(stores.primary, wanted, 100)).toEqual([USERS, USERS]);
  });

  it('are counted by id, related or not', async () => {
    const { primary } = stores;
    for (const [i, user] of USERS.entries()) {
      expect(await readFollowerAt(primary, { owner: OWNER, after: '0' }, i + 1)).toBe(user);
      expect(await readFollowerAt(primary, { owner: OWNER, after: user }, 1)).toBe(USERS[i + 1]);
    }
    expect(await readFollowerAt(primary, { owner: OWNER, after: '0' }, USERS.length + 1)).toBe(undefined);
    expect(await readFollowerAt(primary, { owner: '77', after: '0' }, 1)).toBe(undefined);
  });

  it('cost one range of an index, related or not', async () => {
    const { url, primary } = await freshStores();
    const numbers = JSON.stringify(Array.from({ length: 1_500 }, (_, i) => i + 1));
    const each = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS it";
    await primary.write(`INSERT INTO users (id) SELECT id FROM ${each}`, [numbers]);
    for (const contact of ['1', '2', '3']) {
      const rows = `SELECT id, ${contact}, id % 2 FROM ${each} WHERE id > 3`;
      await primary.write(`INSERT INTO contacts (user_id, contact_id, active) ${rows}`, [numbers]);
    }
    await primary.write('ANALYZE TABLE contacts, users', []);
    const database = new CountingDatabase(url);
    await readFollowers(database, { owner: '2', after: '500' }, 200);
    const before = await database.rowsRead();
    expect(await readFollowers(database, { owner: '2', after: '500' }, 200)).toHaveLength(200);
    // Of each the relationship, the contact and, on MySQL, what the contact grants.
    expect((await database.rowsRead()) - before).toBeLessThan(3 * 200 + 100);
  });

  it('cost no more when they are the last of very many', async () => {
    const { url, primary } = await freshStores();
    const numbers = JSON.stringify(Array.from({ length: 40_000 }, (_, i) => i + 1));
    const each = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS it";
    await primary.write(`INSERT INTO users (id) SELECT id FROM ${each}`, [numbers]);
    await primary.write(`INSERT INTO contacts (user_id, contact_id) SELECT id, 1 FROM ${each} WHERE id > 1`, [numbers]);
    await primary.write('ANALYZE TABLE contacts, users', []);
    const database = new CountingDatabase(url);
    const readBy = async (work: () => Promise<unknown>) => {
      await work(); // with a connection
      const before = await database.rowsRead();
      await work();
      return (await database.rowsRead()) - before;
    };
    // Of each the relationship, the contact and, on MySQL, what the contact grants; where few are left, those who are left.
    const fewOfMany = 2_000;
    for (const after of ['0', '10000', '20000', '30000', '39000']) {
      expect(await readBy(() => readFollowers(database, { owner: '1', after }, 200))).toBeLessThan(fewOfMany);
      expect(await readBy(() => readFollowerAt(database, { owner: '1', after }, 200))).toBeLessThan(fewOfMany);
    }
  });
});
