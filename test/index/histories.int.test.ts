import { createPool, type Pool } from 'mysql2/promise';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planWork, type ReceivedTask, TaskWorker } from '../../src/consumers/work-plan.ts';
import type { Id } from '../../src/contracts/id.ts';
import { type Task, taskSchema } from '../../src/contracts/task.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addContact, changeRelationship, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { expectExact } from '../support/exact.ts';
import { shortOrLong } from '../support/length.ts';
import { freshStores, type Stores } from '../support/stores.ts';

/**
 * Every pair of the six actions on one user and two contacts, committed one after the other, their tasks then applied in
 * every order with one of them twice: the index ends equal to SQL. Generated, on real servers.
 */

const MAX = 2;
const MIN = 1;

/** One user with two contacts under test, the photo of each, and three more contacts so that there is a floor. */
interface Cast {
  readonly user: Id;
  readonly contacts: readonly [Id, Id];
  readonly photos: readonly [Id, Id];
}

type Action = (pool: Pool, user: Id, contact: Id, photo: Id) => Promise<unknown>;

const ACTIONS: Readonly<Record<string, Action>> = {
  'contact added': (pool, user, contact) => addContact(pool, user, contact),
  'contact removed': (pool, user, contact) => removeContact(pool, user, contact),
  'grant withdrawn': (pool, user, contact) => changeRelationship(pool, contact, user, { friend: false, family: false }),
  'photo uploaded': (pool, _user, contact) => uploadPhoto(pool, contact, 0, 5_000),
  'photo deleted': (pool, _user, _contact, photo) => deletePhoto(pool, photo),
  'photo made private': (pool, _user, _contact, photo) => changeVisibility(pool, photo, 4),
};

/** Both orders with one duplicate: the first task is 0, the second 1. */
const ORDERS = [
  [0, 0, 1],
  [0, 1, 0],
  [0, 1, 1],
  [1, 0, 0],
  [1, 0, 1],
  [1, 1, 0],
] as const;

interface History {
  readonly name: string;
  readonly actions: readonly [Action, Action];
  readonly contacts: readonly [0 | 1, 0 | 1];
  readonly order: readonly (0 | 1)[];
  /** Are the two already contacts at the start? */
  readonly related: boolean;
}

function* allHistories(): Iterable<History> {
  for (const related of [true, false])
    for (const [first, one] of Object.entries(ACTIONS))
      for (const [second, two] of Object.entries(ACTIONS))
        for (const contacts of [
          [0, 0],
          [0, 1],
        ] as const)
          for (const order of ORDERS) {
            const name = `${first} (${contacts[0]}), ${second} (${contacts[1]}), applied ${order.join(' ')}, related: ${related}`;
            yield { name, actions: [one, two], contacts, order, related };
          }
}

/** The short form takes each fifth: every pair of actions, in each of the orders over all. */
const histories = [...allHistories()].filter((_, place) => place % shortOrLong(5, 1) === 0);

interface Site {
  readonly stores: Stores;
  readonly pool: Pool;
}

/** Half of the histories are of a site with a column of the newest upload, half of one without. */
const sites: Site[] = [];

beforeAll(async () => {
  for (const uploads of ['column', 'photos'] as const) {
    const stores = await freshStores({ max: MAX, min: MIN, uploads });
    const pool = createPool({ uri: stores.url, connectionLimit: 8, supportBigNumbers: true, bigNumberStrings: true });
    // The cast's photos have explicit ids; those of later uploads must not collide with them.
    await pool.query('ALTER TABLE photos AUTO_INCREMENT = 100000000');
    sites.push({ stores, pool });
  }
});
afterAll(() => Promise.all(sites.map(({ pool }) => pool.end())));

const CAST_SIZE = 6;

/** Users base + 1 … base + 6: the user, two contacts whose newest photo is for friends, and three with public ones. */
async function prepare({ pool, stores }: Site, base: number, related: boolean): Promise<Cast> {
  const id = (i: number) => String(base + i);
  const sql = (text: string) => pool.query(text);
  const photo = (i: number) => 1_000_000 + base * 10 + i;
  await sql(`INSERT INTO users (id, last_public_at, last_friends_at) VALUES
    (${id(1)}, 0, 0), (${id(2)}, 0, 3000), (${id(3)}, 0, 4000),
    (${id(4)}, 1000, 0), (${id(5)}, 2000, 0), (${id(6)}, 3500, 0)`);
  await sql(`INSERT INTO photos (id, owner_id, audience, uploaded_at) VALUES
    (${photo(2)}, ${id(2)}, 1, 3000), (${photo(3)}, ${id(3)}, 1, 4000),
    (${photo(4)}, ${id(4)}, 0, 1000), (${photo(5)}, ${id(5)}, 0, 2000), (${photo(6)}, ${id(6)}, 0, 3500)`);
  await sql(`INSERT INTO contacts (user_id, contact_id, is_friend, active) VALUES
    (${id(1)}, ${id(2)}, 0, ${related}), (${id(1)}, ${id(3)}, 0, ${related}),
    (${id(1)}, ${id(4)}, 0, 1), (${id(1)}, ${id(5)}, 0, 1), (${id(1)}, ${id(6)}, 0, 1),
    (${id(2)}, ${id(1)}, 1, 1), (${id(3)}, ${id(1)}, 1, 1)`);
  await run(rebuild([id(1)]), stores.steps);
  return { user: id(1), contacts: [id(2), id(3)], photos: [String(photo(2)), String(photo(3))] };
}

/** The tasks that the two transactions left in the outbox, in the order of their commits. */
async function tasksOf({ pool }: Site, cast: Cast): Promise<Task[]> {
  const [rows] = await pool.query(
    'SELECT type, user_id, other_id, version FROM recency_outbox WHERE user_id IN (?) ORDER BY id',
    [[cast.user, ...cast.contacts]],
  );
  return (rows as Record<string, string | null>[]).map(({ type, user_id, other_id, version }) =>
    taskSchema.parse(
      String(type).startsWith('recency.photo')
        ? { type, owner: user_id, photo: other_id }
        : { type, user: user_id, contact: other_id, ...(version ? { version: String(version) } : {}) },
    ),
  );
}

async function play(site: Site, { name, actions, contacts, order, related }: History, base: number): Promise<void> {
  const { stores, pool } = site;
  const cast = await prepare(site, base, related);
  for (const i of [0, 1] as const) {
    const contact = contacts[i];
    await actions[i](pool, cast.user, cast.contacts[contact], cast.photos[contact]);
  }
  const tasks = await tasksOf(site, cast);
  const worker = new TaskWorker({ steps: stores.steps, pageSize: 500 });
  for (const [at, which] of order.entries()) {
    const task = tasks[which];
    if (task === undefined) continue; // the action changed nothing, and told nobody
    const received: ReceivedTask = { task, position: `${base}:${at}` };
    await worker.work(planWork([received]));
  }
  await expectExact(stores, { max: MAX, min: MIN }, cast.user, name);
}

/** By turns in each group of orders, so that every pair of actions is played on both. */
function siteOf(i: number): Site {
  const site = sites[(i + Math.floor(i / ORDERS.length)) % sites.length];
  if (site === undefined) throw new RangeError('no site');
  return site;
}

describe('two-event histories on real servers', () => {
  it('all end equal to SQL', async () => {
    const limit = pLimit(8);
    expect(histories).toHaveLength(shortOrLong(173, 2 * 6 * 6 * 2 * 6));
    const results = await Promise.allSettled(
      histories.map((history, i) => limit(() => play(siteOf(i), history, 1000 + i * CAST_SIZE))),
    );
    const wrong = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    expect(wrong).toEqual([]);
  });
});
