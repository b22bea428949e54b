import type { Pool } from 'mysql2/promise';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONTACTS, GROUPS, KINDS } from '../../src/contracts/kind.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { writeEpoch } from '../../src/mysql/epoch.ts';
import { raiseSeen } from '../../src/mysql/statements/seen.ts';
import { photosOverKinds, recentOverKinds, type SourceKey } from '../../src/query/over-kinds.ts';
import type { RecentContactsOptions } from '../../src/query/recent-contacts.ts';
import { RecentPhotos } from '../../src/query/recent-photos.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { recomputeLastUploads } from '../../src/tools/reference-site/last-uploads.ts';
import { recomputeNewest } from '../../src/tools/reference-site/pools.ts';
import { inTransaction } from '../../src/tools/reference-site/transaction.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, type KindTestStores, kindStoresOn, recentContactsOn, type Stores } from '../support/stores.ts';

/** Small, so that most pages reach below a floor. */
const LIMITS = { max: 4, min: 2 };
const USER = '1';
/** The same ids in both kinds, and in another order as text than as numbers. */
const IDS = Array.from({ length: 9 }, (_, i) => String(5 + i));

let stores: Stores;
let ofGroups: KindTestStores;
let pool: Pool;

beforeAll(async () => {
  stores = await freshStores({ kinds: [CONTACTS, GROUPS], ...LIMITS });
  ofGroups = kindStoresOn(stores, GROUPS, LIMITS);
  pool = freshSitePool(stores.url);
});

function asked(contacts: Partial<RecentContactsOptions> = {}, groups: Partial<RecentContactsOptions> = {}) {
  const now = () => performance.now();
  return [
    { kind: CONTACTS, of: stores, parts: contacts },
    { kind: GROUPS, of: ofGroups, parts: groups },
  ].map(({ kind, of, parts }) => {
    const recentContacts = recentContactsOn(of, LIMITS, parts);
    return {
      kind,
      recentContacts,
      recentPhotos: new RecentPhotos({ recent: recentContacts, database: of.primary, now }),
    };
  });
}

/** The audience of a contact's photo, and as what the contact has the user. */
interface Privacy {
  readonly audience: number;
  readonly isFriend: boolean;
  readonly isFamily: boolean;
}

const EVERYBODY: Privacy = { audience: 0, isFriend: false, isFamily: false };

/** Replaces the site: of each contact, and each group, the time of the newest photo; 0: it has none. */
async function write(
  contacts: readonly number[],
  groups: readonly number[],
  privacyOf: () => Privacy = () => EVERYBODY,
): Promise<void> {
  const privacies = IDS.map(privacyOf);
  await inTransaction(pool, async (connection) => {
    for (const table of ['contacts', 'memberships', 'group_pools', 'user_groups', 'photos', 'users', 'recency_seen']) {
      await connection.query(`DELETE FROM ${table}`);
    }
    const insert = async (into: string, rows: unknown[][]) => {
      if (rows.length > 0) await connection.query(`INSERT INTO ${into} VALUES ?`, [rows]);
    };
    await insert(
      'users (id)',
      [USER, ...IDS].map((id) => [id]),
    );
    await insert(
      'user_groups (id)',
      IDS.map((id) => [id]),
    );
    await insert(
      'contacts (user_id, contact_id)',
      IDS.map((id) => [USER, id]),
    );
    await insert(
      'contacts (user_id, contact_id, is_friend, is_family)',
      privacies.map(({ isFriend, isFamily }, i) => [IDS[i], USER, isFriend, isFamily]),
    );
    await insert(
      'memberships (user_id, group_id)',
      IDS.map((id) => [USER, id]),
    );
    const photosOf = (times: readonly number[], from: number) =>
      times.flatMap((at, i) => (at > 0 ? [[from + i, IDS[i], 0, at, '']] : []));
    const own = photosOf(contacts, 100).map(([id, owner, , at, title]) => [
      id,
      owner,
      privacies[IDS.indexOf(String(owner))]?.audience,
      at,
      title,
    ]);
    await insert('photos (id, owner_id, audience, uploaded_at, title)', own);
    // The photos of the pools are of somebody who is nobody's contact.
    const pooled = photosOf(groups, 200).map(([id, , audience, at, title]) => [id, USER, audience, at, title]);
    await insert('photos (id, owner_id, audience, uploaded_at, title)', pooled);
    await insert(
      'group_pools (group_id, photo_id, audience, added_at)',
      photosOf(groups, 200).map(([id, group, audience, at]) => [group, id, audience, at]),
    );
    await recomputeLastUploads(connection, IDS);
    await recomputeNewest(connection, IDS);
  });
  for (const { steps } of [stores, ofGroups]) {
    await steps.drop([USER]);
    await run(rebuild([USER], true), steps);
  }
}

/** The whole list by plain SQL. */
async function truth(): Promise<string[]> {
  const ofKind = ({ name, view, idColumn }: (typeof KINDS)[number]) => `
    SELECT '${name}' AS kind, ${idColumn} AS id, last_upload_at AS at FROM ${view}
    WHERE user_id = ${USER} AND related AND last_upload_at >= 1`;
  const [rows] = await pool.query({
    sql: `${KINDS.map(ofKind).join(' UNION ALL ')} ORDER BY at DESC, kind ASC, CAST(id AS BINARY) DESC`,
    rowsAsArray: true,
  });
  return (rows as unknown as (string | number)[][]).map(([kind, id, at]) => `${kind} ${id} ${at}`);
}

const textOf = ({
  kind,
  id,
  at,
}: {
  readonly kind: { readonly name: string };
  readonly id: string;
  readonly at: number;
}) => `${kind.name} ${id} ${at}`;

/** Pages to the end. */
async function pages(limit: number, query: { since?: number; unseen?: boolean } = {}, kinds = asked()) {
  const texts: string[] = [];
  const sources = new Set<string>();
  for (let after: SourceKey | undefined; ; ) {
    const found = await recentOverKinds(kinds, { user: USER, limit, after, ...query });
    expect(found.exact).toBe(true);
    expect(found.sources.length).toBeLessThanOrEqual(limit);
    texts.push(...found.sources.map(textOf));
    sources.add(found.source);
    const last = found.sources.at(-1);
    if (!found.more) return { texts, sources };
    expect(found.sources).toHaveLength(limit);
    after = last && { ...last, kind: last.kind.name };
  }
}

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

describe('the list over both kinds', () => {
  it.each(Array.from({ length: 12 }, (_, i) => i + 1))(
    'is what plain SQL says, in pages of any size (seed %i)',
    async (seed) => {
      const random = randomOf(seed * 7_919);
      const times = () => IDS.map(() => (random(4) === 0 ? 0 : 1 + random(random(2) === 0 ? 3 : 40)));
      const privacy = () => ({ audience: random(5), isFriend: random(2) === 0, isFamily: random(2) === 0 });
      await write(times(), times(), privacy);
      const all = await truth();
      const answered = new Set<string>();
      for (const limit of [1, 2, 3, 5, 18, 100]) {
        const { texts, sources } = await pages(limit);
        expect(texts, `limit ${limit}`).toEqual(all);
        for (const source of sources) answered.add(source);
      }
      expect(answered).toContain('database');
      const since = 1 + random(20);
      const late = all.filter((text) => Number(text.split(' ')[2]) >= since);
      expect((await pages(2, { since })).texts).toEqual(late);
      for (const sources of [1, 3, 20]) {
        const found = await photosOverKinds(asked(), { user: USER, sources, photos: 2 });
        expect(found.exact).toBe(true);
        expect(found.sources.map(textOf)).toEqual(all.slice(0, sources));
        for (const { at, photos } of found.sources) expect(photos.map(({ uploadedAt }) => uploadedAt)).toEqual([at]);
      }
    },
  );

  it('leaves out what was seen, of each kind up to its own mark', async () => {
    await write([10, 20, 30], [15, 25, 35]);
    await pool.query('UPDATE contacts SET since = 0');
    await raiseSeen(stores.primary, USER, [
      { kind: 'contacts', source: '0', at: 20, id: IDS[1] as string },
      { kind: 'groups', source: '0', at: 15, id: IDS[0] as string },
    ]);
    expect((await pages(1, { unseen: true })).texts).toEqual(['groups 7 35', 'contacts 7 30', 'groups 6 25']);
  });
});

describe('an answer over both kinds', () => {
  beforeEach(() => write([10, 20, 30], [15, 25, 35]));

  const first = async (kinds = asked()) => {
    const found = await recentOverKinds(kinds, { user: USER, limit: 2, after: undefined });
    expect(found.sources.map(textOf)).toEqual(['groups 7 35', 'contacts 7 30']);
    return found;
  };

  it('is from the indexes when both are certain', async () => {
    expect(await first()).toMatchObject({
      source: 'index',
      exact: true,
      complete: true,
      reason: undefined,
      more: true,
    });
  });

  it('has the higher of the two floors, and is complete when both are', async () => {
    await write([10, 20, 30, 31, 32, 33], [15, 25, 35]);
    const found = await recentOverKinds(asked(), { user: USER, limit: 2, after: undefined });
    expect(found).toMatchObject({ source: 'index', complete: false, floor: { at: 20, id: IDS[1] } });
  });

  it('says so when one of the indexes is cold', async () => {
    await ofGroups.index.drop([USER]);
    expect(await first()).toMatchObject({ source: 'database', exact: true, reason: 'cold' });
  });

  it('says so when Redis is away, or the epoch is another', async () => {
    const away = { index: { read: () => Promise.reject(new RedisUnavailable('not there')) } };
    expect(await first(asked(away, away))).toMatchObject({ source: 'database', reason: 'redis_unavailable' });
    await writeEpoch(stores.primary, { nonce: 'another', why: 'a test', bumpedAt: 1 });
    expect(await first()).toMatchObject({ source: 'database', exact: true, reason: 'cold' });
  });

  it('is as old as the oldest of its parts, and as far behind as the one furthest behind', async () => {
    const lag = (ms: number | undefined) => ({ lagMs: () => ms, clock: () => ms ?? 0 });
    expect(await first(asked(lag(5), lag(7)))).toMatchObject({ asOf: 5, lagMs: 7 });
    const unknown = { lagMs: undefined, exact: false, reason: 'lag' };
    expect(await first(asked(lag(5), lag(undefined)))).toMatchObject(unknown);
  });
});
