import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Reason } from '../../src/contracts/http.ts';
import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending, type Key } from '../../src/contracts/key.ts';
import { RELATIONS, type Relation } from '../../src/contracts/relation.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import { ColdBuilds } from '../../src/query/cold-builds.ts';
import type { RecentContacts, RecentContactsOptions } from '../../src/query/recent-contacts.ts';
import { Limiter } from '../../src/timing/limiter.ts';
import { cases } from '../support/cases.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { freshPrefix } from '../support/servers.ts';
import { IDS, site } from '../support/site-arbitrary.ts';
import { freshSitePool, rankedContacts, type SmallSite, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores, storesOn } from '../support/stores.ts';
import { until } from '../support/until.ts';

const MAX = 4;
const MIN = 2;
const USER = '1';

let stores: Stores;
let pool: Pool;
let cold: Id[] = [];
let low: Id[] = [];

beforeAll(async () => {
  stores = await freshStores({ max: MAX, min: MIN });
  pool = freshSitePool(stores.url);
});

beforeEach(() => {
  cold = [];
  low = [];
});

function recentContacts(options: Partial<RecentContactsOptions> = {}): RecentContacts {
  const onCold = (user: Id) => void cold.push(user);
  const onLow = (user: Id) => void low.push(user);
  return recentContactsOn(stores, { max: MAX, min: MIN }, { onCold, onLow, ...options });
}

async function build(users: readonly Id[]): Promise<void> {
  await stores.index.drop(users);
  const { rebuilt, small } = await run(rebuild(users), stores.steps);
  expect(rebuilt.length + small.length).toBe(users.length);
}

/** Every page, one after the other. */
async function walk(user: Id, relation: Relation, limit: number) {
  const pages = [];
  let below: Key | undefined;
  for (;;) {
    const page = await recentContacts().find({ user, relation, limit, below });
    pages.push(page);
    expect(page.contacts.length).toBeLessThanOrEqual(limit);
    if (!page.more) return pages;
    below = page.contacts.at(-1);
  }
}

/** Fewer of the way that differs in MySQL's statements alone. */
const RUNS = { column: 50, photos: 20 };

describe.each(['column', 'photos'] as const)('the recency list, last uploads from the %s', (uploads) => {
  const others = { stores, pool };

  beforeAll(async () => {
    Object.assign(others, { stores, pool });
    stores = await freshStores({ max: MAX, min: MIN, uploads });
    pool = freshSitePool(stores.url);
  });

  afterAll(() => {
    ({ stores, pool } = others);
  });

  it('at rest is what plain SQL says, for every relation and limit, and its pages hold every contact once', async () => {
    await fc.assert(
      fc.asyncProperty(
        site,
        fc.constantFrom(...RELATIONS),
        fc.integer({ min: 1, max: 8 }),
        async (all, relation, limit) => {
          await writeSite(pool, all);
          await build(IDS);
          for (const user of IDS) {
            const pages = await walk(user, relation, limit);
            const contacts = pages.flatMap((page) => page.contacts.map(({ sees: _, ...rest }) => rest));
            expect(contacts).toEqual(rankedContacts(all, user, relation));
            for (const page of pages) expect(page.exact).toBe(true);
          }
          const unknown = IDS.filter((id) => !all.ties.some(({ user }) => user === id)); // they get no index
          expect(new Set(cold)).toEqual(new Set(unknown));
          cold = [];
        },
      ),
      { numRuns: cases(RUNS[uploads]) },
    );
  });

  it('holds contacts only, each where MySQL has it now, however stale the index is', async () => {
    await fc.assert(
      fc.asyncProperty(site, site, fc.integer({ min: 1, max: 8 }), async (before, now, limit) => {
        await writeSite(pool, before);
        await build(IDS);
        await writeSite(pool, now);
        for (const user of IDS) {
          const truth = rankedContacts(now, user, 'any');
          const { contacts } = await recentContacts().find({ user, relation: 'any', limit, below: undefined });
          for (const { sees: _, ...contact } of contacts) expect(truth).toContainEqual(contact);
          expect([...contacts].sort(byKeyDescending)).toEqual(contacts);
        }
      }),
      { numRuns: cases(RUNS[uploads]) },
    );
  });
});

describe('many who ask for cold users at once', () => {
  it('have each index built once, and keep the plain queries under their limit', async () => {
    const all = siteWith(10);
    const others = ['2', '3'].map((user) => ({ user, contact: '4', friend: false, family: false, active: true }));
    await writeSite(pool, { ...all, ties: [...all.ties, ...others] });
    await stores.index.drop(['2', '3', USER]);
    const answered = Promise.withResolvers<void>();
    const builds = new ColdBuilds({
      build: async (user) => {
        await answered.promise;
        await run(rebuild([user]), stores.steps);
        return 'built';
      },
      concurrency: 2,
      queue: 10,
      onError: (error) => {
        throw error;
      },
    });
    let most = 0;
    class Watched extends ContactsDatabase {
      protected override read(...asked: Parameters<ContactsDatabase['read']>) {
        most = Math.max(most, this.heavy.running);
        return super.read(...asked);
      }
    }
    const budget = { concurrency: 2, queue: 1_000 };
    const database = new Watched(stores.url, { connections: 5, queue: 1_000, deadlineMs: 60_000, heavy: budget });
    onTestFinished(() => database.close());
    const contacts = recentContacts({ database, onCold: (user) => builds.request(user) });
    const ask = (user: Id) => contacts.find({ user, relation: 'any', limit: 3, below: undefined });
    const asked = Array.from({ length: 60 }, (_, i) => ask([USER, '2', '3'][i % 3] ?? USER));
    for (const answer of await Promise.all(asked)) expect(answer.reason).toBe('cold');
    answered.resolve();
    await until(() => builds.underWay === 0);
    expect({ ...builds.counts, most }).toEqual({ built: 3, failed: 0, dropped: 0, most: 2 });
    for (const user of [USER, '2', '3']) expect((await ask(user)).source).toBe('index');
  });
});

/** A user with so many contacts, the first of them the most recently active; every other one is a friend. */
function siteWith(contacts: number): SmallSite {
  const ids = Array.from({ length: contacts }, (_, i) => String(i + 2));
  return {
    users: [USER, ...ids],
    ties: ids.map((contact, i) => ({ user: USER, contact, friend: i % 2 === 0, family: false, active: true })),
    photos: ids.map((owner, i) => ({ id: owner, owner, audience: 0, at: 1_000_000 - 10 * i })),
  };
}

async function warm(contacts: number): Promise<SmallSite> {
  const all = siteWith(contacts);
  await writeSite(pool, all);
  await build([USER]);
  return all;
}

function find(query: { limit: number; relation?: Relation; below?: Key }, options?: Partial<RecentContactsOptions>) {
  const { limit, relation = 'any', below } = query;
  return recentContacts(options).find({ user: USER, relation, limit, below });
}

const shape = (source: 'index' | 'database', complete: boolean, reason?: Reason) => ({ source, complete, reason });

describe('where an answer comes from', () => {
  it('the index, as long as it is sure', async () => {
    await warm(10);
    const answer = await find({ limit: 2 });
    expect(answer).toMatchObject({
      ...shape('index', false),
      more: true,
      exact: true,
      floor: { id: '6', at: 999_960 },
    });
    expect(answer.contacts.map(({ id }) => id)).toEqual(['2', '3']);
  });

  it('is sure of nobody below the first entry that it did not look at', async () => {
    const all = await warm(10);
    const fallen = (owner: string) => ['2', '3', '4'].includes(owner);
    await writeSite(pool, {
      ...all,
      photos: all.photos.map((photo) => (fallen(photo.owner) ? { ...photo, at: 999_965 } : photo)),
    });
    const answer = await find({ limit: 1 });
    expect(answer).toMatchObject(shape('index', false));
    expect(answer.contacts.map(({ id }) => id)).toEqual(['5']);
  });

  it('the index to its last entry, when all of it is asked for', async () => {
    await warm(10);
    expect(await find({ limit: MAX })).toMatchObject({ ...shape('index', false), more: true });
  });

  it('an index that left nobody out, also when more is asked for', async () => {
    await warm(3);
    expect(await find({ limit: 100 })).toMatchObject({ ...shape('index', true), more: false, floor: undefined });
  });

  it.each([
    ['a limit', { limit: MAX + 1 }],
    ['a page', { limit: 2, below: { id: '4', at: 999_980 } }],
    ['a page from below the floor', { limit: 1, below: { id: '8', at: 999_940 } }],
    ['a filter', { limit: 3, relation: 'friends' as const }],
  ])('the database, when %s goes past the floor; that is no reason for a rebuild', async (_what, query) => {
    await warm(10);
    expect(await find(query)).toMatchObject({ ...shape('database', true, 'below_floor'), exact: true });
    expect(low).toEqual([]);
  });

  it('the database, when the index ran low unnoticed; then a rebuild is asked for', async () => {
    const all = await warm(10);
    await writeSite(pool, { ...all, photos: all.photos.filter(({ owner }) => !['2', '3', '4'].includes(owner)) });
    const answer = await find({ limit: 2 });
    expect(answer).toMatchObject(shape('database', true, 'below_floor'));
    expect(answer.contacts.map(({ id }) => id)).toEqual(['5', '6']);
    expect(low).toEqual([USER]);
  });

  it('the database, and a rebuild, when so few entries are left that the index could not answer', async () => {
    await warm(10);
    const { epoch } = await stores.steps.pairs([]);
    for (const id of ['2', '3', '4']) {
      const [seen] = await stores.index.nonces([USER]);
      await stores.index.apply(epoch, [{ user: USER, seen: String(seen), changes: [{ id, at: 0 }] }]);
    }
    expect(await find({ limit: 2 })).toMatchObject(shape('database', true, 'below_floor'));
    expect(low).toEqual([USER]);
  });

  it('the database, when a trim has left fewer than a first page of up to max needs; then a rebuild is asked for', async () => {
    const wide = storesOn({ ...stores, prefix: freshPrefix() }, { max: 8, min: 2 });
    const ask = (query: Parameters<typeof find>[0]) => find(query, { index: wide.index, max: 8 });
    await writeSite(pool, siteWith(20));
    await run(rebuild([USER]), wide.steps);
    expect(await ask({ limit: 8 })).toMatchObject(shape('index', false));

    await pool.query('UPDATE users SET last_public_at = 2000000 WHERE id = 20');
    await run(refresh([{ user: USER, contact: '20' }]), wide.steps);
    expect(await wide.index.read(USER, 0, false)).toMatchObject({ size: 6 });
    for (const query of [{ limit: 9 }, { limit: 7, relation: 'friends' as const }, { limit: 6 }]) await ask(query);
    expect(low).toEqual([]);
    expect(await ask({ limit: 7 })).toMatchObject(shape('database', true, 'below_floor'));
    expect(low).toEqual([USER]);
    await run(rebuild(low), wide.steps);
    expect(await ask({ limit: 8 })).toMatchObject(shape('index', false));

    await writeSite(pool, siteWith(5));
    await run(rebuild([USER]), wide.steps);
    expect(await ask({ limit: 8 })).toMatchObject(shape('index', true));
    expect(low).toEqual([USER]);
  });

  it('the database, when the user has no index; then one is asked for', async () => {
    await warm(10);
    await stores.index.drop([USER]);
    expect(await find({ limit: 2 })).toMatchObject(shape('database', true, 'cold'));
    expect(cold).toEqual([USER]);
  });

  it('the database, when the index is of another epoch', async () => {
    await warm(10);
    await stores.primary.write("UPDATE recency_epoch SET token = CONCAT(token, 'x')", []);
    expect(await find({ limit: 2 })).toMatchObject(shape('database', true, 'cold'));
    expect(cold).toEqual([USER]);
  });

  it('says so when the rows are from a replica', async () => {
    await warm(10);
    const database = new ContactsDatabase(stores.url, {
      connections: 2,
      queue: 10,
      deadlineMs: 60_000,
      replicaOf: stores.primary,
    });
    onTestFinished(() => database.close());
    const fromReplica = { database };
    expect(await find({ limit: 2 }, fromReplica)).toMatchObject({
      ...shape('index', false),
      exact: false,
      replica: true,
    });
    const beyond = { ...shape('database', true, 'below_floor'), exact: false, replica: true };
    expect(await find({ limit: MAX + 1 }, fromReplica)).toMatchObject(beyond);
    await stores.index.drop([USER]);
    const missing = { ...shape('database', true, 'cold'), exact: false, replica: true };
    expect(await find({ limit: 2 }, fromReplica)).toMatchObject(missing);
    expect(await find({ limit: 2 })).toMatchObject({ exact: true, replica: false });
  });

  it('puts the plain query under its limit, and nothing else', async () => {
    await warm(10);
    const heavy = new Limiter({ concurrency: 0, queue: 0, waitMs: 1, refusal: () => new Error('full') });
    const database = new ContactsDatabase(stores.url, { connections: 2, queue: 10, deadlineMs: 60_000, heavy });
    onTestFinished(() => database.close());
    await expect(find({ limit: MAX + 1 }, { database })).rejects.toThrow('full');
    await expect(find({ limit: 2 }, { database })).resolves.toBeDefined();
  });

  it('asks MySQL once, and once more only when the candidates it began with do not suffice', async () => {
    const all = await warm(10);
    const database = new CountingDatabase(stores.url);
    const statementsOf = async (limit: number, page: { below?: Key } = {}) => {
      const before = database.sent;
      await find({ limit, ...page }, { database });
      return database.sent - before;
    };
    expect(await statementsOf(1)).toBe(1);
    expect(await statementsOf(MAX)).toBe(1);
    expect(await statementsOf(MAX + 1)).toBe(1);
    expect(await statementsOf(1, { below: { id: '6', at: 999_960 } })).toBe(1);
    await writeSite(pool, { ...all, photos: all.photos.filter(({ owner }) => !['2', '3', '4'].includes(owner)) });
    expect(await statementsOf(1)).toBe(2);
  });
});
