import { isDeepStrictEqual } from 'node:util';
import { fc, test } from '@fast-check/vitest';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import { CONTACTS, GROUPS, type Kind } from '../../src/contracts/kind.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { indexedUsers } from '../../src/index/redis/keys.ts';
import { RecentPhotos } from '../../src/query/recent-photos.ts';
import { outgoingTask } from '../../src/relay/outgoing-task.ts';
import { workBothLanes } from '../../src/tools/harness/both-lanes.ts';
import type { Audience } from '../../src/tools/reference-site/checks.ts';
import { createGroup, joinGroup, leaveGroup } from '../../src/tools/reference-site/groups.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addToPool, removeFromPool } from '../../src/tools/reference-site/pools.ts';
import { addContact, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { createUsers, deleteUser } from '../../src/tools/reference-site/users.ts';
import { decodeTask, encodeTask } from '../../src/transport/cloud-events.ts';
import { cases } from '../support/cases.ts';
import { freshSitePool } from '../support/small-site.ts';
import { createStoreViews, STORES } from '../support/store-kind.ts';
import { freshStores, type KindTestStores, kindStoresOn, recentContactsOn, type Stores } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';
import { until } from '../support/until.ts';

vi.mock('../../src/contracts/kind.ts', async (original) => {
  const real = await original<typeof import('../../src/contracts/kind.ts')>();
  const third = await import('../support/store-kind.ts');
  const KINDS = [...real.KINDS, third.STORES];
  return { ...real, KINDS, KIND_NAMES: KINDS.map(({ name }) => name) };
});

const USERS = ['1', '2', '3'];
const LIMITS = { max: 4, min: 2 };
const ALL: readonly Kind[] = [CONTACTS, GROUPS, STORES];

let stores: Stores;
let pool: ReturnType<typeof freshSitePool>;
let byKind: ReadonlyMap<string, KindTestStores>;
let groups: string[];

beforeAll(async () => {
  stores = await freshStores({ kinds: [CONTACTS, GROUPS], ...LIMITS });
  pool = freshSitePool(stores.url);
  byKind = new Map<string, KindTestStores>([
    [CONTACTS.name, stores],
    [GROUPS.name, kindStoresOn(stores, GROUPS, LIMITS)],
    [STORES.name, kindStoresOn(stores, STORES, LIMITS)],
  ]);
  await createStoreViews(pool);
});

afterAll(() => vi.doUnmock('../../src/contracts/kind.ts'));

const storesOf = (kind: Kind) => byKind.get(kind.name) as KindTestStores;

/** The tasks of the outbox, as they arrive, and an empty outbox. */
async function takeTasks() {
  const rows = await stores.primary.rows(
    'SELECT id, type, user_id, other_id, at, version FROM recency_outbox WHERE is_recheck = FALSE ORDER BY id',
    [],
  );
  await stores.primary.write('DELETE FROM recency_outbox WHERE is_recheck = FALSE', []);
  return rows.map(([id, type, userId, otherId, at, version]) => {
    const text = (value: unknown) => (value === null ? null : String(value));
    const row = { id: String(id), type: String(type), userId: String(userId), otherId: text(otherId), at: text(at) };
    const outgoing = outgoingTask({ ...row, version: text(version), createdAt: 0, attempt: 0 } as never);
    return { task: decodeTask(encodeTask(outgoing)), position: String(id) };
  });
}

type Tasks = Awaited<ReturnType<typeof takeTasks>>;

async function deliver(tasks: Tasks): Promise<void> {
  for (const kind of ALL) {
    const { steps } = storesOf(kind);
    const own = tasks.map(({ task }) => task);
    await workBothLanes(own, steps, { kind, pageSize: 2, segmentSize: 2 });
  }
}

async function build(users: readonly string[]): Promise<void> {
  for (const kind of ALL) await run(rebuild(users, true), storesOf(kind).steps);
}

/** The answer as plain SQL gives it, in the test's own words. */
async function plain({ view, idColumn }: Kind, user: string): Promise<string[]> {
  const [rows] = await pool.query(
    `SELECT ${idColumn} AS id FROM ${view} WHERE user_id = ? AND related AND last_upload_at > 0
     ORDER BY last_upload_at DESC, CAST(${idColumn} AS BINARY) DESC`,
    [user],
  );
  return (rows as { id: string }[]).map(({ id }) => String(id));
}

async function expectRight(kind: Kind): Promise<void> {
  const { index, primary } = storesOf(kind);
  const recent = recentContactsOn({ index, primary }, LIMITS);
  for (const user of USERS) {
    const truth = await plain(kind, user);
    for (const limit of [1, 2, 4, 10]) {
      const found = await recent.find({ user, relation: 'any', limit, below: undefined });
      expect([found.exact, found.contacts.map(({ id }) => id)]).toEqual([true, truth.slice(0, limit)]);
    }
    const reading = await index.read(user, 0, false);
    if (reading.state !== 'warm') continue;
    const ids = reading.head.map(({ id }) => id);
    expect(ids).toEqual(truth.slice(0, ids.length)); // I1 and I3: the top of the truth, and nothing else
    expect(ids.length === truth.length || ids.length >= LIMITS.min).toBe(true);
  }
}

const at = fc.integer({ min: 1, max: 9 });
const who = fc.constantFrom(...USERS);
const which = fc.nat({ max: 5 });
const action = fc.oneof(
  fc.record({ do: fc.constantFrom('join' as const, 'leave' as const), who, which }),
  fc.record({ do: fc.constant('upload' as const), who, which, at, audience: fc.constantFrom<Audience>(0, 0, 1) }),
  fc.record({ do: fc.constant('pool' as const), which, photo: which, at }),
  fc.record({ do: fc.constantFrom('unpool' as const, 'delete' as const), which, photo: which }),
  fc.record({ do: fc.constant('show' as const), photo: which, audience: fc.constantFrom<Audience>(0, 1) }),
  fc.record({ do: fc.constantFrom('add' as const, 'remove' as const), who, other: who }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

async function perform(step: Action, photos: string[]): Promise<void> {
  const group = 'which' in step ? (groups[step.which] ?? '') : '';
  const photo = 'photo' in step ? (photos[step.photo] ?? '999999999') : '';
  switch (step.do) {
    case 'join':
      return void (await joinGroup(pool, step.who, group));
    case 'leave':
      return void (await leaveGroup(pool, step.who, group));
    case 'upload': {
      const id = await uploadPhoto(pool, step.who, step.audience, step.at);
      photos.push(id);
      return void (await addToPool(pool, group, id, step.at));
    }
    case 'pool':
      return void (await addToPool(pool, group, photo, step.at));
    case 'unpool':
      return void (await removeFromPool(pool, group, photo));
    case 'delete':
      return void (await deletePhoto(pool, photo));
    case 'show':
      return void (await changeVisibility(pool, photo, step.audience));
    default:
      if (step.who === step.other) return;
      await (step.do === 'add' ? addContact : removeContact)(pool, step.who, step.other);
  }
}

describe('contacts and groups side by side', () => {
  test.prop([fc.array(action, { minLength: 10, maxLength: 30 }), fc.infiniteStream(fc.nat())], { numRuns: cases(8) })(
    'have indexes and answers as plain SQL has them, after tasks in any order and more than once',
    async (actions, random) => {
      for (const table of [
        'users',
        'contacts',
        'photos',
        'user_groups',
        'memberships',
        'group_pools',
        'recency_outbox',
      ]) {
        await pool.query(`DELETE FROM ${table}`);
      }
      await createUsers(pool, USERS);
      groups = [];
      for (let i = 0; i < 6; i++) groups.push(await createGroup(pool));
      for (const group of groups) await joinGroup(pool, '1', group);
      await takeTasks();
      for (const kind of ALL) await storesOf(kind).index.drop(USERS);
      await build(USERS);
      const photos: string[] = [];
      let late: Tasks = [];
      for (const [i, step] of actions.entries()) {
        await perform(step, photos);
        late.push(...(await takeTasks()));
        if (i % 3 !== 2) continue;
        const shuffled = late.map((task) => ({ task, rank: random.next().value as number }));
        shuffled.sort((a, b) => a.rank - b.rank);
        const now = shuffled.slice(0, Math.ceil(shuffled.length / 2)).map(({ task }) => task);
        await deliver(now);
        late = [...shuffled.slice(now.length).map(({ task }) => task), ...now.slice(0, 1)];
      }
      await deliver(late);
      await expectRight(CONTACTS);
      await expectRight(GROUPS);
    },
  );

  it('share a user, but no key; forgetting one kind leaves the other', async () => {
    await createUsers(pool, ['77', '78']);
    const group = await createGroup(pool);
    await joinGroup(pool, '77', group);
    await addContact(pool, '77', '78');
    await addToPool(pool, group, await uploadPhoto(pool, '78', 0, 5), 6);
    await takeTasks();
    await build(['77']);
    const all = async (kind: Kind) => {
      const users: string[] = [];
      for await (const some of indexedUsers(stores.redis, stores.prefix, kind)) users.push(...some);
      return users;
    };
    expect([await all(CONTACTS), await all(GROUPS)].map((users) => users.includes('77'))).toEqual([true, true]);
    await storesOf(GROUPS).steps.forget(['77']);
    expect([await all(CONTACTS), await all(GROUPS)].map((users) => users.includes('77'))).toEqual([true, false]);
    await build(['77']);
    await deleteUser(pool, '77');
    await deliver(await takeTasks());
    expect([await all(CONTACTS), await all(GROUPS)].map((users) => users.includes('77'))).toEqual([false, false]);
  });

  it('a task of a membership that is not committed yet is looked at again, on the side of the user alone', async () => {
    await createUsers(pool, ['87']);
    const group = await createGroup(pool);
    await addToPool(pool, group, await uploadPhoto(pool, '87', 0, 5), 6);
    await joinGroup(pool, '87', await createGroup(pool));
    await takeTasks();
    const { index, steps, rechecks, delayed } = storesOf(GROUPS);
    await run(rebuild(['87'], true), steps);
    await deliver([{ task: { type: 'recency.group.joined', user: '87', group, version: '1' }, position: 'early' }]);
    expect(await stores.rechecks.take(10, 1)).toEqual([]); // those of contacts
    await joinGroup(pool, '87', group);
    await takeTasks();
    const worker = new DelayedWorker({
      watch: TRUSTED,
      kind: GROUPS,
      steps,
      rechecks,
      delayed,
      logger: pino({ level: 'silent' }),
    });
    await until(async () => {
      await worker.runOnce();
      const reading = await index.read('87', 0, false);
      return (
        reading.state === 'warm' &&
        isDeepStrictEqual(
          reading.head.map(({ id }) => id),
          [group],
        )
      );
    });
  });
});

describe('a third kind, by its declaration and views alone', () => {
  it('goes from its tasks to its answers', async () => {
    const { index, primary } = storesOf(STORES);
    await pool.query('INSERT INTO shop VALUES (1, 10), (2, 20), (3, 30), (10, 20), (5, 0)');
    await pool.query('INSERT INTO liked VALUES (1, 1, 1, 1), (1, 2, 1, 1), (2, 3, 1, 1)');
    await build(['1', '2', '3']);
    await expectRight(STORES);

    await pool.query('INSERT INTO liked VALUES (1, 3, 1, 1), (1, 10, 1, 1), (1, 5, 1, 1)');
    await pool.query('UPDATE shop SET newest = 40 WHERE id = 1');
    const hints = [
      { type: 'recency.store.liked', user: '1', store: '3', version: '1' },
      { type: 'recency.store.liked', user: '1', store: '10' },
      { type: 'recency.store.changed', user: '1', store: '5' },
      { type: 'recency.store_photo.added', store: '1', photo: '1' },
    ];
    const tasks = hints.map((hint, i) => {
      const body = Buffer.from(JSON.stringify(hint));
      return { task: decodeTask({ body, headers: {} }), position: `store:${i}` };
    });
    await deliver(tasks);
    expect(await plain(STORES, '1')).toEqual(['1', '3', '2', '10']);
    await expectRight(STORES);
    const recent = recentContactsOn({ index, primary }, LIMITS);
    const photos = new RecentPhotos({ recent, database: primary, now: () => performance.now() });
    const found = await photos.find({ user: '1', relation: 'any', contacts: 2, photos: 5 });
    expect(found.contacts.map(({ id, photos }) => [id, photos.map((photo) => photo.uploadedAt)])).toEqual([
      ['1', [40]],
      ['3', [30]],
    ]);
    expect(found.source).toBe('index');
  });
});
