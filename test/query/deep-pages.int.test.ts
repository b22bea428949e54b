import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import type { Key } from '../../src/contracts/key.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import { readPlain } from '../../src/mysql/statements/plain-contacts.ts';
import { cases } from '../support/cases.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { makeHeavy, STRANGER } from '../support/heavy-user.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 4, min: 2 };

let stores: Stores;
let pool: Pool;

beforeAll(async () => {
  stores = await freshStores(LIMITS);
  pool = freshSitePool(stores.url);
});

async function build(users: readonly Id[]): Promise<void> {
  await stores.index.drop(users);
  await run(rebuild(users), stores.steps);
}

/** Every page of a user's contacts, and the rows that the server has read for them. */
async function walk(user: Id, limit: number) {
  const database = new CountingDatabase(stores.url);
  const recent = recentContactsOn({ ...stores, primary: database }, LIMITS);
  const before = await database.rowsRead();
  const ids: Id[] = [];
  let below: Key | undefined;
  for (;;) {
    const { contacts, more, exact } = await recent.find({ user, relation: 'any', limit, below });
    expect(exact).toBe(true);
    ids.push(...contacts.map(({ id }) => id));
    if (!more) return { ids, read: (await database.rowsRead()) - before };
    below = contacts.at(-1);
  }
}

describe('all pages of a user with very many contacts', () => {
  it('hold each of them once, and cost little more than in proportion to their number', async () => {
    const sizes = { few: 2_500, many: 20_000 };
    const read: number[] = [];
    for (const [user, size] of [
      ['1', sizes.few],
      ['2', sizes.many],
    ] as const) {
      await makeHeavy(pool, [user], size);
      await pool.query('ANALYZE TABLE contacts, users');
      await build([user]);
      const pages = await walk(user, 100);
      expect(pages.ids).toEqual(Array.from({ length: size }, (_, i) => String(STRANGER + size - 1 - i)));
      read.push(pages.read / size);
    }
    const [few = 0, many = 0] = read;
    expect(many / few).toBeLessThan(2); // eight times as many contacts, and reading all of them for each page costs eight times as much for each
  });
});

interface Change {
  readonly contact: Id;
  readonly active: boolean;
  readonly friend: boolean;
  readonly at: number;
}

describe('pages below the index', () => {
  const CROWD = 30;
  const contact = fc.integer({ min: 0, max: CROWD - 1 }).map((n) => String(STRANGER + n));
  const change = fc.record({
    contact,
    active: fc.boolean(),
    friend: fc.boolean(),
    at: fc.integer({ min: 1, max: 2_000 }),
  });
  const walked = fc.record({
    relation: fc.constantFrom('any', 'friends' as const),
    limit: fc.integer({ min: 1, max: 4 }),
  });

  /** Changes the relationship and the contact's newest photo, and applies the tasks of that. */
  async function make({ contact, active, friend, at }: Change): Promise<void> {
    await pool.query('UPDATE users SET last_public_at = ? WHERE id = ?', [at, contact]);
    const statement = 'UPDATE contacts SET active = ?, is_friend = ? WHERE user_id = 4 AND contact_id = ?';
    await pool.query(statement, [active, friend, contact]);
    await run(refresh([{ user: '4', contact }]), stores.steps);
  }

  it('are what plain SQL says, whatever is changed between them, once its task is applied', async () => {
    const database = new CountingDatabase(stores.url);
    const recent = recentContactsOn({ ...stores, primary: database }, LIMITS);
    await makeHeavy(pool, ['4'], CROWD);
    const changes = fc.array(fc.option(change), { minLength: 12, maxLength: 12 });
    const property = fc.asyncProperty(walked, changes, async (wanted, all) => {
      await build(['4']);
      let below: Key | undefined;
      for (const one of all) {
        const query = { user: '4', ...wanted, below };
        const { contacts, more } = await recent.find(query);
        const plain = await readPlain(database, { ...query, limit: wanted.limit + 1 });
        expect(contacts).toEqual(plain.contacts.slice(0, wanted.limit));
        // The index may not see that a full page was the last one: the next is then empty.
        const isFull = contacts.length === wanted.limit;
        if (!more || !isFull) expect(more).toBe(plain.contacts.length > wanted.limit);
        below = more ? contacts.at(-1) : undefined;
        if (one !== null) await make(one);
      }
    });
    await fc.assert(property, { numRuns: cases(60) });
  });

  it('show nobody who is no longer a contact, before the task of that is applied', async () => {
    for (const table of ['contacts', 'users']) await pool.query(`DELETE FROM ${table}`); // other tests have changed them
    await makeHeavy(pool, ['3'], 50);
    await build(['3']);
    const recent = recentContactsOn(stores, LIMITS);
    const first = await recent.find({ user: '3', relation: 'any', limit: 10, below: undefined });
    const gone = String(STRANGER + 50 - 15);
    await pool.query('UPDATE contacts SET active = FALSE WHERE user_id = 3 AND contact_id = ?', [gone]);
    const second = await recent.find({ user: '3', relation: 'any', limit: 10, below: first.contacts.at(-1) });
    expect(second.contacts.map(({ id }) => id)).toEqual(
      Array.from({ length: 11 }, (_, i) => String(STRANGER + 39 - i)).filter((id) => id !== gone),
    );
  });
});
