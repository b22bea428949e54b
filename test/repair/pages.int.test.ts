import { beforeAll, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { DatabaseUnavailable } from '../../src/mysql/database.ts';
import { readLastUser, readNextUser, readNextUsers, type UserRange } from '../../src/mysql/statements/users.ts';
import { TimedBatches } from '../../src/repair/adaptive-batches.ts';
import { nextUsers, sampleUsers } from '../../src/repair/find-users.ts';
import { UserEstimate } from '../../src/repair/user-estimate.ts';
import { RelatedUserPages } from '../../src/repair/user-pages.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { MeteredContactsDatabase } from '../support/contacts-database.ts';
import { freshStores, type Stores } from '../support/stores.ts';

const GREATEST = '18446744073709551615';

/** A hundred consecutive ids, some far apart, and the greatest possible one; one user has 3,000 contacts. */
const DENSE = Array.from({ length: 100 }, (_, i) => String(9_007_199_254_740_990n + BigInt(i)));
const SPARSE = Array.from({ length: 30 }, (_, i) => String(10_000_000_000_000_000n + BigInt(i) * 1_000_003n));
const USERS = [...DENSE, ...SPARSE, GREATEST];
const HEAVY = DENSE[50] as Id;

let stores: Stores;
let metered: MeteredContactsDatabase;
beforeAll(async () => {
  stores = await freshStores();
  metered = new MeteredContactsDatabase(stores.url, { connections: 1, queue: 10, deadlineMs: 60_000 });
  const pool = openSitePool(stores.url);
  const contacts = Array.from({ length: 3_000 }, (_, i) => i + 1);
  await pool.query('INSERT INTO users (id, last_public_at) VALUES ?', [contacts.map((id) => [id, id])]);
  const pairs = USERS.flatMap((user) => (user === HEAVY ? contacts : contacts.slice(0, 4)).map((id) => [user, id]));
  await pool.query('INSERT INTO contacts (user_id, contact_id) VALUES ?', [pairs]);
  await pool.end();
  return () => metered.close();
});

async function pagesOf(pages: RelatedUserPages): Promise<(readonly Id[])[]> {
  const all: (readonly Id[])[] = [];
  for (let page = await pages.next(); page !== undefined; page = await pages.next()) {
    expect(await pages.next()).toEqual(page); // the same one until it is done
    all.push(page);
    pages.done();
  }
  return all;
}

const relatedPages = (range: UserRange, size: number, after?: Id) =>
  new RelatedUserPages(stores.primary, range, size, new UserEstimate(stores.primary, range), after);

describe('pages of users', () => {
  it.each([1, 7, 50, 500])('of %i hold each user once, by id', async (size) => {
    const pages = await pagesOf(relatedPages({ after: '0', to: GREATEST }, size));
    expect(pages.flat()).toEqual(USERS);
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(size);
  });

  it('keep to their range, and continue where an earlier part ended', async () => {
    const range = { after: DENSE[9] as Id, to: SPARSE[3] as Id };
    expect((await pagesOf(relatedPages(range, 20))).flat()).toEqual(USERS.slice(10, 104));
    const rest = relatedPages(range, 20, DENSE[90]);
    expect((await pagesOf(rest)).flat()).toEqual(USERS.slice(91, 104));
  });

  it('cost one look-up per user where ids are dense, however many contacts the users have', async () => {
    const before = metered.rowsRead;
    const found = await nextUsers(metered, { after: String(BigInt(DENSE[0] as Id) - 1n), to: GREATEST }, 100);
    expect(found).toEqual(DENSE);
    expect(metered.rowsRead - before).toBeLessThan(5 * 100);
  });

  it('have at least one user where a single one has more relationships than are read at once', async () => {
    const wanted = { after: String(BigInt(HEAVY) - 1n), to: GREATEST };
    expect(await readNextUsers(stores.primary, wanted, 100)).toEqual([HEAVY]);
  });
});

describe('a sample of users', () => {
  it('has the wanted number of different users, by id', async () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const sample = await sampleUsers(stores.primary, 40, random);
    expect(new Set(sample).size).toBe(40);
    expect(sample).toEqual(USERS.filter((id) => sample.includes(id)));
  });

  it('is everybody if there are no more', async () => {
    expect(await sampleUsers(stores.primary, 1_000, Math.random)).toEqual(USERS);
  });

  it('is empty if there are no users', async () => {
    const empty = await freshStores();
    expect(await sampleUsers(empty.primary, 5, Math.random)).toEqual([]);
    expect(await readLastUser(empty.primary, { after: '0', to: GREATEST })).toBeUndefined();
    expect(await readNextUser(empty.primary, { after: '0', to: GREATEST })).toBeUndefined();
  });
});

describe('a metered database', () => {
  it('counts the rows that its statements read', async () => {
    const before = metered.rowsRead;
    await metered.rows('SELECT COUNT(*) FROM contacts WHERE user_id = ?', [HEAVY]);
    expect(metered.rowsRead - before).toBeGreaterThanOrEqual(3_000);
    expect(metered.rowsRead - before).toBeLessThan(3_100);
  });
});

describe('batches', () => {
  const items = Array.from({ length: 3_000 }, (_, i) => i);

  /** Each item takes the given number of ms by the test's clock. */
  async function sizes(msEach: (i: number) => number): Promise<number[]> {
    let clock = 0;
    const chunks = new TimedBatches(() => clock);
    return await chunks.each(items, async (some) => {
      for (const item of some) clock += msEach(item);
      return some.length;
    });
  }

  it('are worked on two at a time, and return results in order', async () => {
    let [under, most] = [0, 0];
    const work = async (some: readonly number[]) => {
      most = Math.max(most, ++under);
      await new Promise(setImmediate);
      under -= 1;
      return some;
    };
    expect((await new TimedBatches(() => 0).each(items, work)).flat()).toEqual(items);
    expect(most).toBe(2);
  });

  it('grow while statements are fast, up to a limit, and hold every item once', async () => {
    const found = await sizes(() => 0.01);
    expect(found.slice(0, 5)).toEqual([25, 25, 50, 50, 100]);
    expect(Math.max(...found)).toBe(500);
    expect(found.reduce((sum, size) => sum + size, 0)).toBe(items.length);
  });

  it('shrink to a size that takes 200 ms', async () => {
    const found = await sizes((i) => (i < 1_000 ? 1 : 20));
    expect(found.at(-2)).toBe(10);
    expect(Math.max(...found)).toBe(200);
  });

  it('are quartered after a timeout, which is thrown', async () => {
    const chunks = new TimedBatches(() => 0);
    const tried: number[] = [];
    const work = async (some: readonly number[]) => {
      tried.push(some.length);
      throw new DatabaseUnavailable('no answer in time');
    };
    for (let i = 0; i < 4; i++) await expect(chunks.each(items, work)).rejects.toThrow('no answer in time');
    expect(tried).toEqual([25, 25, 6, 6, 1, 1, 1, 1]);
  });

  it('end at the signal', async () => {
    const enough = new AbortController();
    const work = async () => enough.abort(new Error('enough'));
    await expect(new TimedBatches(() => 0).each(items, work, enough.signal)).rejects.toThrow('enough');
  });
});
