import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BulkTask } from '../../../src/contracts/bulk-task.ts';
import type { Id } from '../../../src/contracts/id.ts';
import type { DeliveredTask, Task } from '../../../src/contracts/task.ts';
import { inSequence, run } from '../../../src/index/protocol.ts';
import { rebuild } from '../../../src/index/rebuild.ts';
import { outgoingTask } from '../../../src/relay/outgoing-task.ts';
import { workBothLanes } from '../../../src/tools/harness/both-lanes.ts';
import { queriesOn } from '../../model/client.ts';
import { expectExact } from '../../support/exact.ts';
import { freshStores, type Stores } from '../../support/stores.ts';

/**
 * A site with tables and rules of its own, whose view says what a suspension, a setting of the viewer's or a deleted row
 * makes of a pair. Each change leaves the tasks that docs/adopting.md names for it, and nothing else.
 */

const SIZE = { max: 4, min: 2 };
const FOLLOWERS = 40;
const PAGE = 15;
const STAR = '1000';
/** More contacts of every follower: their indexes have a floor. */
const OTHERS = ['1001', '1002', '1003', '1004', '1005'];
const EVERYBODY = Array.from({ length: FOLLOWERS }, (_, i) => String(i + 1));

const TABLES = [
  `CREATE TABLE members (
     id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
     suspended BOOLEAN NOT NULL DEFAULT FALSE,
     wants_sensitive BOOLEAN NOT NULL DEFAULT FALSE,
     last_at BIGINT NOT NULL DEFAULT 0,
     last_sensitive_at BIGINT NOT NULL DEFAULT 0)`,
  `CREATE TABLE follows (
     follower BIGINT UNSIGNED NOT NULL,
     followee BIGINT UNSIGNED NOT NULL,
     muted BOOLEAN NOT NULL DEFAULT FALSE,
     PRIMARY KEY (follower, followee), KEY (followee, follower))`,
  `CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_contacts AS
   SELECT f.follower AS user_id, f.followee AS contact_id,
          (NOT f.muted AND NOT m.suspended) <> 0 AS related,
          GREATEST(m.last_at, IF(viewer.wants_sensitive, m.last_sensitive_at, 0)) AS last_upload_at,
          IF(viewer.wants_sensitive, 3, 1) AS sees, 0 AS is_friend, 0 AS is_family, 1 AS version
   FROM follows AS f
   STRAIGHT_JOIN members AS m ON m.id = f.followee
   STRAIGHT_JOIN members AS viewer ON viewer.id = f.follower`,
];

let stores: Stores;
/** What a killed consumer leaves there is done by the next. */
const bulk: BulkTask[] = [];

beforeAll(async () => {
  stores = await freshStores(SIZE);
  for (const statement of TABLES) await sql(statement);
});

/** Everybody follows the star, who is the most recent, and the others; nobody is suspended. */
beforeEach(async () => {
  for (const table of ['members', 'follows', 'recency_outbox']) await sql(`DELETE FROM ${table}`);
  const each = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS it";
  await sql(`INSERT INTO members (id, last_at) SELECT id, id FROM ${each}`, [...EVERYBODY, ...OTHERS]);
  await sql(`INSERT INTO members (id, last_at) VALUES (${STAR}, 9000)`);
  await sql(`UPDATE members SET last_sensitive_at = 8000 WHERE id = ${OTHERS[0]}`);
  for (const followee of [STAR, ...OTHERS]) {
    await sql(`INSERT INTO follows (follower, followee) SELECT id, ${followee} FROM ${each}`, EVERYBODY);
  }
  await run(rebuild(EVERYBODY), stores.steps);
});

async function sql(statement: string, ids?: readonly Id[]): Promise<void> {
  await stores.primary.write(statement, ids === undefined ? [] : [JSON.stringify(ids)]);
}

class Killed extends Error {}

/** As a consumer does these tasks; it is killed before its step number `killedAt`. Was it? */
async function deliver(tasks: readonly DeliveredTask[], killedAt = Number.POSITIVE_INFINITY) {
  let steps = 0;
  const renew = async () => {
    if (steps++ >= killedAt) throw new Killed();
  };
  return await workBothLanes(tasks, stores.steps, { pageSize: PAGE, segmentSize: PAGE, bulk, lease: { renew } }).then(
    () => false,
    (error: unknown) => {
      if (error instanceof Killed) return true;
      throw error;
    },
  );
}

async function deliverOutbox(): Promise<void> {
  const rows = await stores.primary.rows('SELECT id, type, user_id, other_id FROM recency_outbox ORDER BY id', []);
  const tasks = rows.map(([id, type, userId, otherId]) => {
    const row = { id: `${id}`, type: `${type}`, userId: `${userId}`, otherId: otherId === null ? null : `${otherId}` };
    return outgoingTask({ ...row, at: null, version: null, createdAt: 0, attempt: 0 }).task;
  });
  await deliver(tasks);
}

const changed = (user: Id): Task => ({ type: 'recency.user.changed', user });

async function everybodyIsExact(what: string): Promise<void> {
  await Promise.all(EVERYBODY.map((user) => expectExact(stores, SIZE, user, `${what}: follower ${user}`)));
}

const membersOf = async (user: Id) => {
  const reading = await stores.index.read(user, 0, false);
  return reading.state === 'warm' ? reading.head.map(({ id }) => id) : reading.state;
};

describe('a suspension', () => {
  const suspend = (is: boolean) => sql(`UPDATE members SET suspended = ${is} WHERE id = ${STAR}`);

  const announcements: Task[] = [
    { type: 'recency.photo.visibility_changed', owner: STAR },
    changed(STAR),
    { type: 'recency.user.deleted', user: STAR },
  ];
  it.each(announcements)('leaves no follower with a ghost: $type', async (task) => {
    await suspend(true);
    await deliver([task]);
    await everybodyIsExact('suspended');
    expect(await membersOf('7')).not.toContain(STAR);
    await suspend(false);
    await deliver([task]);
    await everybodyIsExact('back');
    expect(await membersOf('7')).toContain(STAR);
  });

  it('is done to the end after a kill at any step', async () => {
    let suspended = false;
    for (let step = 0; ; step++) {
      suspended = !suspended;
      await suspend(suspended);
      const killed = await deliver([changed(STAR)], step);
      await deliver([changed(STAR)]);
      await everybodyIsExact(`killed at ${step}`);
      if (!killed) break;
    }
  });

  it('reaches those who have muted the owner, and later no longer do', async () => {
    await sql(`UPDATE follows SET muted = TRUE WHERE followee = ${STAR} AND follower % 2 = 0`);
    await deliver([changed(STAR)]);
    await everybodyIsExact('muted by half');
    await sql(`UPDATE follows SET muted = FALSE WHERE followee = ${STAR}`);
    await deliver([changed(STAR)]);
    await everybodyIsExact('muted by nobody');
  });
});

describe("a viewer's own setting", () => {
  const wants = (user: Id, is: boolean) => sql(`UPDATE members SET wants_sensitive = ${is} WHERE id = ${user}`);

  it('drops the index of the viewer, who is right when it is built again', async () => {
    await wants('7', true);
    await deliver([changed('7')]);
    expect(await membersOf('7')).toBe('cold');
    await run(rebuild(['7']), stores.steps);
    expect(await membersOf('7')).toContain(OTHERS[0]);
    await everybodyIsExact('the setting of one');
  });

  it('drops nobody else', async () => {
    await wants('7', true);
    await deliver([changed('7')]);
    for (const user of EVERYBODY.filter((id) => id !== '7')) expect(await membersOf(user)).not.toBe('cold');
  });

  it('is not overwritten by a rebuild that read MySQL before its commit', async () => {
    const building = inSequence(rebuild(['7']));
    let isCommitted = false;
    let next = building.next();
    while (!next.done) {
      const { name, args } = next.value;
      const reply = await (stores.steps[name] as (...args: unknown[]) => Promise<unknown>)(...args);
      if (name === 'topContacts' && !isCommitted) {
        isCommitted = true;
        await wants('7', true);
        await deliver([changed('7')]);
      }
      next = building.next(reply);
    }
    await expectExact(stores, SIZE, '7', 'a rebuild from before');
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ])('goes together with the contact task of the viewer that comes %s it', async (_when, place) => {
    await wants('7', true);
    await sql(`UPDATE follows SET muted = TRUE WHERE follower = 7 AND followee = ${STAR}`);
    const tasks: Task[] = [changed('7')];
    tasks.splice(place, 0, { type: 'recency.contact.changed', user: '7', contact: STAR });
    await deliver(tasks);
    await run(rebuild(['7']), stores.steps);
    await everybodyIsExact('both');
  });
});

describe('deleted rows', () => {
  it('are told of pair by pair, in the transaction that deletes them', async () => {
    await stores.primary.transaction(async (connection) => {
      await connection.query(
        `INSERT INTO recency_outbox (type, user_id, other_id)
         SELECT 'recency.contact.removed', follower, followee FROM follows WHERE followee = ${STAR}`,
      );
      await connection.query(`DELETE FROM follows WHERE ${STAR} IN (follower, followee)`);
      await connection.query(`DELETE FROM members WHERE id = ${STAR}`);
      await connection.query(`INSERT INTO recency_outbox (type, user_id) VALUES ('recency.user.deleted', ${STAR})`);
    });
    await deliverOutbox();
    await everybodyIsExact('deleted');
    expect(await membersOf(STAR)).toBe('cold');
  });

  it('stay in indexes, and in no answer, where nobody tells of them', async () => {
    await sql(`DELETE FROM follows WHERE followee = ${STAR}`);
    await deliver([{ type: 'recency.user.deleted', user: STAR }]);
    expect(await membersOf('7')).toContain(STAR);
    const nobody = () => undefined;
    const parts = { index: stores.index, database: stores.primary, limits: SIZE, onCold: nobody, onLow: nobody };
    const answer = await queriesOn(parts).contacts.find({ user: '7', limit: 3, relation: 'any', below: undefined });
    expect(answer.contacts.map(({ id }) => id)).toEqual(['1005', '1004', '1003']);
  });

  it('may be deleted later without a word, once the pairs were not related and that is done', async () => {
    await sql(`UPDATE members SET suspended = TRUE WHERE id = ${STAR}`);
    await deliver([changed(STAR)]);
    await sql(`DELETE FROM follows WHERE followee = ${STAR}`);
    await sql(`DELETE FROM members WHERE id = ${STAR}`);
    await everybodyIsExact('deleted later');
  });
});
