import { fc, test } from '@fast-check/vitest';
import type { PoolConnection } from 'mysql2/promise';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Audience } from '../../../src/tools/reference-site/checks.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../../src/tools/reference-site/photos.ts';
import { addContact, changeRelationship, removeContact } from '../../../src/tools/reference-site/relationships.ts';
import { inTransaction } from '../../../src/tools/reference-site/transaction.ts';
import { createUsers, deleteUser } from '../../../src/tools/reference-site/users.ts';
import { cases } from '../../support/cases.ts';
import { freshReferenceSite } from '../../support/reference-site.ts';
import { until } from '../../support/until.ts';

const { pool, rows, empty } = await freshReferenceSite({ connections: 12 });

beforeEach(emptySite);

async function emptySite(): Promise<void> {
  await empty();
  await createUsers(pool, ['1', '2', '3']);
}

/** Owners whose columns are not what their photos say. */
const WRONG_COLUMNS = `
  SELECT users.*, COALESCE(MAX(IF(audience = 0, uploaded_at, 0)), 0) AS public_at,
         COALESCE(MAX(IF(audience = 1, uploaded_at, 0)), 0) AS friends_at,
         COALESCE(MAX(IF(audience = 2, uploaded_at, 0)), 0) AS family_at,
         COALESCE(MAX(IF(audience = 3, uploaded_at, 0)), 0) AS friends_family_at
  FROM users LEFT JOIN photos ON owner_id = users.id
  GROUP BY users.id
  HAVING last_public_at <> public_at OR last_friends_at <> friends_at OR last_family_at <> family_at
      OR last_friends_family_at <> friends_family_at`;

describe('many at once on the same owner and the same pair', () => {
  const audience = fc.constantFrom<Audience>(0, 1, 2, 3, 4);
  const onPhotos = fc.oneof(
    fc.record({ do: fc.constant('upload' as const), audience, at: fc.integer({ min: 1, max: 1000 }) }),
    fc.record({ do: fc.constant('delete' as const), photo: fc.nat({ max: 7 }) }),
    fc.record({ do: fc.constant('show' as const), photo: fc.nat({ max: 7 }), audience }),
  );
  const onPair = fc.oneof(
    fc.record({ do: fc.constant('add' as const), friend: fc.boolean() }),
    fc.record({ do: fc.constant('change' as const), friend: fc.boolean() }),
    fc.record({ do: fc.constant('remove' as const) }),
  );

  type Action = typeof onPhotos | typeof onPair extends fc.Arbitrary<infer T> ? T : never;

  /** Whether it changed anything. */
  async function act(action: Action, photos: string[]): Promise<boolean> {
    if (action.do === 'upload') return Boolean(await uploadPhoto(pool, '1', action.audience, action.at));
    if (action.do === 'delete') return await deletePhoto(pool, photos[action.photo] ?? '');
    if (action.do === 'show') return await changeVisibility(pool, photos[action.photo] ?? '', action.audience);
    if (action.do === 'remove') return (await removeContact(pool, '1', '2')) !== null;
    const grant = { friend: action.friend, family: false };
    if (action.do === 'add') return Boolean(await addContact(pool, '1', '2', grant));
    return (await changeRelationship(pool, '1', '2', grant)) !== null;
  }

  test.prop([fc.array(fc.oneof(onPhotos, onPair), { minLength: 30, maxLength: 60 })], { numRuns: cases(12) })(
    'the columns equal the photos, versions are counted one by one, each change has its task',
    async (actions) => {
      await emptySite();
      const photos: string[] = [];
      for (let n = 0; n < 8; n += 1) photos.push(await uploadPhoto(pool, '1', (n % 4) as Audience, 100 * n + 100));
      const changed = await Promise.all(actions.map((action) => act(action, photos)));

      expect(await rows(WRONG_COLUMNS)).toEqual([]);
      const counted = (group: string[]) => actions.filter((one, n) => changed[n] && group.includes(one.do)).length;
      const changes = counted(['add', 'change', 'remove']);
      const versions = await rows('SELECT version FROM recency_outbox WHERE version IS NOT NULL ORDER BY version');
      expect(versions.map((row) => Number(row.version))).toEqual(Array.from({ length: changes }, (_, n) => n + 1));
      expect((await rows('SELECT version FROM contacts')).map((row) => Number(row.version))).toEqual(
        changes === 0 ? [] : [changes],
      );
      const tasks = await rows("SELECT id FROM recency_outbox WHERE type LIKE 'recency.photo.%'");
      expect(tasks).toHaveLength(8 + counted(['upload', 'delete', 'show']));
    },
  );

  it('a user deleted amid adds and uploads leaves no photo and no active relationship', async () => {
    const others = Array.from({ length: 30 }, async (_, n) => {
      await (n % 2 === 0 ? addContact(pool, '2', '1') : uploadPhoto(pool, '1', 0, n));
    });
    const deleted = deleteUser(pool, '1');
    const results = await Promise.allSettled(others);
    expect(await deleted).toBe(true);
    const refused = results.filter((result) => result.status === 'rejected');
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'unknown_user' });
    expect(await rows('SELECT 1 FROM photos UNION SELECT 1 FROM contacts WHERE active')).toEqual([]);
  });
});

describe("a photo's transaction", () => {
  /** Waits until so many statements of others stand before the lock of an owner's row. */
  async function ownersAreWaitedFor(callers: number): Promise<void> {
    const waiting = `SELECT ID FROM information_schema.PROCESSLIST
                     WHERE DB = DATABASE() AND ID <> CONNECTION_ID() AND INFO LIKE '%FROM users WHERE id%FOR UPDATE'`;
    await until(async () => (await rows(waiting)).length === callers);
  }

  /** Another writer's transaction, stopped with the owner's row locked. */
  async function stoppedWriter(): Promise<PoolConnection> {
    const writer = await pool.getConnection();
    onTestFinished(() => writer.destroy());
    await writer.beginTransaction();
    await writer.query('SELECT id FROM users WHERE id = 1 FOR UPDATE');
    return writer;
  }

  it('waits for the owner and then sees what was committed while it waited', async () => {
    const writer = await stoppedWriter();
    await writer.query('INSERT INTO photos (owner_id, audience, uploaded_at) VALUES (1, 0, 500)');
    await writer.query('UPDATE users SET last_public_at = 500 WHERE id = 1');
    const upload = uploadPhoto(pool, '1', 0, 100);
    await ownersAreWaitedFor(1);
    await writer.commit();
    await upload;
    expect(await rows('SELECT last_public_at FROM users WHERE id = 1')).toEqual([{ last_public_at: '500' }]);
  });

  it('finds the photo gone that was deleted while it waited, and tells nobody', async () => {
    const photo = await uploadPhoto(pool, '1', 0, 100);
    await pool.query('DELETE FROM recency_outbox');
    const writer = await stoppedWriter();
    const calls = [deletePhoto(pool, photo), changeVisibility(pool, photo, 1)];
    await ownersAreWaitedFor(2);
    await writer.query('DELETE FROM photos WHERE id = ?', [photo]);
    await writer.commit();
    expect(await Promise.all(calls)).toEqual([false, false]);
    expect(await rows('SELECT * FROM recency_outbox')).toEqual([]);
  });
});

describe('a new contact', () => {
  it('waits for a transaction that is deleting one of the two, and is refused then', async () => {
    const writer = await pool.getConnection();
    onTestFinished(() => writer.destroy());
    await writer.beginTransaction();
    await writer.query('DELETE FROM users WHERE id = 2');
    const added = addContact(pool, '1', '2');
    added.catch(() => undefined); // looked at below
    const waiting = `SELECT ID FROM information_schema.PROCESSLIST
                     WHERE DB = DATABASE() AND ID <> CONNECTION_ID() AND INFO LIKE '%FROM users WHERE id IN%'`;
    await until(async () => (await rows(waiting)).length === 1);
    await writer.commit();
    await expect(added).rejects.toMatchObject({ code: 'unknown_user' });
  });
});

it('a transaction locks no gaps: others may insert where it found nothing', async () => {
  await inTransaction(pool, async (connection) => {
    await connection.query('SELECT id FROM photos WHERE owner_id = 2 FOR UPDATE');
    const other = await pool.getConnection();
    onTestFinished(() => other.release());
    await other.query('SET SESSION innodb_lock_wait_timeout = 1');
    await other.query('INSERT INTO photos (owner_id, audience, uploaded_at) VALUES (2, 0, 1)');
  });
  expect(await rows('SELECT owner_id FROM photos')).toEqual([{ owner_id: '2' }]);
});

describe('a transaction that lost to others', () => {
  /** One that locks two rows in opposite order to its twin, so that InnoDB ends one of them. */
  async function crossing(first: string, second: string, meet: () => Promise<void>, tries: { count: number }) {
    await inTransaction(pool, async (connection) => {
      tries.count += 1;
      await connection.query('UPDATE users SET name = CONCAT(name, ?) WHERE id = ?', [first, first]);
      await meet();
      await connection.query('UPDATE users SET name = CONCAT(name, ?) WHERE id = ?', [first, second]);
    });
  }

  it('is done again, whole', async () => {
    let arrived = 0;
    const both = Promise.withResolvers<void>();
    const meet = async () => {
      if (++arrived === 2) both.resolve();
      await both.promise;
    };
    const tries = { count: 0 };
    await Promise.all([crossing('1', '2', meet, tries), crossing('2', '1', meet, tries)]);
    expect(tries.count).toBeGreaterThan(2);
    const names = await rows('SELECT name FROM users WHERE id IN (1, 2)');
    for (const { name } of names) expect([...name].sort().join('')).toBe('12');
  });

  it.each([1213, 1205])('is given up after so many attempts (error %i), and its error thrown', async (errno) => {
    let tries = 0;
    const losing = inTransaction(
      pool,
      async () => {
        tries += 1;
        throw Object.assign(new Error('lost'), { errno });
      },
      { attempts: 4, random: () => 0 },
    );
    await expect(losing).rejects.toMatchObject({ errno });
    expect(tries).toBe(4);
  });

  it('is not done again for any other error', async () => {
    let tries = 0;
    const failing = inTransaction(pool, async (connection) => {
      tries += 1;
      await connection.query("UPDATE users SET name = 'half' WHERE id = 1");
      throw new Error('something else');
    });
    await expect(failing).rejects.toThrow('something else');
    expect(tries).toBe(1);
    expect(await rows("SELECT id FROM users WHERE name = 'half'")).toEqual([]);
  });
});
