import { fc } from '@fast-check/vitest';
import type { Pool } from 'mysql2/promise';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { watchTruth } from '../../src/app/jobs.ts';
import type { Id } from '../../src/contracts/id.ts';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { DatabaseUnavailable, StatementTooSlow } from '../../src/mysql/database.ts';
import { readAllContacts } from '../../src/mysql/statements/all-contacts.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { PageCheck } from '../../src/repair/page-check.ts';
import { Windows } from '../../src/repair/sampler/windows.ts';
import { type CheckedTruth, TruthCheck } from '../../src/repair/truth-check.ts';
import { drawPairs, sampleTruth } from '../../src/repair/truth-sample.ts';
import { openLogger } from '../../src/tracing/logger.ts';
import { passedAtOnce } from '../support/barriers.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { createRepair, Sampler, Verify } from '../support/jobs-of-contacts.ts';
import { freshFence } from '../support/repair-site.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

/** A site with its own tables and names: accounts follow one another; posts are marked as deleted, and some are private. */
const TABLES = [
  `CREATE TABLE accounts (id BIGINT UNSIGNED PRIMARY KEY, newest_of_all BIGINT, newest_open BIGINT, newest_close BIGINT,
    newest_double DOUBLE, newest_decimal DECIMAL(20, 3), newest_taken DATETIME(6))`,
  `CREATE TABLE follows (follower BIGINT UNSIGNED, followee BIGINT UNSIGNED, is_close BOOLEAN DEFAULT FALSE,
    blocked BOOLEAN DEFAULT FALSE, PRIMARY KEY (follower, followee), KEY (followee, follower))`,
  `CREATE TABLE posts (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, author BIGINT UNSIGNED, circle TINYINT UNSIGNED,
    deleted BOOLEAN DEFAULT FALSE, private BOOLEAN DEFAULT FALSE, taken DATETIME(6) NULL, at BIGINT, KEY (author, circle, at, id))`,
];

/** The last upload by the visible posts; circle 1 is for those the author calls close. */
const RIGHT = 'GREATEST(COALESCE(accounts.newest_open, 0), IF(back.is_close, COALESCE(accounts.newest_close, 0), 0))';
const OF_ALL = 'accounts.newest_of_all';

const LIMITS = { max: 6, min: 3 };
const USERS = 20;
const AUTHORS = 40;
const FOLLOWED = 15;
const author = (i: number) => 1_000 + (i % AUTHORS);

interface Site {
  readonly stores: Stores;
  readonly pool: Pool;
}

async function view(pool: Pool, lastUploadAt: string, sees = '1 | IF(back.is_close, 2, 0)'): Promise<void> {
  await pool.query(`CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_contacts AS
    SELECT follows.follower AS user_id, follows.followee AS contact_id, NOT follows.blocked AS related,
           ${lastUploadAt} AS last_upload_at, ${sees} AS sees, FALSE AS is_friend, FALSE AS is_family, 1 AS version
    FROM follows STRAIGHT_JOIN accounts ON accounts.id = follows.followee
    LEFT JOIN follows AS back ON back.follower = follows.followee AND back.followee = follows.follower`);
}

async function photosView(pool: Pool, uploadedAt = 'at'): Promise<void> {
  await pool.query(`CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_photos AS
    SELECT id, author AS owner_id, circle AS audience, ${uploadedAt} AS uploaded_at, 'a post' AS title
    FROM posts WHERE NOT deleted AND NOT private`);
}

/** What the site's own code does with each post, for all posts at once. */
async function fillColumns(pool: Pool): Promise<void> {
  const newest = (where: string) => `(SELECT MAX(at) FROM posts WHERE author = accounts.id AND ${where})`;
  const visible = 'NOT deleted AND NOT private';
  await pool.query(`UPDATE accounts SET newest_of_all = ${newest('TRUE')},
    newest_open = ${newest(`${visible} AND circle = 0`)}, newest_close = ${newest(`${visible} AND circle = 1`)}`);
}

async function foreignSite(): Promise<Site> {
  const stores = await freshStores(LIMITS);
  const pool = freshSitePool(stores.url);
  for (const table of TABLES) await pool.query(table);
  const authors = Array.from({ length: AUTHORS }, (_, i) => author(i));
  const users = Array.from({ length: USERS }, (_, i) => i + 1);
  await pool.query('INSERT INTO accounts (id) VALUES ?', [[...users, ...authors].map((id) => [id])]);
  const pairs = users.flatMap((user) => Array.from({ length: FOLLOWED }, (_, k) => [user, author(user + k), false]));
  const close = users.filter((user) => user % 2 === 0).map((user) => [author(user), user, true]);
  await pool.query('INSERT INTO follows (follower, followee, is_close) VALUES ?', [[...pairs, ...close]]);
  const posts = authors.flatMap((id, i) => [
    [id, 0, false, false, 10_000 + i],
    ...(i % 3 === 0 ? [[id, 0, false, true, 90_000 + i]] : []),
    ...(i % 3 === 1 ? [[id, 0, true, false, 80_000 + i]] : []),
    ...(i % 4 === 0 ? [[id, 1, false, false, 20_000 + i]] : []),
  ]);
  await pool.query('INSERT INTO posts (author, circle, deleted, private, at) VALUES ?', [posts]);
  await photosView(pool);
  await fillColumns(pool);
  await view(pool, RIGHT);
  return { stores, pool };
}

let site: Site;
const everybody: readonly Id[] = Array.from({ length: USERS }, (_, i) => String(i + 1));
beforeAll(async () => {
  site = await foreignSite();
});
beforeEach(async () => {
  await photosView(site.pool);
  await view(site.pool, RIGHT);
});

const now = () => performance.now();
const CLOCKS = { now, clock: Date.now, random: Math.random };

function checkParts(primary: ContactsDatabase = site.stores.primary) {
  const { index } = site.stores;
  return { index, primary, limits: LIMITS, raiseBarrier: passedAtOnce, graceMs: 0, settleMs: 1_000, ...CLOCKS };
}

/** The primary, with other answers. */
function withRows(rows: ContactsDatabase['rows']): ContactsDatabase {
  const other: ContactsDatabase = new Proxy(site.stores.primary, {
    get: (primary, name) => {
      if (name === 'rows') return rows;
      if (name === 'server') return other;
      const value = Reflect.get(primary, name, primary);
      return typeof value === 'function' ? value.bind(primary) : value;
    },
  });
  return other;
}

async function verified(primary: ContactsDatabase = site.stores.primary) {
  const check = new PageCheck(checkParts(primary));
  const job = new Verify({ primary, check, now, random: Math.random, pageSize: 7 }, {});
  await runToEnd(job);
  return job.result;
}

async function repaired(dryRun: boolean, primary: ContactsDatabase = site.stores.primary) {
  const { steps } = site.stores;
  const stores = {
    primary,
    check: new PageCheck(checkParts(primary)),
    steps,
    now,
    random: Math.random,
    rowsRead: () => 0,
  };
  const job = createRepair({ ...stores, fence: await freshFence(site.stores), clock: Date.now }, { dryRun });
  await runToEnd(job);
  return job.result;
}

async function sampled(): Promise<CheckedTruth[]> {
  const found: CheckedTruth[] = [];
  const sampler = new Sampler({
    ...{ ...checkParts(), rate: 10, windows: new Windows(now) },
    ...{ reports: { write: async () => undefined }, logger: openLogger({ logLevel: 'silent' }, 'consume', 2) },
    onTruth: (truth) => found.push(truth),
  });
  for (let round = 0; round < 3; round++) await sampler.runOnce();
  await sampler.idle();
  return found;
}

/** The contradictions by definition, over every row, without any statement of the product. */
async function contradictions(): Promise<{ pairs: number; wrong: string[] }> {
  const [rows] = await site.pool.query(`
    SELECT c.user_id AS user, c.contact_id AS contact, FLOOR(c.last_upload_at) AS view_says,
      (SELECT MAX(FLOOR(p.uploaded_at)) FROM recency_photos AS p
       WHERE p.owner_id = c.contact_id AND p.uploaded_at >= 1 AND (c.sees >> p.audience) & 1 = 1) AS photos_say
    FROM recency_contacts AS c WHERE c.related`);
  const all = rows as { user: string; contact: string; view_says: unknown; photos_say: unknown }[];
  const time = (at: unknown) => Math.min(Math.max(0, Number(at ?? 0)), Number.MAX_SAFE_INTEGER);
  const wrong = all.filter((row) => time(row.view_says) !== time(row.photos_say));
  return { pairs: all.length, wrong: wrong.map(({ user, contact }) => `${user} ${contact}`).sort() };
}

describe('a view that contradicts the photos', () => {
  it('is found by verify in every pair, separately from wrong indexes and answers', async () => {
    await view(site.pool, OF_ALL);
    await run(rebuild(everybody), site.stores.steps);
    const expected = await contradictions();
    expect(expected.wrong.length).toBeGreaterThan(100);
    const result = await verified();
    expect(result).toMatchObject({ wrong: 0, visible: 0, unsettled: 0, answers_wrong: 0, failed: 0 });
    expect(result.truth).toEqual({ pairs: expected.pairs, wrong: expected.wrong.length });
    const users = new Set(expected.wrong.map((pair) => pair.split(' ')[0])).size;
    expect(result.classes.truth).toBe(users);
    expect(result.visible_classes.truth).toBe(users);
    expect(result.wrong_pairs).toHaveLength(20);
    expect(result.wrong_pairs).toContainEqual({ user: '1', contact: '1003', view_says: 90_003, photos_say: 10_003 });
  });

  it('is not fixed by repair, which says so, and counts nobody as repaired or still wrong', async () => {
    await view(site.pool, OF_ALL);
    await run(rebuild(everybody), site.stores.steps);
    for (const dryRun of [true, false]) {
      const result = await repaired(dryRun);
      expect(result).toMatchObject({ wrong: 0, repaired: 0, still_wrong: 0, still_unsettled: 0, failed: 0 });
      expect(result.classes.truth).toBeGreaterThanOrEqual(USERS);
      expect(result.truth.pairs).toBeGreaterThanOrEqual(USERS * LIMITS.max); // every head, at the least
      expect(result.wrong_pairs[0]).toMatchObject({ view_says: expect.any(Number), photos_say: expect.any(Number) });
    }
  });

  it('is found by the sampler', async () => {
    await view(site.pool, OF_ALL);
    await run(rebuild(everybody), site.stores.steps);
    const found = await sampled();
    expect(found.reduce((sum, { counts }) => sum + counts.wrong, 0)).toBeGreaterThan(0);
    const says = found.flatMap(({ wrong }) => wrong.map(({ view_says }) => Number(view_says)));
    expect(says.some((at) => at >= 80_000)).toBe(true); // a post that is deleted or private; which, is drawn
  });

  it('is logged with an example and counted by a process that starts, and not logged again while it lasts', async () => {
    await view(site.pool, OF_ALL);
    const { lines, count, hear } = watched();
    await until(async () => (await count('wrong')) > 0);
    expect(lines).toMatchObject([
      // How many pairs are drawn depends on whose they are: some users have one contact.
      { level: 50, pairs: expect.any(Number), msg: expect.stringContaining('recency verify'), example: {} },
    ]);
    const example = lines[0]?.example as Record<string, unknown>;
    expect(example).toEqual({
      ...{ user: expect.any(String), contact: expect.any(String) },
      ...{ view_says: expect.any(Number), photos_say: expect.any(Number) },
    });
    const before = await count('wrong');
    await until(async () => {
      hear(await sampleTruth({ primary: site.stores.primary, ...CLOCKS }, 50), CONTACTS);
      return (await count('wrong')) > before;
    });
    expect(lines).toHaveLength(1);
  });

  it('is looked for again if MySQL was unavailable at the start', async () => {
    await view(site.pool, OF_ALL);
    let asked = 0;
    const rows: ContactsDatabase['rows'] = async (...args) => {
      if (asked++ === 0) throw new DatabaseUnavailable('MySQL is not available: away');
      return await site.stores.primary.rows(...args);
    };
    const { lines, count } = watched(withRows(rows));
    await until(async () => (await count('wrong')) > 0);
    expect(lines).toMatchObject([
      { level: 40, pauseMs: 1_000 },
      { level: 50, pairs: expect.any(Number) },
    ]);
  });

  it.each([
    ['all NULL', 'CAST(NULL AS SIGNED)', true],
    ['a column for all, where some may see more', 'accounts.newest_open', false], // few pairs, in nobody's head
    ['a column that only some may see', 'accounts.newest_close', true],
    ['seconds', `(${RIGHT}) DIV 1000`, true],
  ])('is found when it is %s', async (_what, column, byRepair) => {
    await view(site.pool, column);
    await site.stores.index.drop(everybody);
    const expected = await contradictions();
    expect(expected.wrong.length).toBeGreaterThan(0);
    expect((await verified()).truth).toEqual({ pairs: expected.pairs, wrong: expected.wrong.length });
    expect((await sampleTruth({ primary: site.stores.primary, ...CLOCKS }, 10_000)).counts.wrong).toBe(
      expected.wrong.length,
    );
    if (!byRepair) return;
    await run(rebuild(everybody), site.stores.steps);
    expect((await repaired(true)).truth.wrong).toBeGreaterThan(0); // beside the heads, where they are empty
  });

  it('is found for audiences beyond the common ones', async () => {
    const sees = '1 << 40';
    await site.pool.query('INSERT INTO posts (author, circle, at) SELECT id, 40, 50000 FROM accounts');
    await view(site.pool, RIGHT, sees);
    const { pairs, wrong } = await contradictions();
    expect((await verified()).truth).toEqual({ pairs, wrong: wrong.length });
    await view(site.pool, '50000', sees);
    expect((await verified()).truth).toEqual({ pairs, wrong: 0 });
    await site.pool.query('DELETE FROM posts WHERE circle = 40');
  });
});

describe('pairs that cannot be compared with the photos', () => {
  const slow = new StatementTooSlow('MySQL: too slow');

  /** MySQL, with statements over photos that are too slow for more than some number of items, or for certain users. */
  function primaryWith(isTooSlow: (asked: readonly unknown[]) => boolean) {
    let statements = 0;
    const { primary } = site.stores;
    const rows: ContactsDatabase['rows'] = async (sql, parameters, options) => {
      if (sql.includes('recency_photos') && typeof parameters[0] === 'string' && parameters[0].startsWith('[')) {
        statements++;
        if (isTooSlow(JSON.parse(parameters[0]))) throw slow;
      }
      return await primary.rows(sql, parameters, options);
    };
    const database = withRows(rows);
    return { truth: new TruthCheck({ primary: database, ...CLOCKS }), database, statements: () => statements };
  }
  const allPairs = () =>
    everybody.flatMap((user, u) =>
      Array.from({ length: FOLLOWED }, (_, k) => ({ user, contact: String(author(u + 1 + k)) })),
    );

  it('in one statement are compared in smaller ones', async () => {
    await view(site.pool, OF_ALL);
    const expected = await new TruthCheck({ primary: site.stores.primary, ...CLOCKS }).ofPairs(allPairs());
    const { truth } = primaryWith((asked) => asked.length > 7);
    expect((await truth.ofPairs(allPairs())).counts).toEqual(expected.counts);
    const rows = await readAllContacts(site.stores.primary, '4');
    const whole = await new TruthCheck({ primary: site.stores.primary, ...CLOCKS }).ofRows('4', rows);
    expect(whole.counts.wrong).toBeGreaterThan(0);
    expect(await truth.ofRows('4', rows)).toEqual(whole);
  });

  it('even alone are left out, and the others are compared', async () => {
    const one = JSON.stringify(['1', String(author(3))]);
    const { truth } = primaryWith((asked) => asked.some((pair) => JSON.stringify(pair) === one));
    const compared = { counts: { pairs: USERS * FOLLOWED - 1, wrong: 0 }, unread: 1 };
    expect(await truth.ofPairs(allPairs())).toMatchObject(compared);
  });

  it('are logged as one number for a page of users', async () => {
    const { database } = primaryWith(() => true);
    const lines: unknown[] = [];
    const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
    await new PageCheck({ ...checkParts(database), logger }).answers(everybody, false);
    const msg = 'some pairs could not be compared with the photos';
    expect(lines).toMatchObject([{ level: 40, pairs: USERS * FOLLOWED, msg }]);
  });

  it('at all are given up soon, and repair still works', async () => {
    await run(rebuild(everybody), site.stores.steps);
    const { truth, database, statements } = primaryWith(() => true);
    expect((await truth.ofPairs(allPairs())).counts).toEqual({ pairs: 0, wrong: 0 });
    expect(statements()).toBeLessThan(20);
    expect(await verified(database)).toMatchObject({ failed: 0, truth: { pairs: 0, wrong: 0 } });
    await site.pool.query('UPDATE accounts SET newest_open = 500000 WHERE id = ?', [author(3)]); // of which no task speaks
    const result = await repaired(false, database);
    expect(result).toMatchObject({ failed: 0, still_wrong: 0, truth: { pairs: 0, wrong: 0 } });
    expect(result.repaired).toBeGreaterThan(0);
    await fillColumns(site.pool);
  });
});

/** Like a process that starts. */
function watched(primary: ContactsDatabase = site.stores.primary) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const registry = new Registry();
  const resources = new AsyncDisposableStack();
  onTestFinished(() => resources.disposeAsync());
  const fail = (error: unknown) => {
    throw error;
  };
  const config = { mysqlTimeoutMs: 5_000 };
  const hear = watchTruth({ config, logger, resources, fail }, { registry, kinds: [{ kind: CONTACTS, primary }] });
  const count = async (outcome: string) => {
    const metric = await registry.getSingleMetric('recency_sampled_pairs_total')?.get();
    return metric?.values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
  };
  return { lines, count, hear };
}

describe('a view that agrees with the photos', () => {
  it('is not reported, nor are pairs that are no longer related', async () => {
    await run(rebuild(everybody), site.stores.steps);
    await site.pool.query('UPDATE follows SET blocked = TRUE WHERE follower = 3');
    await view(site.pool, `IF(follows.blocked, 77, ${RIGHT})`);
    const result = await verified();
    expect(result.truth).toEqual({ pairs: (await contradictions()).pairs, wrong: 0 });
    expect(result.truth.pairs).toBe(USERS * FOLLOWED + USERS / 2 - FOLLOWED);
    expect((await sampled()).every(({ counts }) => counts.wrong === 0)).toBe(true);
    const { lines, count } = watched();
    await until(async () => (await count('right')) > 0);
    expect(lines).toEqual([]);
    await site.pool.query('UPDATE follows SET blocked = FALSE');
  });

  it('is not reported while posts and columns change in the same transactions', async () => {
    let ended = false;
    const writing = (async () => {
      for (let i = 0; !ended; i++) {
        const id = author(i);
        const connection = await site.pool.getConnection();
        await connection.beginTransaction();
        await connection.query('INSERT INTO posts (author, circle, at) VALUES (?, 0, ?)', [id, 100_000 + i]);
        await connection.query('UPDATE accounts SET newest_open = ? WHERE id = ?', [100_000 + i, id]);
        await connection.commit();
        connection.release();
      }
    })();
    for (let i = 0; i < 5; i++) {
      expect((await verified()).truth.wrong).toBe(0);
      expect((await sampleTruth({ primary: site.stores.primary, ...CLOCKS }, 10_000)).counts.wrong).toBe(0);
    }
    ended = true;
    await writing;
    await site.pool.query('DELETE FROM posts WHERE at >= 100000');
    await fillColumns(site.pool);
  });
});

describe('whatever the rows and columns contain', () => {
  const FUTURE = 4_102_444_800_000;
  const time = fc.constantFrom(null, -5, 0, 1, 5_000, 5_000, 5_001, FUTURE, Number.MAX_SAFE_INTEGER);
  const post = fc.record({ at: time, circle: fc.nat(2), deleted: fc.boolean(), private: fc.boolean() });
  /** What the site's column has instead of the true time; undefined: the true time. */
  const column = fc.option(time, { nil: undefined, freq: 3 });
  const drawn = fc.array(fc.record({ posts: fc.array(post, { maxLength: 4 }), column }), {
    minLength: 1,
    maxLength: 8,
  });

  it('exactly the wrong pairs are found', async () => {
    const { pool, stores } = site;
    const seen = { right: 0, wrong: 0 };
    const kept = 'FROM accounts WHERE id BETWEEN 5001 AND 5999';
    await fc.assert(
      fc.asyncProperty(drawn, async (authors) => {
        await pool.query('DELETE FROM posts WHERE author BETWEEN 5001 AND 5999');
        await pool.query(`DELETE ${kept}`);
        await pool.query('DELETE FROM follows WHERE follower = 5000');
        const ids = authors.map((_, i) => 5_001 + i);
        await pool.query('INSERT INTO accounts (id) VALUES ?', [ids.map((id) => [id])]);
        await pool.query('INSERT INTO follows (follower, followee) VALUES ?', [ids.map((id) => [5_000, id])]);
        const posts = authors.flatMap((of, i) => of.posts.map((p) => [ids[i], p.circle, p.deleted, p.private, p.at]));
        if (posts.length > 0) {
          await pool.query('INSERT INTO posts (author, circle, deleted, private, at) VALUES ?', [posts]);
        }
        await fillColumns(pool);
        for (const [i, { column: other }] of authors.entries()) {
          if (other !== undefined)
            await pool.query('UPDATE accounts SET newest_open = ? WHERE id = ?', [other, ids[i]]);
        }
        const check = new PageCheck(checkParts());
        const job = new Verify({ primary: stores.primary, check, now, random: Math.random }, { user: '5000' });
        await runToEnd(job);
        const expected = (await contradictions()).wrong.filter((pair) => pair.startsWith('5000 '));
        const found = job.result.wrong_pairs.map(({ user, contact }) => `${user} ${contact}`).sort();
        expect(found).toEqual(expected);
        seen.wrong += found.length;
        seen.right += job.result.truth.pairs - found.length;
      }),
      { numRuns: 25 },
    );
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(0);
    await pool.query('DELETE FROM posts WHERE author BETWEEN 5001 AND 5999');
    await pool.query(`DELETE ${kept}`);
    await pool.query('DELETE FROM follows WHERE follower = 5000');
  });

  it('times of other types are compared in whole milliseconds', async () => {
    const { pool } = site;
    const taken = "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', accounts.newest_taken)";
    await pool.query("UPDATE posts SET taken = TIMESTAMP'2004-05-01 12:00:00.123999' + INTERVAL id * 700 MICROSECOND");
    await pool.query(
      `UPDATE posts SET at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', taken) DIV 1000`,
    );
    await pool.query(`UPDATE accounts SET newest_taken = (SELECT MAX(taken) FROM posts
      WHERE author = accounts.id AND NOT deleted AND NOT private AND circle = 0)`);
    await fillColumns(pool);
    for (const column of [`${taken} DIV 1000`, `${taken} / 1000`, `${taken} / 1e3`]) {
      await view(pool, column, '1');
      const { truth } = await verified();
      expect(truth).toEqual({ pairs: (await contradictions()).pairs, wrong: 0 });
    }
    // A column that rounds, where the photos' time is truncated, is a millisecond late for half of them.
    await view(pool, `CAST(ROUND(${taken} / 1000) AS SIGNED)`, '1');
    expect((await verified()).truth.wrong).toBe((await contradictions()).wrong.length);
  });
});

describe('pairs from all over a table', () => {
  it('are drawn among small ids and after large gaps, each once, without reading the others', async () => {
    const { pool, stores } = site;
    await pool.query('CREATE TABLE many (a BIGINT UNSIGNED, b BIGINT UNSIGNED, PRIMARY KEY (a, b))');
    const users = Array.from({ length: 2_000 }, (_, i) => String(i < 1_990 ? i + 1 : 2n ** 63n + BigInt(i)));
    const rows = users.flatMap((a) => Array.from({ length: 10 }, (_, k) => [a, k + 1]));
    await pool.query('INSERT INTO many VALUES ?', [rows]);
    await pool.query(`CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_contacts AS SELECT a AS user_id, b AS contact_id,
      TRUE AS related, 1 AS last_upload_at, 1 AS sees, FALSE AS is_friend, FALSE AS is_family, 1 AS version FROM many`);
    let rowsRead = 0;
    class Counting extends ContactsDatabase {
      override async rows(...asked: Parameters<ContactsDatabase['rows']>) {
        const found = await super.rows(...asked);
        rowsRead += found.length;
        return found;
      }
    }
    await using primary = new (class extends Counting {
      async [Symbol.asyncDispose]() {
        await this.close();
      }
    })(stores.url, { connections: 4, queue: 100, deadlineMs: 60_000 });
    const pairs = await drawPairs(primary, 1_000, Math.random);
    expect(new Set(pairs.map(({ user, contact }) => `${user} ${contact}`)).size).toBe(pairs.length);
    expect(pairs).toHaveLength(1_000);
    const small = [0, 500, 1_000, 1_500].map(
      (from) => pairs.filter(({ user }) => Number(user) > from && Number(user) <= from + 500).length,
    );
    expect(Math.min(...small)).toBeGreaterThan(100);
    expect(pairs.some(({ user }) => BigInt(user) > 2n ** 62n)).toBe(true);
    expect(rowsRead).toBeLessThan(3_000);
  });
});
