import { fc, test } from '@fast-check/vitest';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import { GREATEST_ID, type Id } from '../../src/contracts/id.ts';
import { type Database, DatabaseUnavailable, StatementTooSlow } from '../../src/mysql/database.ts';
import { sampleUsers, UserDraw } from '../../src/repair/find-users.ts';
import { sampleTruth } from '../../src/repair/truth-sample.ts';
import { findNextUser, findUsersAmong } from '../../src/repair/unreadable-users.ts';
import { createUserPages } from '../../src/repair/user-pages.ts';
import { RateLimiter } from '../../src/timing/limiter.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { closeAtEnd, sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshStores, type Stores } from '../support/stores.ts';

const CONTACTS = ['1', '2', '3'];

let stores: Stores;
let pool: Pool;
beforeAll(async () => {
  stores = await freshStores();
  pool = openSitePool(stores.url);
  closeAtEnd(() => pool.end());
  await makeUnreadable(stores.url);
  await pool.query('INSERT INTO users (id) VALUES ?', [CONTACTS.map((id) => [id])]);
});

/** From here on the rows of the users in the table `unreadable` break every question that comes to them, each with one of three errors. */
async function makeUnreadable(url: string): Promise<void> {
  await sql(
    url,
    'RENAME TABLE recency_contacts TO readable_contacts',
    'CREATE TABLE unreadable (id BIGINT UNSIGNED PRIMARY KEY)',
    `CREATE FUNCTION is_readable(user BIGINT UNSIGNED) RETURNS BOOLEAN READS SQL DATA
     BEGIN
       IF EXISTS (SELECT * FROM unreadable WHERE id = user) THEN
         CASE user % 3
           WHEN 0 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'this row cannot be read';
           WHEN 1 THEN SIGNAL SQLSTATE '42000' SET MYSQL_ERRNO = 1172, MESSAGE_TEXT = 'this row cannot be read';
           ELSE SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 3691, MESSAGE_TEXT = 'this row cannot be read';
         END CASE;
       END IF;
       RETURN TRUE;
     END`,
    'CREATE VIEW recency_contacts AS SELECT * FROM readable_contacts WHERE is_readable(user_id)',
  );
}

async function writeUsers(users: readonly Id[], unreadable: readonly Id[]): Promise<void> {
  await pool.query('DELETE FROM contacts');
  await pool.query('DELETE FROM unreadable');
  if (users.length > 0) {
    const pairs = users.flatMap((user) => CONTACTS.map((contact) => [user, contact]));
    await pool.query('INSERT INTO contacts (user_id, contact_id) VALUES ?', [pairs]);
  }
  if (unreadable.length > 0) await pool.query('INSERT INTO unreadable (id) VALUES ?', [unreadable.map((id) => [id])]);
}

async function allPages(pageSize: number): Promise<Id[]> {
  const { primary } = stores;
  const rateLimiter = new RateLimiter(undefined, () => performance.now());
  const pages = await createUserPages({ primary, random: Math.random, pageSize, rateLimiter }, {});
  const all: Id[] = [];
  for (let page = await pages.next(); page !== undefined; page = await pages.next()) {
    all.push(...page);
    pages.done();
  }
  return all;
}

const LAST = BigInt(GREATEST_ID);
const id = fc.oneof(fc.bigInt(1n, 60n), fc.bigInt(1n, LAST), fc.constant(LAST));
const users = fc
  .uniqueArray(id, { minLength: 4, maxLength: 25 })
  .map((ids) => ids.toSorted((a, b) => (a < b ? -1 : 1)).map(String));

describe('users whose rows cannot be read, in the view of the relationships,', () => {
  test.prop([users, fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 20 }), fc.infiniteStream(fc.nat())], {
    numRuns: 15,
  })('are found with all others, each once and by id', async (all, most, pageSize, places) => {
    const unreadable = [...new Set([...places.take(most)].map((place) => all[place % all.length] as Id))];
    await writeUsers(all, unreadable);
    expect(await allPages(pageSize)).toEqual(all);
    expect(await sampleUsers(stores.primary, all.length, Math.random)).toEqual(all);
    const drawn = new UserDraw(stores.primary, Math.random);
    for (const user of await drawn.next(20)) expect(all).toContain(user);
  });

  it('are left out where pairs are compared with the photos', async () => {
    await writeUsers(['10', '11', '12'], ['11']);
    const stored = { primary: stores.primary, random: Math.random, now: () => performance.now() };
    expect((await sampleTruth(stored, 100)).counts).toEqual({ pairs: 6, wrong: 0 });
  });

  it.each([
    ['is away', new DatabaseUnavailable('away')],
    ['is too slow', new StatementTooSlow('too slow')],
  ])('are not looked for where MySQL %s', async (_, error) => {
    let asked = 0;
    const rows = async () => {
      asked++;
      throw error;
    };
    const failing = { server: { rows } as unknown as Database, statements: stores.primary.statements };
    await expect(findUsersAmong(failing, ['1', '2'])).rejects.toThrow(error);
    await expect(findNextUser(failing, { after: '0', to: GREATEST_ID })).rejects.toThrow(error);
    expect(asked).toBe(2);
  });

  it('are not made up where nothing can be read', async () => {
    await writeUsers(['10', '11', '12', '900'], ['11']);
    const materialized = 'SELECT * FROM readable_contacts WHERE is_readable(user_id) LIMIT 1000000';
    await sql(stores.url, `CREATE OR REPLACE VIEW recency_contacts AS ${materialized}`);
    await expect(allPages(10)).rejects.toThrow('this row cannot be read');
    await expect(sampleUsers(stores.primary, 5, Math.random)).rejects.toThrow('this row cannot be read');
    await expect(findUsersAmong(stores.primary, ['10', '12'])).rejects.toThrow('this row cannot be read');
  });
});

describe('a user whose rows cannot be read', () => {
  it.each([
    ['backfill', { failed: 1, failed_users: [{ user: '3', reason: expect.stringContaining('cannot be read') }] }],
    ['verify', { users: 5, wrong: 0, failed: 1, failed_users: [{ user: '3' }] }],
    ['repair', { users: 5, wrong: 0, failed: 1, failed_users: [{ user: '3' }] }],
  ] as const)('is named by %s, which processes all others and ends with 1', async (command, report) => {
    const settings = await serviceSettings();
    await indexedSite(settings, ['1', '2', '3', '4', '5'], ['101', '102', '103']);
    await makeUnreadable(settings.MYSQL_URL);
    await sql(settings.MYSQL_URL, 'INSERT INTO unreadable (id) VALUES (3)');
    const { code, json } = await runInProcess([command, '--json'], settings);
    expect(json()).toMatchObject([report]);
    expect(code).toBe(1);
  });
});
