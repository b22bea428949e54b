import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkColumns } from '../../src/health/check-mysql.ts';
import { type RaiseBarrier, sharedBarrier } from '../../src/index/drain-barrier.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import { readPhotos } from '../../src/mysql/statements/photos.ts';
import { findColumnProblems, findPlanProblems } from '../../src/mysql/view-checks.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { PageCheck } from '../../src/repair/page-check.ts';
import { USUAL_SITE } from '../../src/site/site.ts';
import { startConsuming } from '../support/consuming.ts';
import { createRepair, Verify } from '../support/jobs-of-contacts.ts';
import { freshFence } from '../support/repair-site.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const USER = '1';

/** Contact, and the time of its newest photo, with more digits than a millisecond has. */
const TIMES: readonly [string, string][] = [
  ['101', '2004-05-01 12:00:00.123456'],
  ['102', '2004-05-01 12:00:00.123999'],
  ['103', '2004-05-01 12:00:00.124000'],
  ['104', '2021-10-31 02:30:00.000001'],
  ['105', '1970-01-01 00:00:00.000400'], // no whole millisecond after 1970
  ['106', '1999-12-31 23:59:59.999999'],
];

/** As in an index: highest key first; ids break ties. */
const EXPECTED = [
  { id: '104', at: Date.parse('2021-10-31T02:30:00.000Z') },
  { id: '103', at: Date.parse('2004-05-01T12:00:00.124Z') },
  { id: '102', at: Date.parse('2004-05-01T12:00:00.123Z') },
  { id: '101', at: Date.parse('2004-05-01T12:00:00.123Z') },
  { id: '106', at: Date.parse('1999-12-31T23:59:59.999Z') },
];

interface Site {
  readonly stores: Stores;
  readonly pool: Pool;
}

/** A site that stores times as DATETIME(6), in UTC, without views so far. */
async function foreignSite(): Promise<Site> {
  const stores = await freshStores({ max: 10, min: 3 });
  const pool = freshSitePool(stores.url);
  await pool.query(
    `CREATE TABLE members (id BIGINT UNSIGNED PRIMARY KEY, newest DATETIME(6), seen_at TIMESTAMP(6) NULL)`,
  );
  await pool.query('CREATE TABLE ties (a BIGINT UNSIGNED, b BIGINT UNSIGNED, PRIMARY KEY (a, b), KEY (b, a))');
  await pool.query(`CREATE TABLE pictures (id BIGINT UNSIGNED PRIMARY KEY, member BIGINT UNSIGNED, shared TINYINT UNSIGNED, taken DATETIME(6),
    taken_ms BIGINT AS (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', taken) DIV 1000) STORED,
    KEY (member, shared, taken_ms, id))`);
  await pool.query('INSERT INTO members (id, newest) VALUES ?', [TIMES.map((row) => [...row])]);
  await pool.query('INSERT INTO ties VALUES ?', [TIMES.map(([contact]) => [USER, contact])]);
  await pool.query('INSERT INTO pictures (id, member, shared, taken) VALUES ?', [
    TIMES.map(([contact, at], i) => [i + 1, contact, 0, at]),
  ]);
  await contactsView(pool, RECIPE);
  await pool.query(`CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_photos AS
    SELECT id, member AS owner_id, shared AS audience, taken_ms AS uploaded_at, 'a picture' AS title FROM pictures`);
  return { stores, pool };
}

/** As docs/adopting.md gives it. */
const RECIPE = "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', members.newest) DIV 1000";

async function contactsView(pool: Pool, lastUploadAt: string, version = '1'): Promise<void> {
  await pool.query(`CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_contacts AS
    SELECT ties.a AS user_id, ties.b AS contact_id, TRUE AS related, ${lastUploadAt} AS last_upload_at, 1 AS sees,
           FALSE AS is_friend, FALSE AS is_family, ${version} AS version
    FROM ties STRAIGHT_JOIN members ON members.id = ties.b`);
}

async function indexOf({ stores }: Site) {
  const reading = await stores.index.read(USER, 0, false);
  return reading.state === 'warm' ? reading.head : reading;
}

function jobsOn({ stores }: Site) {
  const { index, primary } = stores;
  const now = () => performance.now();
  const raiseBarrier: RaiseBarrier = async () => sharedBarrier(async () => true);
  const check = new PageCheck({
    index,
    primary,
    limits: { max: 10, min: 3 },
    raiseBarrier,
    graceMs: 0,
    settleMs: 1_000,
    now,
    clock: Date.now,
    random: Math.random,
  });
  return { primary, check, now, random: Math.random };
}

async function verified(site: Site) {
  const job = new Verify(jobsOn(site), { user: USER });
  await runToEnd(job);
  return job.result;
}

/** Builds, refreshes and verifies: all see the same whole milliseconds. */
async function expectRight(site: Site): Promise<void> {
  const { steps } = site.stores;
  await run(rebuild([USER]), steps);
  expect(await indexOf(site)).toEqual(EXPECTED);
  await run(refresh(TIMES.map(([contact]) => ({ user: USER, contact }))), steps);
  expect(await indexOf(site)).toEqual(EXPECTED);
  expect(await verified(site)).toMatchObject({ warm: 1, wrong: 0, answers_wrong: 0, failed: 0 });
}

describe('a site that stores its times as DATETIME(6)', () => {
  let site: Site;
  beforeAll(async () => {
    site = await foreignSite();
  });

  it('gets whole milliseconds with the recipe, from indexes, without complaints', async () => {
    await contactsView(site.pool, RECIPE);
    await expectRight(site);
    expect(await findColumnProblems(site.stores.primary, USUAL_SITE)).toEqual([]);
    expect(await findPlanProblems([site.stores.primary])).toEqual([]);
    const photos = await readPhotos(site.stores.primary, USER, [{ id: '102', sees: '1' }], 3);
    expect(photos.get('102')?.photos).toEqual([{ id: '2', uploadedAt: EXPECTED[2]?.at, title: 'a picture' }]);
  });

  it('gets the same times in any session time zone with the recipe, but not with UNIX_TIMESTAMP', async () => {
    const connection = await site.pool.getConnection();
    onTestFinished(() => connection.destroy());
    const seen = async (expression: string, zone: string) => {
      await connection.query('SET time_zone = ?', [zone]);
      const [rows] = await connection.query(`SELECT ${expression} AS at FROM members WHERE id = 101`);
      return Number((rows as { at: unknown }[])[0]?.at);
    };
    const trap = 'CAST(FLOOR(UNIX_TIMESTAMP(members.newest) * 1000) AS SIGNED)';
    expect(await seen(RECIPE, '+00:00')).toBe(EXPECTED[3]?.at);
    expect(await seen(RECIPE, '+05:00')).toBe(EXPECTED[3]?.at);
    expect(await seen(trap, '+00:00')).toBe(EXPECTED[3]?.at);
    expect(await seen(trap, '+05:00')).toBe(Number(EXPECTED[3]?.at) - 5 * 3_600_000);

    // For a TIMESTAMP it is the other way round.
    await connection.query("SET time_zone = '+00:00'");
    await connection.query("UPDATE members SET seen_at = '2004-05-01 12:00:00.123456' WHERE id = 101");
    const ofTimestamp = 'CAST(FLOOR(UNIX_TIMESTAMP(members.seen_at) * 1000) AS SIGNED)';
    expect(await seen(ofTimestamp, '+05:00')).toBe(EXPECTED[3]?.at);
  });

  it.each([
    ['DECIMAL', 'UNIX_TIMESTAMP(members.newest) * 1000'],
    ['DOUBLE', "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', members.newest) / 1e3"],
  ])('is answered rightly when a view gives a %s, and told of it', async (type, expression) => {
    await contactsView(site.pool, expression);
    await expectBuilt(site);
    expect(await checkColumns(site.stores.primary, USUAL_SITE)).toMatchObject([
      {
        column: 'recency_contacts.last_upload_at',
        type: type.toLowerCase(),
        works: true,
        fix: expect.stringMatching(/CAST\(FLOOR/),
      },
    ]);
  });

  it('is refused a column of a time or text type', async () => {
    await contactsView(site.pool, 'members.newest', "'3'");
    await expect(checkColumns(site.stores.primary, USUAL_SITE)).rejects.toThrow(
      /recency_contacts.last_upload_at is of type datetime, which is not a whole number.*TIMESTAMPDIFF.*\n.*recency_contacts.version is of type varchar/,
    );
    await contactsView(site.pool, 'members.seen_at');
    await expect(checkColumns(site.stores.primary, USUAL_SITE)).rejects.toThrow(/is of type timestamp.*UNIX_TIMESTAMP/);
  });
});

/** The server's time zone decides these times; the index still has whole milliseconds. */
async function expectBuilt(site: Site): Promise<void> {
  const { steps } = site.stores;
  await run(rebuild([USER]), steps);
  const built = await indexOf(site);
  await run(refresh(TIMES.map(([contact]) => ({ user: USER, contact }))), steps);
  expect(await indexOf(site)).toEqual(built);
  expect(built).toMatchObject(EXPECTED.map(({ id }) => ({ id })));
  expect(await verified(site)).toMatchObject({ warm: 1, wrong: 0, answers_wrong: 0, failed: 0 });
}

describe('a row that cannot be read', () => {
  /** The newest photo of 103 is older than what the view subtracts: out of the range of an unsigned number. */
  const OUT_OF_RANGE = 'IF(members.id = 103, CAST(1 AS UNSIGNED) - CAST(2 AS UNSIGNED), 5000 + members.id)';

  it('becomes a dead letter with the reason, and delays no other task', async () => {
    const site = await foreignSite();
    const { stores, pool } = site;
    await pool.query('INSERT INTO ties VALUES (2, 101), (3, 103)');
    await run(rebuild([USER, '2', '3']), stores.steps);
    await contactsView(pool, OUT_OF_RANGE);
    const consuming = await startConsuming(stores, { relays: false });
    onTestFinished(() => consuming.stop());
    const task = "INSERT INTO recency_outbox (type, user_id, other_id) VALUES ('recency.contact.changed', ?, ?)";
    for (const pair of [
      ['2', '101'],
      [USER, '103'],
      [USER, '101'],
      [USER, '102'],
    ])
      await stores.primary.write(task, pair);
    await consuming.relayOnce();
    await until(async () => (await consuming.lag()) === 0);
    const { deadLetters } = consuming.transport;
    const letters = await deadLetters.list({ limit: 10 });
    const bodies = await Promise.all(
      letters.map(async ({ id }) => JSON.parse(String((await deadLetters.get(id))?.body))),
    );
    expect(bodies).toMatchObject([{ user: USER, contact: '103' }]);
    expect(letters[0]?.headers['dlq-exception-message']).toMatch(/out of range/);
    expect(await stores.index.read(USER, 0, false)).toEqual({ state: 'cold' }); // it lacks a change
    const other = await stores.index.read('2', 0, false);
    expect(other).toMatchObject({ state: 'warm', head: [{ id: '101', at: 5_101 }] });
  });

  it('is named by verify and repair, which process the other users', async () => {
    const site = await foreignSite();
    const { stores, pool } = site;
    await pool.query('INSERT INTO ties VALUES (2, 101), (3, 103)');
    await run(rebuild([USER, '2', '3']), stores.steps);
    await contactsView(pool, OUT_OF_RANGE);
    const repair = createRepair(
      {
        ...jobsOn(site),
        steps: stores.steps,
        fence: await freshFence(stores),
        clock: Date.now,
        rowsRead: () => 0,
      },
      {},
    );
    await runToEnd(repair);
    const reason = expect.stringMatching(/out of range/);
    expect(repair.result).toMatchObject({ users: 3, repaired: 1, still_wrong: 0, failed: 2 });
    expect(repair.result.failed_users).toEqual([
      { user: USER, reason },
      { user: '3', reason },
    ]);
  });
});
