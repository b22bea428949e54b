import type { Pool } from 'mysql2/promise';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { raiseSeen } from '../../src/mysql/statements/seen.ts';
import { MarkSeen } from '../../src/query/mark-seen.ts';
import { SourcePhotos, type SourcePhotosQuery } from '../../src/query/source-photos.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { freshSitePool, type SitePhoto, type SmallSite, visiblePhotos, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 8, min: 4 };
const USER = '1';
const SOURCE = '20';
/** Their ids stand on either side of the source's, as text. */
const OTHERS = ['3', '100'];

let stores: Stores;
let pool: Pool;
let photos: SourcePhotos;

beforeAll(async () => {
  stores = await freshStores(LIMITS);
  pool = freshSitePool(stores.url);
  photos = new SourcePhotos({ database: stores.primary, now: () => performance.now() });
});

beforeEach(() => pool.query('DELETE FROM recency_seen'));

/** xorshift32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Many photos of few times, in every audience; ids of other lengths, and in another order than the times. */
function siteOf(random: (below: number) => number, since = 0): SmallSite {
  const owners = [SOURCE, ...OTHERS];
  const tie = { friend: random(2) === 0, family: random(2) === 0, active: true };
  const ids = Array.from({ length: 30 }, (_, i) => String(90 + i)).sort(() => random(3) - 1);
  return {
    users: [USER, ...owners],
    ties: owners.flatMap((owner) => [
      { user: USER, contact: owner, friend: false, family: false, active: true, since },
      { user: owner, contact: USER, ...tie },
    ]),
    photos: ids.map((id, i) => ({
      id,
      owner: i % 4 === 0 ? (OTHERS[random(2)] as Id) : SOURCE,
      audience: random(5),
      at: 1 + random(6),
    })),
  };
}

const find = (query: Partial<SourcePhotosQuery>) =>
  photos.find({ user: USER, source: SOURCE, unseen: false, after: undefined, limit: 3, ...query });

/** Pages to the end, by their cursors. */
async function pages(query: Partial<SourcePhotosQuery>) {
  const ids: Id[] = [];
  for (let after: SourcePhotosQuery['after']; ; ) {
    const { photos: page, more, exact } = await find({ ...query, after });
    expect(exact).toBe(true);
    ids.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (!more || last === undefined) return ids;
    after = { at: last.uploadedAt, id: last.id };
  }
}

const idsOf = (some: readonly SitePhoto[]) => some.map(({ id }) => id);

const seen = () => new MarkSeen({ database: stores.primary });

/** Marks what a page showed, as the API does from its `through`. */
async function markShown(page: readonly { id: Id; uploadedAt: number }[]): Promise<void> {
  const last = page.at(-1);
  const key = last && { at: last.uploadedAt, id: last.id };
  const shown = { through: [{ kind: CONTACTS.name, source: SOURCE, key }] };
  await seen().mark({ user: USER, kinds: [CONTACTS.name], source: SOURCE, seen: shown });
}

describe('the photos of one source', () => {
  it.each([1, 2, 3, 4, 5, 6])('are those that the user may see, whatever the pages (seed %i)', async (seed) => {
    const random = randomOf(seed * 104_729);
    const site = siteOf(random);
    await writeSite(pool, site);
    const visible = visiblePhotos(site, USER, SOURCE);
    for (const limit of [1, 2, 7, 50]) {
      expect(await pages({ limit })).toEqual(idsOf(visible));
      expect(await pages({ limit, unseen: true })).toEqual(idsOf(visible.toReversed()));
    }
    const since = 1 + random(6);
    expect(await pages({ since })).toEqual(idsOf(visible.filter(({ at }) => at >= since)));
  });

  it.each([1, 2, 3, 4, 5, 6])('that are new are those above every mark (seed %i)', async (seed) => {
    const random = randomOf(seed * 7_919);
    const since = random(3);
    const site = siteOf(random, since);
    await writeSite(pool, site);
    const visible = visiblePhotos(site, USER, SOURCE).toReversed();
    const all = { at: random(6), id: random(2) === 0 ? '100' : '3' };
    const own = visible[random(visible.length)];
    if (all.at > 0) await raiseSeen(stores.primary, USER, [{ kind: 'contacts', source: '0', ...all }]);
    if (own && random(2) === 0) await markShown([{ id: own.id, uploadedAt: own.at }]);
    const isOwnMarked = (await stores.primary.rows('SELECT 1 FROM recency_seen WHERE source_id <> 0', [])).length > 0;
    const isNew = ({ at, id }: SitePhoto) => {
      const isAboveAll = all.at === 0 || at > all.at || (at === all.at && SOURCE > all.id);
      const isAboveOwn =
        !isOwnMarked || own === undefined || at > own.at || (at === own.at && BigInt(id) > BigInt(own.id));
      return at > since && isAboveAll && isAboveOwn;
    };
    expect(await pages({ unseen: true, limit: 2 })).toEqual(idsOf(visible.filter(isNew)));
  });

  it('are shown once each to somebody who marks every page, also from two devices and after a crash', async () => {
    const random = randomOf(42);
    const site = siteOf(random);
    await writeSite(pool, site);
    const visible = idsOf(visiblePhotos(site, USER, SOURCE).toReversed());
    const shown: Id[] = [];
    for (let round = 0; ; round++) {
      const page = await find({ unseen: true });
      const again = await find({ unseen: true }); // another device, or the same after a crash before the mark
      expect(again.photos).toEqual(page.photos);
      shown.push(...idsOf(page.photos as unknown as SitePhoto[]));
      await markShown(page.photos);
      if (round % 2 === 0) await markShown(page.photos.slice(0, 1)); // a late mark of the other
      if (!page.more) break;
    }
    expect(shown).toEqual(visible);
    const [row] = (
      await recentContactsOn(stores, LIMITS).find({ user: USER, relation: 'any', limit: 9, below: undefined })
    ).contacts.filter(({ id }) => id === SOURCE);
    expect(row?.unseen).toBe(false);
  });

  it('that come later at the time of the last one shown are new, in the list as well', async () => {
    const site = siteOf(randomOf(7));
    const photo = (id: Id) => ({ id, owner: SOURCE, audience: 0, at: 500 });
    await writeSite(pool, { ...site, photos: [...site.photos, photo('600')] });
    await markShown([{ id: '600', uploadedAt: 500 }]);
    const unseen = async () =>
      (
        await recentContactsOn(stores, LIMITS).find({
          user: USER,
          relation: 'any',
          limit: 9,
          below: undefined,
          unseen: true,
        })
      ).contacts.map(({ id }) => id);
    expect(await unseen()).not.toContain(SOURCE);
    await writeSite(pool, { ...site, photos: [...site.photos, photo('600'), photo('601')] });
    expect(await unseen()).toContain(SOURCE);
    expect(await pages({ unseen: true })).toEqual(['601']);
  });

  it('start over for somebody who leaves and comes back, and are none of somebody who is not followed', async () => {
    const site = siteOf(randomOf(9));
    await writeSite(pool, site);
    await pool.query('UPDATE contacts SET active = FALSE WHERE user_id = ? AND contact_id = ?', [USER, SOURCE]);
    expect(await find({})).toMatchObject({ photos: [], more: false, exact: true, reason: 'one_source' });
    await pool.query('UPDATE contacts SET active = TRUE, since = 5 WHERE user_id = ? AND contact_id = ?', [
      USER,
      SOURCE,
    ]);
    const visible = visiblePhotos(site, USER, SOURCE);
    expect(await pages({ unseen: true })).toEqual(idsOf(visible.filter(({ at }) => at > 5).toReversed()));
    expect(await pages({})).toEqual(idsOf(visible));
    expect(await find({ source: '999' })).toMatchObject({ photos: [], more: false, exact: true });
  });

  it('are read again when what the user may see changes meanwhile; if that does not settle, the answer says so', async () => {
    const site = siteOf(randomOf(11));
    await writeSite(pool, site);
    const database = new Changing(stores.url, { connections: 2, queue: 10, deadlineMs: 5_000 });
    const changing = new SourcePhotos({ database, now: () => performance.now() });
    const asked = { user: USER, source: SOURCE, unseen: false, after: undefined, limit: 50 };
    try {
      database.before = [grant(true, true)];
      const settled = await changing.find(asked);
      expect(settled).toMatchObject({ exact: true });
      const open = {
        ...site,
        ties: site.ties.map((tie) => (tie.user === SOURCE ? { ...tie, friend: true, family: true } : tie)),
      };
      expect(settled.photos.map(({ id }) => id)).toEqual(idsOf(visiblePhotos(open, USER, SOURCE)));
      database.before = [true, false, true, false, true].map((friend) => grant(friend, false));
      expect(await changing.find(asked)).toMatchObject({ exact: false, reason: 'changed_meanwhile' });
    } finally {
      await database.close();
    }
  });
});

describe('times with fractions of a millisecond', () => {
  it.each(['DECIMAL(20, 3)', 'DOUBLE'])('of type %s are cut off, and no photo is lost between pages', async (type) => {
    const photos = Array.from({ length: 20 }, (_, i) => ({
      id: String(90 + i),
      owner: SOURCE,
      audience: 0,
      at: 5 + (i % 2),
    }));
    const site = { ...siteOf(randomOf(5)), photos };
    await writeSite(pool, site);
    await pool.query(`CREATE OR REPLACE VIEW recency_photos AS
      SELECT id, owner_id, audience, CAST(uploaded_at + (id * 7 % 10) / 10 AS ${type}) AS uploaded_at, title FROM photos`);
    onTestFinished(async () => {
      await pool.query(
        'CREATE OR REPLACE VIEW recency_photos AS SELECT id, owner_id, audience, uploaded_at, title FROM photos',
      );
    });
    const visible = visiblePhotos(site, USER, SOURCE);
    for (const limit of [1, 2, 3, 7]) {
      expect(await pages({ limit })).toEqual(idsOf(visible));
      expect(await pages({ limit, unseen: true })).toEqual(idsOf(visible.toReversed()));
    }
  });
});

describe('what a page costs', () => {
  it('is the rows that it shows, in either direction, of a source with 20,000 photos most of which are seen or private', async () => {
    const site = siteOf(randomOf(3));
    const many = Array.from({ length: 20_000 }, (_, i) => ({
      ...{ id: String(1_000 + i), owner: SOURCE, audience: i % 2 === 0 ? 0 : 4, at: 1_000 + i },
    }));
    await writeSite(pool, { ...site, photos: many });
    await stores.primary.rows('ANALYZE TABLE photos', []);
    const counting = new CountingDatabase(stores.url);
    const counted = new SourcePhotos({ database: counting, now: () => performance.now() });
    const asked = { user: USER, source: SOURCE, after: undefined, limit: 10 };
    await markShown([{ id: '10999', uploadedAt: 10_999 }]);
    for (const unseen of [true, false]) {
      await counted.find({ ...asked, unseen });
      const before = await counting.rowsRead();
      const { photos } = await counted.find({ ...asked, unseen });
      expect(photos[0]?.uploadedAt).toBe(unseen ? 11_000 : 20_998);
      expect((await counting.rowsRead()) - before).toBeLessThan(300);
    }
  });
});

const grant = (friend: boolean, family: boolean) => () =>
  pool.query('UPDATE contacts SET is_friend = ?, is_family = ? WHERE user_id = ? AND contact_id = ?', [
    friend,
    family,
    SOURCE,
    USER,
  ]);

/** Before each of its statements, the next of these happens. */
class Changing extends ContactsDatabase {
  before: (() => Promise<unknown>)[] = [];

  override async rows(...args: Parameters<ContactsDatabase['rows']>): ReturnType<ContactsDatabase['rows']> {
    const rows = await super.rows(...args);
    if (String(args[0]).includes('AS photo')) await this.before.shift()?.();
    return rows;
  }
}
