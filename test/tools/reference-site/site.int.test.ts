import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { taskSchema } from '../../../src/contracts/task.ts';
import type { Audience } from '../../../src/tools/reference-site/checks.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../../src/tools/reference-site/photos.ts';
import { addContact, changeRelationship, removeContact } from '../../../src/tools/reference-site/relationships.ts';
import { openSitePool } from '../../../src/tools/reference-site/transaction.ts';
import { createUsers, deleteUser } from '../../../src/tools/reference-site/users.ts';
import { cases } from '../../support/cases.ts';
import { freshReferenceSite } from '../../support/reference-site.ts';
import { SiteModel } from '../../support/site-model.ts';

const USERS = ['7', '42', '9007199254740993', '18446744073709551614'];

const { url, pool, rows, empty } = await freshReferenceSite({ connections: 4 });

async function emptySite(): Promise<void> {
  await empty();
  await createUsers(pool, USERS);
}

const [FIRST, SECOND] = USERS as [string, string];

// Mostly the same two, so that much happens to one pair and to its reverse.
const anyTwo = fc.uniqueArray(fc.constantFrom(...USERS), { minLength: 2, maxLength: 2 });
const pair: fc.Arbitrary<[user: string, contact: string]> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<[string, string]>([FIRST, SECOND], [SECOND, FIRST]) },
  { weight: 1, arbitrary: anyTwo.map(([user = '', contact = '']): [string, string] => [user, contact]) },
);
const grant = fc.record({ friend: fc.boolean(), family: fc.boolean() });
const audience = fc.constantFrom<Audience>(0, 1, 2, 3, 4);
const action = fc.oneof(
  fc.record({ do: fc.constant('add' as const), pair, grant, now: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ do: fc.constant('remove' as const), pair }),
  fc.record({ do: fc.constant('change' as const), pair, grant }),
  fc.record({
    do: fc.constant('upload' as const),
    owner: fc.constantFrom(...USERS),
    audience,
    at: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ do: fc.constant('delete' as const), photo: fc.nat({ max: 4 }) }),
  fc.record({ do: fc.constant('show' as const), photo: fc.nat({ max: 4 }), audience }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

async function perform(step: Action, model: SiteModel): Promise<void> {
  if (step.do === 'upload') {
    const id = await uploadPhoto(pool, step.owner, step.audience, step.at, 'a title');
    model.upload(id, step.owner, step.audience, step.at);
  } else if (step.do === 'delete') {
    const id = model.photoAt(step.photo);
    expect(await deletePhoto(pool, id)).toBe(model.delete(id));
  } else if (step.do === 'show') {
    const id = model.photoAt(step.photo);
    expect(await changeVisibility(pool, id, step.audience)).toBe(model.show(id, step.audience));
  } else await performOnPair(step, model);
}

async function performOnPair(step: Extract<Action, { pair: unknown }>, model: SiteModel): Promise<void> {
  const [user, contact] = step.pair;
  if (step.do === 'add') {
    const version = await addContact(pool, user, contact, step.grant, step.now);
    expect(version).toBe(model.add(user, contact, step.grant, step.now));
  } else if (step.do === 'remove') {
    expect(await removeContact(pool, user, contact)).toBe(model.remove(user, contact));
  } else {
    expect(await changeRelationship(pool, user, contact, step.grant)).toBe(model.change(user, contact, step.grant));
  }
}

describe('what the site does', () => {
  test.prop([fc.array(action, { minLength: 5, maxLength: 25 })], { numRuns: cases(40) })(
    'shows in the views as the rules say, and leaves one task for each change',
    async (actions) => {
      await emptySite();
      const model = new SiteModel();
      for (const step of actions) await perform(step, model);
      const seen = await rows(
        'SELECT * FROM recency_contacts ORDER BY CAST(user_id AS CHAR), CAST(contact_id AS CHAR)',
      );
      expect(seen).toEqual(model.contactsView());
      expect(await rows('SELECT id, owner_id, audience, uploaded_at FROM recency_photos ORDER BY id')).toEqual(
        model.photosView(),
      );
      const tasks = await rows('SELECT type, user_id, other_id, at, version FROM recency_outbox ORDER BY id');
      expect(tasks).toEqual(model.tasks);
    },
  );
});

it('what the owner grants counts, while they call the viewer a contact', async () => {
  await emptySite();
  const seen = async () =>
    (await rows('SELECT last_upload_at, sees FROM recency_contacts WHERE user_id = ?', [FIRST]))[0];
  await addContact(pool, FIRST, SECOND, { friend: true, family: true });
  for (const [at, audience] of [0, 1, 2, 3, 4].entries()) {
    await uploadPhoto(pool, SECOND, audience as Audience, 10 * at + 10);
  }
  expect(await seen()).toEqual({ last_upload_at: '10', sees: '1' });
  await addContact(pool, SECOND, FIRST, { friend: true, family: false });
  expect(await seen()).toEqual({ last_upload_at: '40', sees: '11' });
  await changeRelationship(pool, SECOND, FIRST, { friend: false, family: true });
  expect(await seen()).toEqual({ last_upload_at: '40', sees: '13' });
  await removeContact(pool, SECOND, FIRST);
  expect(await seen()).toEqual({ last_upload_at: '10', sees: '1' });
});

describe('a user who is deleted', () => {
  it('goes with their photos; followers are told, former ones too, and relationships stay, inactive', async () => {
    await emptySite();
    const [gone, follower, contact, former] = USERS as [string, string, string, string];
    await addContact(pool, follower, gone);
    await addContact(pool, former, gone);
    await removeContact(pool, former, gone);
    await addContact(pool, gone, contact);
    await addContact(pool, follower, contact);
    await uploadPhoto(pool, gone, 0, 5);
    await pool.query('DELETE FROM recency_outbox');

    expect(await deleteUser(pool, gone)).toBe(true);
    expect(await rows('SELECT type, user_id, other_id, version FROM recency_outbox ORDER BY id')).toEqual([
      { type: 'recency.contact.removed', user_id: follower, other_id: gone, version: null },
      { type: 'recency.contact.removed', user_id: former, other_id: gone, version: null },
      { type: 'recency.user.deleted', user_id: gone, other_id: null, version: null },
    ]);
    expect(await rows('SELECT user_id, contact_id, active, version FROM contacts ORDER BY active, user_id')).toEqual([
      { user_id: gone, contact_id: contact, active: 0, version: '2' },
      { user_id: follower, contact_id: gone, active: 0, version: '2' },
      { user_id: former, contact_id: gone, active: 0, version: '2' },
      { user_id: follower, contact_id: contact, active: 1, version: '1' },
    ]);
    expect(await rows('SELECT * FROM recency_photos')).toEqual([]);
    expect(await rows('SELECT contact_id FROM recency_contacts WHERE related')).toEqual([{ contact_id: contact }]);
    expect(await deleteUser(pool, gone)).toBe(false);
    expect(await rows('SELECT id FROM recency_outbox')).toHaveLength(3);
  });
});

describe('what the site refuses', () => {
  const [user, other] = [FIRST, SECOND];

  it.each([
    ['self_contact', () => addContact(pool, user, user)],
    ['bad_id', () => addContact(pool, user, '0')],
    ['bad_id', () => removeContact(pool, '01', user)],
    ['bad_id', () => changeRelationship(pool, user, '-1', { friend: true, family: true })],
    ['bad_id', () => createUsers(pool, ['1', '18446744073709551616'])],
    ['bad_id', () => deletePhoto(pool, 5 as unknown as string)],
    ['bad_id', () => deleteUser(pool, '')],
    ['unknown_user', () => addContact(pool, user, '5')],
    ['unknown_user', () => addContact(pool, '5', user)],
    ['unknown_user', () => uploadPhoto(pool, '5', 0, 1)],
    ['bad_audience', () => uploadPhoto(pool, user, 5 as Audience, 1)],
    ['bad_audience', () => changeVisibility(pool, '1', -1 as Audience)],
    ['bad_time', () => uploadPhoto(pool, user, 0, 0)],
    ['bad_time', () => uploadPhoto(pool, user, 0, 1.5)],
  ])('%s (%#)', async (code, call) => {
    await emptySite();
    await expect(call()).rejects.toMatchObject({ name: 'SiteError', code });
    expect(await rows('SELECT 1 FROM contacts UNION SELECT 1 FROM photos UNION SELECT 1 FROM recency_outbox')).toEqual(
      [],
    );
    expect(await rows('SELECT id FROM users')).toHaveLength(USERS.length);
  });

  it('nothing stays of an action whose task could not be left', async () => {
    await emptySite();
    await addContact(pool, user, other);
    const photo = await uploadPhoto(pool, user, 0, 100);
    const before = await Promise.all(['users', 'contacts', 'photos'].map((table) => rows(`SELECT * FROM ${table}`)));
    await pool.query('RENAME TABLE recency_outbox TO away');
    const calls = [
      () => addContact(pool, other, user),
      () => removeContact(pool, user, other),
      () => changeRelationship(pool, user, other, { friend: true, family: false }),
      () => uploadPhoto(pool, other, 0, 5),
      () => changeVisibility(pool, photo, 1),
      () => deletePhoto(pool, photo),
      () => deleteUser(pool, user),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'ER_NO_SUCH_TABLE' });
    await pool.query('RENAME TABLE away TO recency_outbox');
    const after = await Promise.all(['users', 'contacts', 'photos'].map((table) => rows(`SELECT * FROM ${table}`)));
    expect(after).toEqual(before);
  });
});

describe('users', () => {
  it('are made in bulk, with ids of the server or with given ones, all or none', async () => {
    await pool.query('DELETE FROM users');
    await pool.query('ALTER TABLE users AUTO_INCREMENT = 1');
    const made = await createUsers(pool, 6001);
    expect(new Set(made).size).toBe(6001);
    const present = await rows('SELECT id FROM users ORDER BY id');
    expect(present.map((row) => row.id)).toEqual(made);
    const [taken = ''] = made;
    await expect(createUsers(pool, ['9007199254740993', taken])).rejects.toMatchObject({ code: 'ER_DUP_ENTRY' });
    expect(await rows('SELECT id FROM users WHERE id = 9007199254740993')).toEqual([]);
    expect(await createUsers(pool, ['9007199254740993'])).toEqual(['9007199254740993']);
    expect(await createUsers(pool, 2)).toEqual(['9007199254740994', '9007199254740995']);
  });

  it('get ids a step apart from a server that is set so', async () => {
    const single = openSitePool(url, 1);
    await single.query('SET SESSION auto_increment_increment = 10');
    await pool.query('DELETE FROM users');
    const made = await createUsers(single, 3);
    await single.end();
    const present = await rows('SELECT id FROM users ORDER BY id');
    expect(present.map((row) => row.id)).toEqual(made);
    expect(BigInt(made[1] ?? 0) - BigInt(made[0] ?? 0)).toBe(10n);
  });
});

it('every row of the outbox is a task of the contract', async () => {
  await emptySite();
  const [user, other] = USERS as [string, string];
  await addContact(pool, user, other);
  await deletePhoto(pool, await uploadPhoto(pool, user, 0, 5));
  await deleteUser(pool, other);
  for (const row of await rows('SELECT * FROM recency_outbox')) {
    const task = String(row.type).startsWith('recency.photo')
      ? { type: row.type, owner: row.user_id, photo: row.other_id, at: Number(row.at) }
      : { type: row.type, user: row.user_id, ...(row.other_id && { contact: row.other_id }) };
    expect(taskSchema.safeParse(task).error).toBeUndefined();
  }
});
