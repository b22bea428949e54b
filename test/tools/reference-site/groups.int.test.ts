import { fc, test } from '@fast-check/vitest';
import type { Pool, RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONTACTS, GROUPS } from '../../../src/contracts/kind.ts';
import { migrate } from '../../../src/mysql/migrate.ts';
import type { Audience } from '../../../src/tools/reference-site/checks.ts';
import { createGroup, joinGroup, leaveGroup } from '../../../src/tools/reference-site/groups.ts';
import { loadGroups } from '../../../src/tools/reference-site/load-groups.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../../src/tools/reference-site/photos.ts';
import { addToPool, removeFromPool } from '../../../src/tools/reference-site/pools.ts';
import { openSitePool } from '../../../src/tools/reference-site/transaction.ts';
import { createUsers, deleteUser } from '../../../src/tools/reference-site/users.ts';
import { cases } from '../../support/cases.ts';
import { freshDatabase } from '../../support/servers.ts';

let pool: Pool;
let groups: string[];

beforeAll(async () => {
  const url = await freshDatabase();
  await migrate({ url, kinds: [CONTACTS, GROUPS] });
  pool = openSitePool(url, 4);
});

afterAll(() => pool.end());

beforeEach(emptySite);

async function emptySite(): Promise<void> {
  const tables = ['users', 'photos', 'user_groups', 'memberships', 'group_pools', 'recency_outbox'];
  for (const table of tables) await pool.query(`DELETE FROM ${table}`);
  await createUsers(pool, ['1', '2']);
  groups = [await createGroup(pool, 'one'), await createGroup(pool, 'two')];
}

async function rows(statement: string): Promise<RowDataPacket[]> {
  return (await pool.query<RowDataPacket[]>(statement))[0];
}

const tasks = () => rows('SELECT type, user_id, other_id, version FROM recency_outbox ORDER BY id');
const pairs = () =>
  rows(
    'SELECT user_id, group_id, related, last_upload_at, version, since FROM recency_groups ORDER BY user_id, group_id',
  );

/** What the views must say of the pools, from the written rules and without SQL. */
class PoolModel {
  readonly photos = new Map<string, { owner: string; audience: number }>();
  readonly pooled = new Map<string, number>();

  lastOf(group: string): number {
    const times = [...this.pooled]
      .filter(([key]) => key.startsWith(`${group} `))
      .filter(([key]) => this.photos.get(key.split(' ')[1] ?? '')?.audience === 0)
      .map(([, at]) => at);
    return Math.max(0, ...times);
  }

  photosView(): string[] {
    return [...this.pooled]
      .map(([key, at]) => `${key} ${this.photos.get(key.split(' ')[1] ?? '')?.audience} ${at}`)
      .sort();
  }

  forget(photo: string): void {
    this.photos.delete(photo);
    for (const key of this.pooled.keys()) if (key.endsWith(` ${photo}`)) this.pooled.delete(key);
  }
}

const place = fc.nat({ max: 2 });
const step = fc.oneof(
  fc.record({ do: fc.constant('upload' as const), owner: fc.constantFrom('1', '2'), audience: fc.nat({ max: 4 }) }),
  fc.record({ do: fc.constant('pool' as const), place, group: fc.nat({ max: 1 }), at: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ do: fc.constant('unpool' as const), place, group: fc.nat({ max: 1 }) }),
  fc.record({ do: fc.constant('show' as const), place, audience: fc.nat({ max: 4 }) }),
  fc.record({ do: fc.constant('delete' as const), place }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Does it, and says of which groups there must be a task. */
async function perform(what: Step, model: PoolModel): Promise<string[]> {
  if (what.do === 'upload') {
    const id = await uploadPhoto(pool, what.owner, what.audience as Audience, 5);
    model.photos.set(id, { owner: what.owner, audience: what.audience });
    return [];
  }
  const photo = [...model.photos.keys()][what.place];
  if (photo === undefined) return [];
  const inGroups = groups.filter((group) => model.pooled.has(`${group} ${photo}`));
  if (what.do === 'show') {
    const changed = await changeVisibility(pool, photo, what.audience as Audience);
    const owner = model.photos.get(photo)?.owner ?? '';
    model.photos.set(photo, { owner, audience: what.audience });
    return changed ? inGroups : [];
  }
  if (what.do === 'delete') {
    expect(await deletePhoto(pool, photo)).toBe(true);
    model.forget(photo);
    return inGroups;
  }
  const group = groups[what.group] ?? '';
  const isIn = model.pooled.has(`${group} ${photo}`);
  if (what.do === 'pool') {
    expect(await addToPool(pool, group, photo, what.at)).toBe(!isIn);
    if (!isIn) model.pooled.set(`${group} ${photo}`, what.at);
    return isIn ? [] : [group];
  }
  expect(await removeFromPool(pool, group, photo)).toBe(isIn);
  model.pooled.delete(`${group} ${photo}`);
  return isIn ? [group] : [];
}

describe('the pools of groups', () => {
  test.prop([fc.array(step, { minLength: 5, maxLength: 20 })], { numRuns: cases(20) })(
    'show in the views as the rules say, and each change of one leaves a task for each group that it concerns',
    async (steps) => {
      await emptySite();
      const model = new PoolModel();
      for (const group of groups) await joinGroup(pool, '1', group, 3);
      for (const what of steps) {
        await pool.query('DELETE FROM recency_outbox');
        const concerned = await perform(what, model);
        const told = (await tasks()).filter(({ type }) => String(type).startsWith('recency.group_photo.'));
        expect(told.map((row) => row.user_id)).toEqual(concerned);
      }
      expect((await pairs()).map((row) => Number(row.last_upload_at))).toEqual(groups.map((id) => model.lastOf(id)));
      const photos = await rows('SELECT group_id, id, audience, uploaded_at FROM recency_group_photos');
      expect(photos.map((row) => [row.group_id, row.id, row.audience, row.uploaded_at].join(' ')).sort()).toEqual(
        model.photosView(),
      );
    },
  );
});

describe('a membership', () => {
  it('begins when the user joins, ends when they leave, and begins anew when they join again', async () => {
    const [group = ''] = groups;
    expect(await joinGroup(pool, '1', group, 100)).toBe('1');
    expect(await joinGroup(pool, '1', group, 200)).toBe('2');
    expect(await pairs()).toMatchObject([{ related: 1, version: '2', since: '100' }]);
    expect(await leaveGroup(pool, '1', group)).toBe('3');
    expect(await leaveGroup(pool, '1', group)).toBeNull();
    expect(await pairs()).toMatchObject([{ related: 0, version: '3' }]);
    expect(await joinGroup(pool, '1', group, 300)).toBe('4');
    expect(await pairs()).toMatchObject([{ related: 1, version: '4', since: '300' }]);
    expect((await tasks()).map(({ type, version }) => [type, version])).toEqual([
      ['recency.group.joined', '1'],
      ['recency.group.joined', '2'],
      ['recency.group.left', '3'],
      ['recency.group.joined', '4'],
    ]);
  });

  it('is refused of an unknown user, and in an unknown group', async () => {
    await expect(joinGroup(pool, '9', groups[0] ?? '')).rejects.toMatchObject({ code: 'unknown_user' });
    await expect(joinGroup(pool, '1', '999999')).rejects.toMatchObject({ code: 'unknown_group' });
    expect(await tasks()).toEqual([]);
  });
});

it('a user who is deleted takes their photos from every group, and is in none', async () => {
  const [one = '', two = ''] = groups;
  for (const group of groups) await joinGroup(pool, '1', group);
  await joinGroup(pool, '2', one);
  const photos = [await uploadPhoto(pool, '1', 0, 5), await uploadPhoto(pool, '1', 0, 6)];
  for (const photo of photos) for (const group of groups) await addToPool(pool, group, photo, 7);
  await pool.query('DELETE FROM recency_outbox');
  await deleteUser(pool, '1');
  expect(await tasks()).toEqual([
    { type: 'recency.group_photo.removed', user_id: one, other_id: null, version: null },
    { type: 'recency.group_photo.removed', user_id: two, other_id: null, version: null },
    { type: 'recency.user.deleted', user_id: '1', other_id: null, version: null },
  ]);
  expect(await rows('SELECT * FROM recency_group_photos')).toEqual([]);
  expect(await rows('SELECT user_id, group_id FROM recency_groups WHERE related')).toEqual([
    { user_id: '2', group_id: one },
  ]);
  expect((await pairs()).map((row) => row.last_upload_at)).toEqual(['0', '0', '0']);
});

describe('groups loaded at once', () => {
  const epochs = () => rows('SELECT token FROM recency_epoch');

  it('have their members and pools, a new epoch and no task; what is there stays, and a photo that is not is left out', async () => {
    const [one = '', two = ''] = groups;
    const shown = await uploadPhoto(pool, '1', 0, 100);
    const hidden = await uploadPhoto(pool, '2', 4, 200);
    await joinGroup(pool, '1', one, 50);
    await pool.query('DELETE FROM recency_outbox');
    const before = await epochs();
    const graph = {
      groups: [
        { id: one, name: 'another name' },
        { id: '9007199254740993', name: 'loaded' },
      ],
      memberships: [
        { user: '1', group: one },
        { user: '1', group: '9007199254740993' },
        { user: '2', group: two },
      ],
      pooled: [
        { group: two, photo: shown, addedAt: 300 },
        { group: two, photo: hidden, addedAt: 400 },
        { group: '9007199254740993', photo: shown, addedAt: 500 },
        { group: two, photo: '77', addedAt: 600 },
      ],
    };
    expect(await loadGroups(pool, graph)).toEqual({ groups: 1, memberships: 2, pooled: 3 });
    expect(await tasks()).toEqual([]);
    expect(await epochs()).not.toEqual(before);
    const seen = (await pairs()).map((row) => [row.user_id, row.group_id, row.last_upload_at, row.since].map(String));
    expect(seen).toEqual([
      ['1', one, '0', '50'],
      ['1', '9007199254740993', '500', '0'],
      ['2', two, '300', '0'],
    ]);
    expect(await loadGroups(pool, graph)).toEqual({ groups: 0, memberships: 0, pooled: 0 });
  });

  it('are refused whole when a member or a group is not there', async () => {
    const [one = ''] = groups;
    const nothing = { groups: [], memberships: [], pooled: [] };
    const wrong = {
      ...nothing,
      memberships: [
        { user: '1', group: one },
        { user: '77', group: one },
      ],
    };
    await expect(loadGroups(pool, wrong)).rejects.toThrow('there is no user 77');
    const [photo, group] = [await uploadPhoto(pool, '1', 0, 100), '77'];
    await expect(loadGroups(pool, { ...nothing, pooled: [{ group, photo, addedAt: 1 }] })).rejects.toThrow(
      'there is no group 77',
    );
    expect(await pairs()).toEqual([]);
  });
});
