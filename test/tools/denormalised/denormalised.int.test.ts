import { fc, test } from '@fast-check/vitest';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { planWork } from '../../../src/consumers/work-plan.ts';
import { CONTACTS } from '../../../src/contracts/kind.ts';
import type { DeliveredTask } from '../../../src/contracts/task.ts';
import { readPlain } from '../../../src/mysql/statements/plain-contacts.ts';
import { outgoingTask } from '../../../src/relay/outgoing-task.ts';
import { type FanOutOptions, fanOut } from '../../../src/tools/denormalised/fan-out.ts';
import { refreshPairs } from '../../../src/tools/denormalised/pairs.ts';
import { openDenormalisedPool } from '../../../src/tools/denormalised/pool.ts';
import { readDenormalised } from '../../../src/tools/denormalised/recent.ts';
import { createDenormalised } from '../../../src/tools/denormalised/table.ts';
import { DenormalisedUpdater } from '../../../src/tools/denormalised/updater.ts';
import type { Audience } from '../../../src/tools/reference-site/checks.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../../src/tools/reference-site/photos.ts';
import { addContact, changeRelationship, removeContact } from '../../../src/tools/reference-site/relationships.ts';
import { createUsers, deleteUser } from '../../../src/tools/reference-site/users.ts';
import { cases } from '../../support/cases.ts';
import { ContactsDatabase } from '../../support/contacts-database.ts';
import { freshReferenceSite } from '../../support/reference-site.ts';
import { closeAtEnd } from '../../support/servers.ts';
import { IDS, site as smallSite, time } from '../../support/site-arbitrary.ts';
import { writeSite } from '../../support/small-site.ts';

const { url, pool, rows, empty } = await freshReferenceSite({ connections: 8 });
const own = openDenormalisedPool(url, 8);
closeAtEnd(() => own.end());
const database = new ContactsDatabase(url, { connections: 4, queue: 1_000, deadlineMs: 60_000 });
closeAtEnd(() => database.close());

/** Owners with more than two followers take several statements. */
const SMALL_BATCHES: FanOutOptions = { followers: 2, atOnce: 2 };

const updater = new DenormalisedUpdater(own, SMALL_BATCHES);

beforeEach(emptySite);

async function emptySite(): Promise<void> {
  await empty();
  await pool.query('DROP TABLE IF EXISTS denormalised_contacts');
}

/** Every page of every user, whatever its size, is what plain SQL says. */
async function expectExact(): Promise<void> {
  for (const user of IDS) {
    for (const limit of [1, 2, 3, 10]) {
      const { contacts: plain } = await readPlain(database, {
        user,
        relation: 'any',
        limit: limit + 1,
        below: undefined,
      });
      const { contacts, more } = await readDenormalised(database, user, limit);
      const shown = plain.slice(0, limit).map(({ sees, ...contact }) => ({ ...contact, sees: '0' }));
      expect({ contacts, more }, `user ${user}, ${limit}`).toEqual({ contacts: shown, more: plain.length > limit });
    }
  }
}

const tasksAfter = async (id: string): Promise<{ last: string; tasks: DeliveredTask[] }> => {
  const found = await rows('SELECT id, type, user_id, other_id FROM recency_outbox WHERE id > ? ORDER BY id', [id]);
  const tasks = found.map(({ id, type, user_id, other_id }) => {
    const row = {
      id: `${id}`,
      type: `${type}`,
      userId: `${user_id}`,
      otherId: other_id === null ? null : `${other_id}`,
    };
    return outgoingTask({ ...row, at: null, version: null, createdAt: 0, attempt: 0 }).task;
  });
  return { last: String(found.at(-1)?.id ?? id), tasks };
};

const deliver = (tasks: readonly DeliveredTask[]) =>
  updater.work(
    planWork(
      tasks.map((task, i) => ({ task, position: String(i) })),
      CONTACTS,
    ),
  );

test.prop([smallSite], { numRuns: cases(12) })(
  'a table that is filled from a site answers as plain SQL',
  async (site) => {
    await emptySite();
    await writeSite(pool, site);
    await createDenormalised(pool);
    await expectExact();
  },
);

describe('what the site does', () => {
  const user = fc.constantFrom(...IDS.slice(0, 5));
  const pair = fc.uniqueArray(user, { minLength: 2, maxLength: 2 }) as fc.Arbitrary<[string, string]>;
  const grant = fc.record({ friend: fc.boolean(), family: fc.boolean() });
  const audience = fc.constantFrom<Audience>(0, 1, 2, 3, 4);
  const action = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('add' as const), pair, grant }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('change' as const), pair, grant }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), pair }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('upload' as const), owner: user, audience, at: time }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), photo: fc.nat({ max: 4 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('show' as const), photo: fc.nat({ max: 4 }), audience }) },
  );
  type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

  async function perform(step: Action, photos: string[]): Promise<void> {
    if (step.do === 'add') await addContact(pool, ...step.pair, step.grant);
    else if (step.do === 'change') await changeRelationship(pool, ...step.pair, step.grant);
    else if (step.do === 'remove') await removeContact(pool, ...step.pair);
    else if (step.do === 'upload') photos.push(await uploadPhoto(pool, step.owner, step.audience, step.at));
    else if (step.do === 'delete') await deletePhoto(pool, photos[step.photo] ?? '999');
    else await changeVisibility(pool, photos[step.photo] ?? '999', step.audience);
  }

  test.prop(
    [fc.array(fc.tuple(action, fc.integer({ min: 1, max: 3 })), { minLength: 10, maxLength: 40 }), fc.boolean()],
    { numRuns: cases(40) },
  )('ends as in plain SQL, with tasks doubled, in no order and several at once', async (steps, userGoes) => {
    await emptySite();
    await createUsers(pool, IDS);
    await createDenormalised(pool);
    const photos: string[] = [];
    const working: Promise<unknown>[] = [];
    const held: DeliveredTask[] = [];
    let last = '0';
    for (const [step, times] of steps) {
      await perform(step, photos);
      const found = await tasksAfter(last);
      last = found.last;
      // Three times: twice at once, and late. Else at once, or late.
      if (times !== 2) working.push(deliver(found.tasks));
      if (times === 3) working.push(deliver(found.tasks));
      if (times !== 1) held.unshift(...found.tasks);
    }
    if (userGoes) await deleteUser(pool, IDS[0]);
    working.push(deliver([...(await tasksAfter(last)).tasks, ...held]));
    await Promise.all(working);
    await expectExact();
  });
});

const OWNER = '20';

/** Others wait for the row of this user and the owner until what is returned is called. */
async function lockRowOf(user: string): Promise<() => Promise<void>> {
  const holder = await pool.getConnection();
  onTestFinished(() => holder.destroy());
  await holder.query('START TRANSACTION');
  await holder.query('SELECT * FROM denormalised_contacts WHERE contact_id = ? AND user_id = ? FOR UPDATE', [
    OWNER,
    user,
  ]);
  return async () => void (await holder.query('ROLLBACK'));
}

/** Resolves when a statement waits that writes the table of this database: other files have one, too. */
async function untilOneWaits(): Promise<void> {
  const waits = async () => {
    const running = await rows('SELECT info AS statement FROM information_schema.processlist WHERE db = DATABASE()');
    return running.some(({ statement }) => /(UPDATE|INSERT INTO) .*denormalised_contacts/s.test(`${statement}`));
  };
  await expect.poll(waits, { timeout: 30_000 }).toBe(true);
}

it('what a row must hold is read only once the row is locked', async () => {
  await createUsers(pool, IDS);
  await addContact(pool, '9', OWNER);
  await uploadPhoto(pool, OWNER, 1, 5);
  await createDenormalised(pool);
  const release = await lockRowOf('9');
  const running = refreshPairs(own, [{ user: '9', contact: OWNER }]);
  await untilOneWaits();
  await addContact(pool, OWNER, '9', { friend: true, family: false });
  await release();
  await running;
  await expectExact();
});

describe('a fan-out', () => {
  const FOLLOWERS = ['2', '9', '10', '100'];

  beforeEach(async () => {
    await createUsers(pool, IDS);
    for (const follower of FOLLOWERS) await addContact(pool, follower, OWNER);
    await createDenormalised(pool);
  });

  it.each([
    ['of a group', 10],
    ['of a range', 3],
  ])('%s keeps the owner from changing photos until it is committed', async (_name, followers) => {
    await uploadPhoto(pool, OWNER, 0, 5);
    const release = await lockRowOf('9');
    const running = fanOut(own, [OWNER], { followers });
    await untilOneWaits();
    const locking = rows('SELECT id FROM users WHERE id = ? FOR UPDATE NOWAIT', [OWNER]);
    await expect(locking).rejects.toThrow(/lock/i);
    await release();
    await running;
    await expectExact();
  });

  it('changes only rows that differ', async () => {
    await uploadPhoto(pool, OWNER, 0, 5);
    await fanOut(own, [OWNER]);
    await uploadPhoto(pool, OWNER, 0, 4);
    await pool.query(
      `CREATE TRIGGER no_change BEFORE UPDATE ON denormalised_contacts FOR EACH ROW SIGNAL SQLSTATE '45000'`,
    );
    for (const followers of [10, 3]) await fanOut(own, [OWNER], { followers });
    await expectExact();
  });
});
