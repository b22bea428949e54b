import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending, isAbove, type Key } from '../../src/contracts/key.ts';
import { RELATIONS } from '../../src/contracts/relation.ts';
import { allUntil, type SeenCursor, sourceUntil } from '../../src/contracts/seen.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import type { Parameter, ReadOptions } from '../../src/mysql/database.ts';
import { readCandidatesOfMany } from '../../src/mysql/statements/candidates.ts';
import { raiseSeen } from '../../src/mysql/statements/seen.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import { RecentPhotos } from '../../src/query/recent-photos.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addContact, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { cases } from '../support/cases.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { IDS, site, time } from '../support/site-arbitrary.ts';
import {
  everybodyKnows,
  freshSitePool,
  rankedContacts,
  type SmallSite,
  visiblePhotos,
  writeSite,
} from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 4, min: 2 };
const KIND = 'contacts';

let stores: Stores;
let pool: Pool;

beforeAll(async () => {
  stores = await freshStores(LIMITS);
  pool = freshSitePool(stores.url);
});

/** A mark, by what of the site it is made from: a contact's place in the user's list. */
interface Mark {
  readonly user: Id;
  readonly place: number;
  readonly what: 'all' | 'all until' | 'one' | 'part of one';
}

const mark: fc.Arbitrary<Mark> = fc.record({
  user: fc.constantFrom(...IDS),
  place: fc.nat(7),
  what: fc.constantFrom('all', 'all until', 'one', 'part of one'),
});

/** Sites where some relations began before, between or after the photos. */
const siteWithBeginnings: fc.Arbitrary<SmallSite> = fc
  .tuple(site, fc.array(fc.option(time, { nil: undefined }), { minLength: 56, maxLength: 56 }))
  .map(([all, since]) => ({ ...all, ties: all.ties.map((tie, i) => ({ ...tie, since: since[i] })) }));

function cursorOf(all: SmallSite, { user, place, what }: Mark): SeenCursor | undefined {
  const key = rankedContacts(all, user, 'any')[place];
  if (key === undefined) return undefined;
  if (what === 'all') return { kind: KIND, source: '0', at: key.at, id: key.id };
  if (what === 'all until') return allUntil(KIND, key.at);
  return what === 'one' ? sourceUntil(KIND, key.id, key.at) : { kind: KIND, source: key.id, at: key.at, id: '1' };
}

/** What MySQL must hold, from the rules alone. */
class Seen {
  readonly #all = new Map<Id, Key>();
  readonly #own = new Map<string, { at: number; id: bigint }>();

  raise(user: Id, { source, at, id }: SeenCursor): void {
    if (source === '0') {
      if (isAbove({ at, id }, this.#all.get(user) ?? { at: 0, id: '0' })) this.#all.set(user, { at, id });
      return;
    }
    const own = this.#own.get(`${user} ${source}`);
    const isHigher = own === undefined || at > own.at || (at === own.at && BigInt(id) > own.id);
    if (isHigher) this.#own.set(`${user} ${source}`, { at, id: BigInt(id) });
  }

  isUnseen(all: SmallSite, user: Id, key: Key): boolean {
    const { ties } = all;
    const { since = 0 } = ties.find((tie) => tie.user === user && tie.contact === key.id) ?? {};
    if (key.at <= since) return false;
    const ofAll = this.#all.get(user);
    const own = this.#own.get(`${user} ${key.id}`);
    const isTie = ({ id, at }: Key) => own !== undefined && at === own.at && BigInt(id) > own.id;
    const isOwn = own === undefined || key.at > own.at || visiblePhotos(all, user, key.id).some(isTie);
    return (ofAll === undefined || isAbove(key, ofAll)) && isOwn;
  }
}

async function build(users: readonly Id[]): Promise<void> {
  await stores.index.drop(users);
  await run(rebuild(users), stores.steps);
}

/** Every page of what is unseen. */
async function walk(user: Id, relation: (typeof RELATIONS)[number], limit: number) {
  const recent = recentContactsOn(stores, LIMITS);
  const rows = [];
  for (let below: Key | undefined; ; ) {
    const page = await recent.find({ user, relation, limit, below, unseen: true });
    rows.push(...page.contacts);
    expect(page.exact).toBe(true);
    if (!page.more) return rows.map(({ id, at }) => ({ id, at }));
    below = page.contacts.at(-1);
  }
}

/** Every way to a row says the same of it: narrowed and plain, alone and of many, from a build's rows, and with photos. */
async function expectTruth(all: SmallSite, seen: Seen, limit: number, relation: (typeof RELATIONS)[number]) {
  const { primary: database } = stores;
  const recent = recentContactsOn(stores, LIMITS);
  const pictures = new RecentPhotos({ recent, database, now: () => performance.now() });
  const ofMany = await readCandidatesOfMany(
    database,
    IDS.map((user) => ({ user, candidates: IDS })),
  );
  for (const user of IDS) {
    const rankedBy = (wanted: (typeof RELATIONS)[number]) =>
      rankedContacts(all, user, wanted).map((row) => ({ ...row, unseen: seen.isUnseen(all, user, row) }));
    const ranked = rankedBy(relation);
    const page = await recent.find({ user, relation, limit: 100, below: undefined });
    expect(page.contacts.map(withoutSees)).toEqual(ranked);
    const everybody = rankedBy('any');
    expect((await readTopContacts(database, [user], 100)).live?.contacts.map(withoutSees)).toEqual(everybody);
    expect(ofMany.contacts.get(user)?.toSorted(byKeyDescending).map(withoutSees)).toEqual(everybody);
    const { contacts } = await pictures.find({ user, relation, contacts: 3, photos: 1 });
    expect(contacts.map(({ photos: _, ...rest }) => withoutSees(rest))).toEqual(ranked.slice(0, 3));
    const unseen = ranked.filter((row) => row.unseen).map(({ id, at }) => ({ id, at }));
    expect(await walk(user, relation, limit)).toEqual(unseen);
    const count = await recent.find({ user, relation, limit: 100, below: undefined, unseen: true });
    expect({ count: count.contacts.length, more: count.more }).toEqual({ count: unseen.length, more: false });
  }
}

function withoutSees<Row extends { sees: string }>({ sees: _, ...rest }: Row): Omit<Row, 'sees'> {
  return rest;
}

describe('what is unseen', () => {
  it('is what the rules say, after marks of several devices in any order, and after photos, grants and relations have changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        siteWithBeginnings,
        siteWithBeginnings,
        fc.array(mark, { maxLength: 20 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(...RELATIONS),
        async (before, after, marks, limit, relation) => {
          await pool.query('DELETE FROM recency_seen');
          await writeSite(pool, before);
          await build(IDS);
          const seen = new Seen();
          const cursors = marks.flatMap((one) => {
            const cursor = cursorOf(before, one);
            return cursor === undefined ? [] : [{ user: one.user, cursor }];
          });
          for (const { user, cursor } of cursors) seen.raise(user, cursor);
          // Late, repeated and lower marks, at once.
          const sent = [...cursors, ...cursors.toReversed()];
          await Promise.all(sent.map(({ user, cursor }) => raiseSeen(stores.primary, user, [cursor])));
          await expectTruth(before, seen, limit, relation);
          await writeSite(pool, after);
          await build(IDS);
          await expectTruth(after, seen, limit, relation);
        },
      ),
      { numRuns: cases(60), interruptAfterTimeLimit: 50_000 },
    );
  });

  it('is answered by the index where the cursor for all reaches the floor, and by the database below', async () => {
    const contacts = ['11', '12', '13', '14', '15', '16'];
    await writeSite(pool, everybodyKnows(['1'], contacts)); // 11 at 1,000, … 16 at 1,005; the floor is 12
    await build(['1']);
    await pool.query('DELETE FROM recency_seen');
    const find = () =>
      recentContactsOn(stores, LIMITS).find({ user: '1', relation: 'any', limit: 100, below: undefined, unseen: true });
    expect(await find()).toMatchObject({ source: 'database', reason: 'below_floor', contacts: { length: 6 } });
    const keys = [
      [{ at: 1_000, id: '11' }, 5, 'database'],
      [{ at: 1_001, id: '12' }, 4, 'index'],
      [{ at: 1_003, id: '14' }, 2, 'index'],
      [{ at: 1_005, id: '16' }, 0, 'index'],
    ] as const;
    for (const [key, length, source] of keys) {
      await raiseSeen(stores.primary, '1', [{ kind: KIND, source: '0', ...key }]);
      expect(await find()).toMatchObject({ source, exact: true, more: false, contacts: { length } });
    }
  });

  it('keeps the greater of two cursors, whichever comes first', async () => {
    const id = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String);
    const key = fc.record({ at: fc.integer({ min: 1, max: 3 }), id });
    await fc.assert(
      fc.asyncProperty(fc.array(key, { minLength: 1, maxLength: 6 }), async (keys) => {
        await pool.query('DELETE FROM recency_seen');
        for (const source of ['0', '7'])
          await Promise.all(keys.map((one) => raiseSeen(stores.primary, '1', [{ kind: KIND, source, ...one }])));
        const rows = await stores.primary.rows('SELECT seen_at, seen_id FROM recency_seen ORDER BY source_id', []);
        const all = keys.toSorted(byKeyDescending)[0];
        const own = keys.toSorted((a, b) => b.at - a.at || (BigInt(a.id) < BigInt(b.id) ? 1 : -1))[0];
        expect(rows.map(([at, id]) => ({ at: Number(at), id: String(id) }))).toEqual([all, own]);
      }),
      { numRuns: cases(30) },
    );
  });
});

/** Remembers its statements. */
class Listening extends ContactsDatabase {
  readonly sent: string[] = [];

  override rows(statement: string, parameters: readonly Parameter[], options?: ReadOptions) {
    this.sent.push(statement);
    return super.rows(statement, parameters, options);
  }

  static async on(url: string): Promise<Listening> {
    const database = new Listening(url, { connections: 1, queue: 100, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    return database;
  }
}

describe('where nobody has seen anything yet', () => {
  it('answers do not look for cursors, until another process has made the first one', async () => {
    const fresh = await freshStores(LIMITS);
    await writeSite(freshSitePool(fresh.url), everybodyKnows(['1'], ['11', '12']));
    await run(rebuild(['1']), fresh.steps);
    const database = await Listening.on(fresh.url);
    const recent = recentContactsOn(fresh, LIMITS, { database });
    const unseen = async () => {
      const before = database.sent.length;
      const { contacts } = await recent.find({ user: '1', relation: 'any', limit: 2, below: undefined });
      const joined = database.sent.slice(before).map((statement) => statement.includes('recency_seen'));
      return { joined, unseen: contacts.filter((row) => row.unseen).map(({ id }) => id) };
    };
    expect(await unseen()).toEqual({ joined: [false], unseen: ['12', '11'] });
    await raiseSeen(fresh.primary, '2', [sourceUntil(KIND, '11', 1_000)]);
    expect(await unseen()).toEqual({ joined: [false, true], unseen: ['12', '11'] });
    await raiseSeen(fresh.primary, '1', [sourceUntil(KIND, '11', 1_000)]);
    expect(await unseen()).toEqual({ joined: [true], unseen: ['12'] });
  });

  it('no mark is kept that answers would not look for', async () => {
    const fresh = await freshStores(LIMITS);
    const refuse = "CREATE TRIGGER refuse BEFORE UPDATE ON recency_epoch FOR EACH ROW SIGNAL SQLSTATE '45000'";
    await freshSitePool(fresh.url).query(refuse);
    await expect(raiseSeen(fresh.primary, '1', [sourceUntil(KIND, '7', 1)])).rejects.toThrow();
    expect(await fresh.primary.rows('SELECT * FROM recency_seen', [])).toEqual([]);
  });
});

describe('a view without `since`', () => {
  it('is compared with cursors alone, after one refused statement', async () => {
    const fresh = await freshStores(LIMITS);
    const own = freshSitePool(fresh.url);
    const all = everybodyKnows(['1'], ['11', '12']);
    await writeSite(own, { ...all, ties: all.ties.map((tie) => ({ ...tie, since: 9_000 })) });
    const [[made]] = (await own.query('SHOW CREATE VIEW recency_contacts')) as unknown as [Record<string, string>[]];
    const text = String(made?.['Create View']);
    const view = text.replace(/,\s*`[^,]*`\.`since` AS `since`/, '');
    expect(view).not.toBe(text);
    await own.query('DROP VIEW recency_contacts');
    await own.query(view);
    await run(rebuild(['1']), fresh.steps);
    const database = await Listening.on(fresh.url);
    const find = async () => {
      const recent = recentContactsOn(fresh, LIMITS, { database });
      const { contacts } = await recent.find({ user: '1', relation: 'any', limit: 2, below: undefined, unseen: true });
      return contacts.map(({ id }) => id);
    };
    expect(await find()).toEqual(['12', '11']);
    expect(database.sent).toHaveLength(3); // refused; what the views have; answered
    await raiseSeen(fresh.primary, '1', [{ kind: KIND, source: '0', at: 1_000, id: '11' }]);
    expect(await find()).toEqual(['12']);
    expect(await find()).toEqual(['12']);
    expect(database.sent).toHaveLength(6);
  });
});

describe('a user who leaves and joins again', () => {
  it('starts over: nothing older is new, whatever was not seen before', async () => {
    const all = everybodyKnows(['1'], ['11', '12', '13', '14', '15', '16']);
    await writeSite(pool, all); // 16 at 1,005
    await build(['1']);
    await pool.query('DELETE FROM recency_seen');
    const unseen = async () => {
      const page = { user: '1', relation: 'any', limit: 100, below: undefined, unseen: true } as const;
      return (await recentContactsOn(stores, LIMITS).find(page)).contacts.map(({ id }) => id);
    };
    expect(await unseen()).toEqual(['16', '15', '14', '13', '12', '11']);
    await addContact(pool, '1', '16', undefined, 5_000); // they have the contact: nothing begins
    expect(await unseen()).toContain('16');
    await removeContact(pool, '1', '16');
    await addContact(pool, '1', '16', undefined, 6_000);
    await build(['1']);
    expect(await unseen()).toEqual(['15', '14', '13', '12', '11']);
    await uploadPhoto(pool, '16', 0, 6_000);
    expect(await unseen()).not.toContain('16'); // of the very millisecond of the beginning
    await uploadPhoto(pool, '16', 0, 6_001);
    expect(await unseen()).toContain('16');
  });
});
