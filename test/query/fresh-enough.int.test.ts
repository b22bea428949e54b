import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import type { Key } from '../../src/contracts/key.ts';
import { RELATIONS } from '../../src/contracts/relation.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { DatabaseNotPrimary } from '../../src/mysql/database.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import type { RecentQuery } from '../../src/query/recent-answer.ts';
import type { RecentContacts, RecentContactsOptions } from '../../src/query/recent-contacts.ts';
import { RecentPhotos } from '../../src/query/recent-photos.ts';
import { cases } from '../support/cases.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { IDS, site } from '../support/site-arbitrary.ts';
import { everybodyKnows, freshSitePool, rankedContacts, visiblePhotos, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

const MAX = 4;
const MIN = 2;
const USER = '1';
const CONTACTS = ['2', '3', '4', '5', '6', '7', '8'];

let stores: Stores;
let pool: Pool;

beforeAll(async () => {
  stores = await freshStores({ max: MAX, min: MIN });
  pool = freshSitePool(stores.url);
});

const recentContacts = (options: Partial<RecentContactsOptions> = {}): RecentContacts =>
  recentContactsOn(stores, { max: MAX, min: MIN }, options);

async function build(users: readonly Id[]): Promise<void> {
  await stores.index.drop(users);
  await run(rebuild(users), stores.steps);
}

/** Every page, one after the other. */
async function walk(query: Omit<RecentQuery, 'below'>, options: Partial<RecentContactsOptions> = {}) {
  const pages = [];
  for (let below: Key | undefined; ; ) {
    const page = await recentContacts(options).find({ ...query, below });
    pages.push(page);
    if (!page.more) return pages;
    below = page.contacts.at(-1);
  }
}

/** Around and at the times of the small sites' photos. */
const since = fc
  .tuple(fc.integer({ min: 0, max: 7 }), fc.constantFrom(-1, 0, 1))
  .map(([minute, ms]) => 1_083_412_800_000 + minute * 60_000 + ms);

const coldAnswers: RecentContactsOptions['coldAnswers'] = async (user) =>
  (await readTopContacts(stores.primary, [user], MAX + 1)).live;

describe('who was active since a time', () => {
  it('is what plain SQL says, page after page, from an index and for a cold user', async () => {
    await fc.assert(
      fc.asyncProperty(
        ...([site, fc.constantFrom(...RELATIONS), fc.integer({ min: 1, max: 8 }), since, fc.boolean()] as const),
        async (all, relation, limit, from, isCold) => {
          await writeSite(pool, all);
          await (isCold ? stores.index.drop(IDS) : build(IDS));
          for (const user of IDS) {
            const pages = await walk({ user, relation, limit, since: from }, { coldAnswers });
            const contacts = pages.flatMap((page) => page.contacts.map(({ sees: _, ...rest }) => rest));
            expect(contacts).toEqual(rankedContacts(all, user, relation).filter(({ at }) => at >= from));
            for (const page of pages) expect(page.exact).toBe(true);
          }
        },
      ),
      { numRuns: cases(40) },
    );
  });

  it('has the photos since then, and no others', async () => {
    const photos = new RecentPhotos({ recent: recentContacts(), database: stores.primary, now: () => 0 });
    await fc.assert(
      fc.asyncProperty(site, since, fc.integer({ min: 1, max: 3 }), async (all, from, count) => {
        await writeSite(pool, all);
        await build(IDS);
        for (const user of IDS) {
          const found = await photos.find({ user, relation: 'any', contacts: 3, photos: count, since: from });
          const expected = rankedContacts(all, user, 'any').filter(({ at }) => at >= from);
          const ids = ({ id }: { readonly id: Id }) =>
            visiblePhotos(all, user, id)
              .filter(({ at }) => at >= from)
              .slice(0, count);
          expect(found.contacts.map((one) => [one.id, one.photos.map(({ id }) => id)])).toEqual(
            expected.slice(0, 3).map((one) => [one.id, ids(one).map(({ id }) => id)]),
          );
        }
      }),
      { numRuns: cases(20) },
    );
  });

  it('comes from the index above the floor, and from the database at or below it', async () => {
    await writeSite(pool, everybodyKnows([USER], CONTACTS)); // times 1,000 to 1,006; the floor is at 1,002
    await build([USER]);
    const from = async (at: number, limit = 10) => {
      const { source, reason, contacts, more } = await recentContacts().find({
        ...{ user: USER, relation: 'any', limit, below: undefined, since: at },
      });
      return { source, reason, ids: contacts.map(({ id }) => id), more };
    };
    expect(await from(1_005)).toEqual({ source: 'index', reason: undefined, ids: ['8', '7'], more: false });
    expect(await from(1_003)).toEqual({ source: 'index', reason: undefined, ids: ['8', '7', '6', '5'], more: false });
    expect(await from(1_003, 4)).toMatchObject({ source: 'index', more: false });
    expect(await from(1_002)).toMatchObject({ source: 'database', reason: 'below_floor', more: false });
    expect(await from(1_002, 2)).toMatchObject({ source: 'index', more: true });
    expect(await from(9_999)).toEqual({ source: 'index', reason: undefined, ids: [], more: false });
  });
});

async function warm(): Promise<void> {
  await writeSite(pool, everybodyKnows([USER], CONTACTS));
  await build([USER]);
}

function find(query: Partial<RecentQuery>, options: Partial<RecentContactsOptions> = {}) {
  return recentContacts(options).find({ user: USER, relation: 'any', limit: 2, below: undefined, ...query });
}

const lags = (ms: number | undefined) => ({ lagMs: () => ms, clock: () => 77 });

describe('how old an answer is', () => {
  it('says when reading began, and how far the index may be behind', async () => {
    await warm();
    expect(await find({}, lags(12.5))).toMatchObject({ source: 'index', asOf: 77, lagMs: 12.5 });
    expect((await find({}, lags(undefined))).lagMs).toBeUndefined();
  });

  it('is nothing where the primary answered', async () => {
    await warm();
    expect(await find({ limit: 6 }, lags(12))).toMatchObject({ source: 'database', asOf: 77, lagMs: 0 });
    await stores.index.drop([USER]);
    expect(await find({}, lags(undefined))).toMatchObject({ reason: 'cold', lagMs: 0 });
    expect(await find({}, { ...lags(undefined), coldAnswers })).toMatchObject({ reason: 'cold', lagMs: 0 });
  });

  it('is at most what the client accepts; otherwise the database answers', async () => {
    await warm();
    expect(await find({ maxLagMs: 100 }, lags(100))).toMatchObject({ source: 'index', lagMs: 100 });
    const behind = { source: 'database', reason: 'lag', exact: true, lagMs: 0 };
    expect(await find({ maxLagMs: 100 }, lags(100.1))).toMatchObject(behind);
    expect(await find({ maxLagMs: 86_400_000 }, lags(undefined))).toMatchObject(behind);
    expect(await find({ maxLagMs: 0 }, lags(0))).toMatchObject({ source: 'index' });
  });
});

describe('an answer from an index is exact', () => {
  it('only while it is known that the index lacks nothing older than the bound, on any page', async () => {
    const ages = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined });
    await warm();
    await fc.assert(
      fc.asyncProperty(ages, fc.integer({ min: 1, max: 20 }), fc.boolean(), async (ageMs, exactWithinMs, isDeep) => {
        const contacts = recentContacts({ ...lags(ageMs), exactWithinMs });
        const ask = (below: Key | undefined) => contacts.find({ user: USER, relation: 'any', limit: 2, below });
        let answer = await ask(undefined);
        // Down to a page that a window answers: below the floor, and read by no plain query of its own.
        for (let page = 0; isDeep && page < 2; page++) answer = await ask(answer.contacts.at(-1));
        if (isDeep) answer = await ask(answer.contacts.at(-1));
        const isPlain = answer.lagMs === 0 && ageMs !== 0;
        const exact = isPlain || (ageMs !== undefined && ageMs <= exactWithinMs);
        expect(answer).toMatchObject({ exact, lagMs: isPlain ? 0 : ageMs });
        if (!exact) expect(answer.reason).toBe('lag');
      }),
      { numRuns: cases(60) },
    );
  });

  it('within ten seconds, where nothing else is set', async () => {
    await warm();
    expect(await find({}, lags(10_000))).toMatchObject({ exact: true, reason: undefined });
    expect(await find({}, lags(10_000.01))).toMatchObject({ exact: false, reason: 'lag', source: 'index' });
    expect(await find({}, { lagMs: undefined })).toMatchObject({ exact: false, reason: 'lag', lagMs: undefined });
  });

  it('and so are the photos of its contacts', async () => {
    await warm();
    const asked = { user: USER, relation: 'any', contacts: 2, photos: 1 } as const;
    const photosWith = (ms: number | undefined) =>
      new RecentPhotos({ recent: recentContacts(lags(ms)), database: stores.primary, now: () => 0 }).find(asked);
    expect(await photosWith(5)).toMatchObject({ exact: true });
    expect(await photosWith(10_001)).toMatchObject({ exact: false, reason: 'lag' });
  });
});

function anotherDatabase(isReplica: boolean): ContactsDatabase {
  const limits = { connections: 1, queue: 10, deadlineMs: 60_000 };
  const opened = new ContactsDatabase(stores.url, isReplica ? { ...limits, replicaOf: stores.primary } : limits);
  onTestFinished(() => opened.close());
  return opened;
}

describe('a strong answer', () => {
  it('is of plain SQL on the primary, without a look at the index', async () => {
    await warm();
    const index = { read: () => Promise.reject(new Error('the index was read')) };
    const answer = await find({ consistency: 'strong' }, { ...lags(undefined), index });
    expect(answer).toMatchObject({ source: 'database', reason: 'strong', exact: true, complete: true, lagMs: 0 });
    expect(answer.contacts.map(({ id }) => id)).toEqual(['8', '7']);
  });

  it('comes from the primary where a replica answers otherwise, as does one that may not lag', async () => {
    await warm();
    const options = { ...lags(5), database: anotherDatabase(true), primary: stores.primary };
    expect(await find({}, options)).toMatchObject({ source: 'index', exact: false, replica: true, lagMs: undefined });
    expect(await find({ consistency: 'strong' }, options)).toMatchObject({ exact: true, replica: false, lagMs: 0 });
    expect(await find({ maxLagMs: 60_000 }, options)).toMatchObject({ reason: 'lag', exact: true, lagMs: 0 });
    await stores.index.drop([USER]);
    expect(await find({ maxLagMs: 60_000 }, options)).toMatchObject({ reason: 'cold', exact: true, lagMs: 0 });
    expect(await find({}, options)).toMatchObject({ reason: 'cold', exact: false, lagMs: undefined });
  });

  it('is refused where there is no primary', async () => {
    await warm();
    const options = { ...lags(5), primary: anotherDatabase(true) };
    await expect(find({ consistency: 'strong' }, options)).rejects.toThrow(DatabaseNotPrimary);
    await expect(find({ maxLagMs: 1 }, options)).rejects.toThrow(DatabaseNotPrimary);
  });
});
