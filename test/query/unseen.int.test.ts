import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending, isAbove, type Key } from '../../src/contracts/key.ts';
import { RELATIONS } from '../../src/contracts/relation.ts';
import { allUntil, EVERY_PHOTO, type SeenCursor, sourceUntil } from '../../src/contracts/seen.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { raiseSeen } from '../../src/mysql/seen.ts';
import { IDS, site } from '../support/site-arbitrary.ts';
import { everybodyKnows, freshSitePool, rankedContacts, type SmallSite, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 4, min: 2 };
const KIND = 'contacts';
const PROPERTY_MS = 60_000;

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

  isUnseen(user: Id, key: Key): boolean {
    const all = this.#all.get(user);
    const own = this.#own.get(`${user} ${key.id}`);
    const isOwn = own === undefined || key.at > own.at || (key.at === own.at && own.id < BigInt(EVERY_PHOTO));
    return (all === undefined || isAbove(key, all)) && isOwn;
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

async function expectTruth(all: SmallSite, seen: Seen, limit: number, relation: (typeof RELATIONS)[number]) {
  const recent = recentContactsOn(stores, LIMITS);
  for (const user of IDS) {
    const ranked = rankedContacts(all, user, relation).map((row) => ({ ...row, unseen: seen.isUnseen(user, row) }));
    const page = await recent.find({ user, relation, limit: 100, below: undefined });
    expect(page.contacts.map(({ sees: _, ...rest }) => rest)).toEqual(ranked);
    const unseen = ranked.filter((row) => row.unseen).map(({ id, at }) => ({ id, at }));
    expect(await walk(user, relation, limit)).toEqual(unseen);
    const count = await recent.find({ user, relation, limit: 100, below: undefined, unseen: true });
    expect({ count: count.contacts.length, more: count.more }).toEqual({ count: unseen.length, more: false });
  }
}

describe('what is unseen', () => {
  it(
    'is what the rules say, after marks of several devices in any order, and after photos and grants have changed',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          site,
          site,
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
        { numRuns: 60, interruptAfterTimeLimit: PROPERTY_MS - 10_000 },
      );
    },
    PROPERTY_MS,
  );

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
      { numRuns: 30 },
    );
  });
});
