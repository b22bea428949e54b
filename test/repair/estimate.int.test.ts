import { createConnection } from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GREATEST_ID, type Id } from '../../src/contracts/id.ts';
import { createUserPages } from '../../src/repair/user-pages.ts';
import { RateLimiter } from '../../src/timing/limiter.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { freshName, mysqlUrl } from '../support/servers.ts';
import { freshStores } from '../support/stores.ts';

/** A site whose users have the given numbers of contacts. */
async function siteOf(users: readonly Id[], contactsOf: (i: number) => number) {
  const { primary } = await freshStores();
  const rows = users.flatMap((user, i) => Array.from({ length: contactsOf(i) }, (_, n) => [user, String(n + 1)]));
  const people = [...new Set(rows.flat())].map((id) => [id]);
  const table = "JSON_TABLE(?, '$[*]' COLUMNS (a BIGINT UNSIGNED PATH '$[0]', b BIGINT UNSIGNED PATH '$[1]')) AS it";
  await primary.write(`INSERT INTO users (id, name) SELECT it.a, '' FROM ${table}`, [JSON.stringify(people)]);
  await primary.write(`INSERT INTO contacts (user_id, contact_id) SELECT it.a, it.b FROM ${table}`, [
    JSON.stringify(rows),
  ]);
  await primary.rows('ANALYZE TABLE contacts', []); // InnoDB does it by itself, a little later
  return primary;
}

/** The totals that a job would show before its first page and after each page. */
async function totalsOf(primary: ContactsDatabase, pageSize: number, from?: Id) {
  const rateLimiter = new RateLimiter(undefined, () => performance.now());
  const pages = await createUserPages(
    { primary, random: Math.random, pageSize, rateLimiter },
    { from, to: GREATEST_ID },
  );
  const totals: number[] = [];
  let seen = 0;
  for (let page = await pages.next(); page !== undefined; page = await pages.next()) {
    totals.push(pages.total(seen));
    seen += page.length;
    pages.done();
  }
  return { seen, totals, end: pages.total(seen) };
}

describe('the estimated number of users', () => {
  it('is exact from the start for few users, even with one distant id', async () => {
    const users = [...Array.from({ length: 300 }, (_, i) => String(i + 1)), String(2n ** 60n)];
    const { seen, totals, end } = await totalsOf(await siteOf(users, () => 3), 20);
    expect(seen).toBe(301);
    expect(new Set([...totals, end])).toEqual(new Set([301]));
  });

  it('is the least possible number where the account may not read estimates, and the job still covers everybody', async () => {
    const primary = await siteOf(
      Array.from({ length: 700 }, (_, i) => String(i + 1)),
      () => 4,
    );
    const [[name] = []] = await primary.rows('SELECT DATABASE()', []);
    const user = freshName();
    const admin = await createConnection(mysqlUrl());
    onTestFinished(async () => {
      await admin.query(`DROP USER ${user}`);
      await admin.end();
    });
    await admin.query(`CREATE USER ${user} IDENTIFIED BY 'pw'`);
    await admin.query(`GRANT SELECT ON ${name}.* TO ${user}`);
    const url = Object.assign(new URL(mysqlUrl()), { username: user, password: 'pw', pathname: `/${name}` }).href;
    const reader = new ContactsDatabase(url, { connections: 2, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => reader.close());
    const { seen, totals, end } = await totalsOf(reader, 100);
    expect({ seen, end }).toEqual({ seen: 700, end: 700 });
    for (const total of totals) expect(total).toBeLessThanOrEqual(700);
    expect(totals[0]).toBeGreaterThanOrEqual(500);
  });

  it('is not misled by users with very many contacts who come first', async () => {
    const users = Array.from({ length: 2_500 }, (_, i) => String(i + 1));
    const { seen, totals } = await totalsOf(await siteOf(users, (i) => (i < 3 ? 2_000 : 4)), 100);
    expect(seen).toBe(2_500);
    for (const total of totals) {
      expect(total, totals.join(' ')).toBeGreaterThan(seen / 3);
      expect(total, totals.join(' ')).toBeLessThan(seen * 3);
    }
  });

  it('is based on rows for many users, whatever their ids: within a factor of four, and nearly right towards the end', async () => {
    // Made from the time, in bursts, with one before all of them and one far behind.
    const bursts = Array.from({ length: 3_000 }, (_, i) => (2n ** 50n + BigInt(i) * 2n ** 22n) * (i < 1_500 ? 1n : 3n));
    const users = [1n, ...bursts, 2n ** 63n].map(String);
    const primary = await siteOf(users, (i) => (i === 2_500 ? 2_000 : 4));
    for (const from of [undefined, users[500] as Id]) {
      const { seen, totals, end } = await totalsOf(primary, 100, from);
      expect(seen).toBe(from === undefined ? 3_002 : 2_502);
      expect(end).toBe(seen);
      expect(Math.abs(Number(totals.at(-1)) - seen), totals.join(' ')).toBeLessThan(seen / 20);
      for (const total of totals) {
        expect(total, totals.join(' ')).toBeGreaterThan(seen / 4);
        expect(total, totals.join(' ')).toBeLessThan(seen * 4);
      }
    }
  });
});
