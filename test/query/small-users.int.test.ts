import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { RELATIONS } from '../../src/contracts/relation.ts';
import { allUntil } from '../../src/contracts/seen.ts';
import { allowanceOf, ENDLESS } from '../../src/index/allowance.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { RowCounts } from '../../src/mysql/row-counts.ts';
import { raiseSeen } from '../../src/mysql/statements/seen.ts';
import { countRows } from '../../src/mysql/statements/users.ts';
import { explain } from '../../src/query/explain.ts';
import { inspectIndex } from '../../src/query/inspect-index.ts';
import type { RecentQuery } from '../../src/query/recent-answer.ts';
import { RecentBatch } from '../../src/query/recent-batch.ts';
import { SmallUsers } from '../../src/query/small-users.ts';
import { cases } from '../support/cases.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { IDS, site } from '../support/site-arbitrary.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, NO_LAG, recentContactsOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 4, min: 2 };
/** Everybody of the small sites has fewer rows. */
const MANY = 64;
const USER = '100';
const FIRST = { relation: 'any', limit: 2, below: undefined } as const;

let stores: Stores;
let pool: Pool;

beforeAll(async () => {
  stores = await freshStores({ ...LIMITS, rules: { indexAbove: 3, keep: 1 } });
  pool = freshSitePool(stores.url);
});

const small = (most: number, database: Stores['primary'] = stores.primary) => new SmallUsers({ database, most });
const stateOf = async (user: Id) => (await stores.index.read(user, 0, false)).state;

/** No index is there to ask. */
const nothing = { read: () => Promise.reject(new Error('Redis is asked')) };

async function know(users: readonly Id[], contacts: number): Promise<void> {
  await writeSite(
    pool,
    everybodyKnows(
      users,
      Array.from({ length: contacts }, (_, i) => String(i + 1)),
    ),
  );
}

const question = fc.record({
  user: fc.constantFrom(...IDS),
  relation: fc.constantFrom(...RELATIONS),
  limit: fc.integer({ min: 1, max: 8 }),
  below: fc.option(fc.record({ at: fc.constant(1_083_412_800_000), id: fc.constantFrom(...IDS) }), { nil: undefined }),
  since: fc.option(
    fc.integer({ min: 0, max: 7 }).map((minute) => 1_083_412_800_000 + minute * 60_000),
    { nil: undefined },
  ),
  unseen: fc.boolean(),
});

describe.each(['column', 'photos'] as const)('the answer for a small user, last uploads from the %s', (uploads) => {
  it.each([false, true])(
    'is that of the plain query, whatever is asked, by itself and together with others (something seen: %s)',
    async (seen) => {
      const own = await freshStores({ ...LIMITS, uploads });
      const ownPool = freshSitePool(own.url);
      const recent = recentContactsOn(own, LIMITS, { small: small(MANY, own.primary) });
      const plain = recentContactsOn(own, LIMITS);
      await fc.assert(
        fc.asyncProperty(site, fc.array(question, { minLength: 2, maxLength: 12 }), async (all, questions) => {
          await writeSite(ownPool, all);
          if (seen) await raiseSeen(own.primary, '1', [allUntil('contacts', 1_083_412_900_000)]);
          const answers = await Promise.all(questions.map((query) => recent.find(query)));
          for (const [i, answer] of answers.entries()) {
            const { contacts, more } = await plain.find({ ...(questions[i] as RecentQuery), consistency: 'strong' });
            expect(answer).toMatchObject({
              source: 'database',
              reason: 'small',
              exact: true,
              complete: true,
              lagMs: 0,
            });
            expect({ contacts: answer.contacts, more: answer.more }).toEqual({ contacts, more });
          }
        }),
        { numRuns: cases(25) },
      );
    },
  );
});

describe('a small user', () => {
  it('is answered by one statement, and without Redis once known', async () => {
    await know([USER], 3);
    const database = new CountingDatabase(stores.url);
    onTestFinished(() => database.close());
    const users = small(3, database);
    const cold = recentContactsOn({ index: stores.index, primary: database }, LIMITS, { small: users });
    expect(await cold.find({ user: USER, ...FIRST })).toMatchObject({
      reason: 'small',
      contacts: [{}, {}],
      more: true,
    });
    expect(users.isKnown(USER)).toBe(true);
    const known = recentContactsOn({ index: nothing, primary: database }, LIMITS, { small: users });
    expect(await known.find({ user: USER, ...FIRST })).toMatchObject({ reason: 'small' });
    expect(database.sent).toBe(2);
  });

  it('who grows is noticed by the statement itself, ended relationships counted too', async () => {
    await know([USER], 3);
    const cold: Id[] = [];
    const users = small(3);
    const recent = recentContactsOn(stores, LIMITS, { small: users, onCold: (user) => void cold.push(user) });
    const find = () => recent.find({ user: USER, ...FIRST });
    expect(await find()).toMatchObject({ reason: 'small' });
    await pool.query('INSERT INTO users (id) VALUES (55)');
    await pool.query('INSERT INTO contacts (user_id, contact_id, active) VALUES (?, 55, FALSE)', [USER]);
    expect(await find()).toMatchObject({ reason: 'cold' });
    expect(await find()).toMatchObject({ reason: 'cold' });
    expect({ cold, isKnown: users.isKnown(USER) }).toEqual({ cold: [USER, USER], isKnown: false });
  });

  it('does not hide that another one of the same statement has grown', async () => {
    const users = Array.from({ length: 6 }, (_, i) => String(i + 200));
    const all = everybodyKnows(users, ['1', '2']);
    const grown = Array.from({ length: 40 }, (_, i) => String(i + 3));
    const ties = grown.map((contact) => ({ user: '203', contact, friend: false, family: false, active: true }));
    await writeSite(pool, { ...all, users: [...all.users, ...grown], ties: [...all.ties, ...ties] });
    const recent = recentContactsOn(stores, LIMITS, { small: small(3) });
    const answers = await Promise.all(users.map((user) => recent.find({ user, ...FIRST })));
    for (const [i, user] of users.entries()) {
      expect(answers[i]).toMatchObject({ reason: user === '203' ? 'cold' : 'small', contacts: [{}, {}] });
    }
  });

  it('shares statements with others, in one question about many as well', async () => {
    const users = Array.from({ length: 40 }, (_, i) => String(i + 300));
    await know(users, 2);
    const database = new CountingDatabase(stores.url);
    onTestFinished(() => database.close());
    const recent = { find: () => Promise.reject(new Error('nobody is asked for alone')) };
    const options = { index: stores.index, database, recent, now: () => performance.now(), ...NO_LAG };
    const batch = new RecentBatch({ ...options, small: small(3, database) });
    for (let time = 1; time <= 2; time++) {
      const { outcomes } = await batch.find(users, { relation: 'any', limit: 1 });
      for (const user of users)
        expect(outcomes.get(user)).toMatchObject({ answer: { reason: 'small', contacts: [{}] } });
      expect(database.sent).toBe(4 * time); // one each at first, and 38 in two
    }
  });

  it('gets no index, and loses the one there is, when a rebuild finds few rows', async () => {
    await know([USER], 4);
    expect(await run(rebuild([USER]), stores.steps)).toMatchObject({ rebuilt: [USER], small: [] });
    expect(await stateOf(USER)).toBe('warm');
    await pool.query('DELETE FROM contacts WHERE user_id = ? LIMIT 1', [USER]);
    expect(await run(rebuild([USER]), stores.steps)).toMatchObject({ rebuilt: [], small: [USER] });
    expect(await stateOf(USER)).toBe('cold');
  });

  it('is said to be small by what explains and shows an index', async () => {
    await know([USER], 3);
    const { index, primary: database, steps } = stores;
    const recent = recentContactsOn(stores, LIMITS, { small: small(3) });
    const limits = LIMITS;
    expect(await explain({ index, database, recent, limits }, USER, '1')).toMatchObject({ verdict: 'small' });
    expect(await inspectIndex({ index, database, steps }, USER)).toMatchObject({ state: 'small', size: 0 });
    const none = { index, database, steps, hasIndexes: false };
    expect(await inspectIndex(none, USER)).toMatchObject({ state: 'cold', size: 0 });
  });
});

describe('the count of rows', () => {
  it('is a great one, and no index is kept for good, where the rows cannot be counted in time', async () => {
    await know([USER], 3);
    const locked = await pool.getConnection();
    await locked.query('LOCK TABLES contacts WRITE');
    const [rows = 0] = await countRows(stores.primary, [USER]);
    await locked.query('UNLOCK TABLES');
    locked.release();
    expect(rows).toBeGreaterThan(100_000);
    expect(allowanceOf(rows, { indexAbove: 64, keep: 1 })).toBeLessThan(ENDLESS);
  });

  it('is that of the view, of each user', async () => {
    await know([USER, '101'], 5);
    expect(await countRows(stores.primary, ['101', '999', USER])).toEqual([5, 0, 5]);
  });

  it('is remembered, but who has become small, or was, is found at once', async () => {
    const counts = new RowCounts(stores.primary);
    const users = [USER, '101', '999'];
    await know([USER, '101'], 5);
    expect(await counts.of(users, 3)).toEqual([5, 5, 0]);
    await pool.query('DELETE FROM contacts WHERE user_id = ? LIMIT 1', [USER]);
    await pool.query('DELETE FROM contacts WHERE user_id = ? LIMIT 2', ['101']);
    expect(await counts.of(users, 3)).toEqual([5, 3, 0]);
    await know([USER, '101', '999'], 7);
    expect(await counts.of(users, 3)).toEqual([5, 7, 7]);
  });
});
