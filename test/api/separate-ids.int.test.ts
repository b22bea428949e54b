/** Users and contacts with ids of their own: (7, 7) is a pair like any other, and a contact is no user. */
import type { Pool } from 'mysql2/promise';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { planWork, TaskWorker } from '../../src/consumers/work-plan.ts';
import { CONTACTS, KINDS } from '../../src/contracts/kind.ts';
import { type Task, taskSchemaOf } from '../../src/contracts/task.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { KindStatements } from '../../src/mysql/statements/kind-statements.ts';
import { readNeighbours, readPairs } from '../../src/mysql/statements/pairs.ts';
import { readPlain } from '../../src/mysql/statements/plain-contacts.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import { AnswerCheck } from '../../src/repair/answer-check.ts';
import { TruthCheck } from '../../src/repair/truth-check.ts';
import { siteOf, USUAL_SITE } from '../../src/site/site.ts';
import { recomputeLastUploads } from '../../src/tools/reference-site/last-uploads.ts';
import { inTransaction } from '../../src/tools/reference-site/transaction.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { contactsOf } from '../support/contacts-database.ts';
import { freshSitePool, type SmallSite, writeSite } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';

const LIMITS = { max: 6, min: 3 };
const USER = '7';
const OTHER = '8';
/** The newest first: the user's own number among them. */
const OWNERS = ['3', '7', '8', '5', '2', '4', '6', '9'];

const tie = (user: string, contact: string) => ({ user, contact, friend: false, family: false, active: true });

const SITE: SmallSite = {
  users: ['1', ...OWNERS],
  ties: [...OWNERS.map((contact) => tie(USER, contact)), tie(OTHER, '7'), tie('9', '7')],
  photos: OWNERS.map((owner, i) => ({ id: owner, owner, audience: 0, at: 1_000 - i })),
};

const APART = siteOf({ kinds: ['contacts'], separateIds: 'true' });
const KIND = contactsOf(APART);

let stores: Stores;
let pool: Pool;
let api: TestApi;

beforeAll(async () => {
  stores = await freshStores({ site: APART, ...LIMITS });
  pool = freshSitePool(stores.url);
  // `users` are the people whom one may have as contacts; nobody grants anything.
  await pool.query(`CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW recency_contacts AS
    SELECT user_id, contact_id, active AS related, last_public_at AS last_upload_at, 1 AS sees, is_friend, is_family, version, since
    FROM contacts STRAIGHT_JOIN users ON users.id = contacts.contact_id`);
  api = await startTestApi(stores, LIMITS);
});

beforeEach(async () => {
  await writeSite(pool, SITE);
  await stores.index.drop([USER, OTHER, '9']);
  await run(rebuild([USER, OTHER, '9'], true), stores.steps);
});

async function upload(owner: string, at: number): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await connection.query('INSERT INTO photos (owner_id, audience, uploaded_at, title) VALUES (?, 0, ?, ?)', [
      owner,
      at,
      '',
    ]);
    await recomputeLastUploads(connection, [owner]);
  });
}

const user = (path: string, headers = {}) => ask(api, `/v1/users/${USER}/${path}`, { headers });
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const task = (fields: object) => ({ task: fields as Task, position: 'p:0' });
const inIndex = async (of: string) => {
  const reading = await stores.index.read(of, 0, false);
  return reading.state === 'warm' ? reading.head : reading.state;
};

describe('a pair of equal ids', () => {
  it('is read as any other, by pairs, by the followers of one, and among the top', async () => {
    const { rows } = await readPairs(stores.primary, [{ user: USER, contact: USER }]);
    expect(rows).toEqual([{ user: '7', contact: '7', related: true, lastUploadAt: 999, version: expect.any(String) }]);
    const near = await readNeighbours(stores.primary, [
      { user: '7', contact: '7' },
      { user: '9', contact: '7' },
    ]);
    expect(near.rows.map((row) => row.user)).toEqual(['7', '8', '9']);
    for (const users of [[USER], [USER, OTHER]]) {
      const { tops } = await readTopContacts(stores.primary, users, 2);
      expect(tops[0]?.map(({ id }) => id)).toEqual(['3', '7']);
    }
  });

  it('is in every answer', async () => {
    const paths = [
      'contacts/recent?limit=3',
      'contacts/recent?limit=3&consistency=strong',
      'contacts/recent/photos?contacts=3',
    ];
    for (const path of paths) expect(idsOf((await user(path)).body.contacts), path).toEqual(['3', '7', '8']);
    expect((await user('contacts/recent?limit=1')).body.answer.source).toBe('index');
    await stores.index.drop([USER]);
    expect(idsOf((await user('contacts/recent?limit=3')).body.contacts)).toEqual(['3', '7', '8']);
    expect(idsOf((await user('contacts/7/photos')).body.photos)).toEqual(['7']);
    expect((await user('contacts/unseen')).body.count).toBe(OWNERS.length);
    const many = await post(api, '/v1/recent', JSON.stringify({ users: [USER, OTHER], limit: 2 }));
    expect(many.body.answers.map((answer: { contacts: { id: string }[] }) => idsOf(answer.contacts))).toEqual([
      ['3', '7'],
      ['7'],
    ]);
  });

  it('is explained and checked as any other', async () => {
    expect((await user('contacts/7/explain')).body.verdict).toMatchObject({ code: 'in_index' });
    const { index, primary } = stores;
    const asked = {
      index,
      primary,
      limits: LIMITS,
      now: () => performance.now(),
      clock: Date.now,
      random: Math.random,
    };
    const answers = new AnswerCheck({ ...asked, truth: new TruthCheck(asked) });
    const check = () => answers.check(USER, answers.everyQuestion());
    const right = await check();
    expect(right).toMatchObject({ wrong: [], oddRows: { self: 0 } });
    expect(right.truth).toMatchObject({ uploads: OWNERS.length, wrong: [] });
    await pool.query('UPDATE users SET last_public_at = 5 WHERE id = 7');
    expect((await check()).truth.wrong).toMatchObject([{ contact: '7' }]);
  });

  it('has tasks, which refresh it', async () => {
    const added = { type: 'recency.contact.added', user: USER, contact: USER };
    expect(taskSchemaOf([KIND]).safeParse(added).success).toBe(true);
    await pool.query('UPDATE contacts SET active = FALSE WHERE user_id = 7 AND contact_id = 7');
    expect(await post(api, '/v1/tasks?apply=now', JSON.stringify(added))).toMatchObject({
      status: 200,
      body: { applied: 1 },
    });
    expect(await inIndex(USER)).not.toContainEqual({ id: '7', at: 999 });
    await pool.query('UPDATE contacts SET active = TRUE WHERE user_id = 7 AND contact_id = 7');
    const { body } = await user('contacts/recent?limit=2', { 'Recency-Fresh': 'contact=7' });
    expect([body.answer.source, idsOf(body.contacts)]).toEqual(['index', ['3', '7']]);
  });

  it('is found by the fan-out of the contact', async () => {
    await upload('7', 2_000);
    const worker = new TaskWorker({ kind: KIND, steps: stores.steps, pageSize: 10 });
    await worker.work(planWork([task({ type: 'recency.photo.uploaded', owner: '7' })], KIND));
    for (const of of [USER, OTHER, '9']) expect((await inIndex(of))[0]).toEqual({ id: '7', at: 2_000 });
  });
});

describe('a task', () => {
  it('about a contact does not concern the user with the same number', () => {
    const { hints } = planWork([task({ type: 'recency.contact.changed', user: '1', contact: USER })], KIND);
    expect(hints).toEqual([{ user: '1', contact: USER }]);
  });

  it('about a user does not concern the contact with the same number', () => {
    for (const type of ['recency.user.changed', 'recency.user.deleted']) {
      const { owners, dropped, forgotten } = planWork([task({ type, user: USER })], KIND);
      expect({ owners, about: [...dropped, ...forgotten] }).toEqual({ owners: [], about: [USER] });
    }
  });
});

it('without separate ids none of this is so', async () => {
  const { contacts } = await readPlain(
    { server: stores.primary, statements: new KindStatements(USUAL_SITE, CONTACTS) },
    { user: USER, relation: 'any', limit: 3, below: undefined },
  );
  expect(idsOf(contacts)).toEqual(['3', '8', '5']);
  const added = { type: 'recency.contact.added', user: USER, contact: USER };
  expect(taskSchemaOf(KINDS).safeParse(added).success).toBe(false);
});
