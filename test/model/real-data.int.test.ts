/**
 * Real people's real order of events, replayed whole: transactions of the site with the tasks in the outbox; deliveries
 * shuffled within windows of 1,000 and a tenth of them twice; two consumers. After every window some users, and at the
 * end all of them, are compared with plain SQL. `npm run test:long` replays all of it, `npm test` the beginning. test/model/replay/college-file.ts says what the data are and where they
 * are expected; without them this test is skipped.
 */
import type { Pool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { type Random, seededRandom, shuffled } from '../../src/tools/demo/random.ts';
import { type Edge, readEdges } from '../../src/tools/reference-site/edge-list.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { createUsers } from '../../src/tools/reference-site/users.ts';
import { shortOrLong } from '../support/length.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { expectIndexesExact } from './at-rest.ts';
import { queriesOn } from './client.ts';
import { collegeFile } from './replay/college-file.ts';
import { readPlainTruth } from './replay/plain-truth.ts';
import { Replay } from './replay/replay.ts';

const LIMITS = { max: 24, min: 12 };
const EDGES_A_WINDOW = 1_000;
const EDGES = shortOrLong(3_000, Number.POSITIVE_INFINITY);
const SAMPLE = 30;
const USERS_A_REBUILD = 500;
const USERS_AT_ONCE = 100;

const file = collegeFile();
if (file === undefined) console.log('CollegeMsg.txt.gz is not here, nor named by COLLEGE_MSG: its replay is left out.');

let stores: Stores;
let pool: Pool;

beforeAll(async () => {
  if (file === undefined) return;
  stores = await freshStores(LIMITS);
  pool = openSitePool(stores.url, 2);
});
afterAll(() => pool?.end());

async function edgesOf(path: string): Promise<Edge[]> {
  const edges: Edge[] = [];
  for await (const edge of readEdges(path)) edges.push(edge);
  return edges;
}

const usersOf = (edges: readonly Edge[]): Id[] => [...new Set(edges.flatMap(({ source, target }) => [source, target]))];

/** Everybody's contact from the start, who never uploads: a user without any contact gets no index. */
const SILENT = '1000000000';

/** Creates everybody, with an index, before anything happens. */
async function begin(edges: readonly Edge[]): Promise<Id[]> {
  const users = usersOf(edges);
  await createUsers(pool, [...users, SILENT]);
  await pool.query('INSERT INTO contacts (user_id, contact_id) SELECT id, ? FROM users WHERE id <> ?', [
    SILENT,
    SILENT,
  ]);
  for (let from = 0; from < users.length; from += USERS_A_REBUILD) {
    await run(rebuild(users.slice(from, from + USERS_A_REBUILD)), stores.steps);
  }
  return users;
}

/** Checks indexes (I1 to I4, I9) and answers (I8) of these users. */
async function expectTruth(users: readonly Id[], limits: readonly number[]): Promise<void> {
  const truth = await readPlainTruth(pool, users);
  const { primary, index, redis, prefix } = stores;
  const warm = await expectIndexesExact({ index, primary, redis, prefix, limits: LIMITS }, users, truth);
  expect(warm, 'every index is in use').toBe(users.length);
  const { contacts } = queriesOn({ index, database: primary, limits: LIMITS, onCold: fail, onLow: () => undefined });
  const ask = async (user: Id, limit: number) => {
    const answer = await contacts.find({ user, relation: 'any', limit, below: undefined });
    const expected = (truth.get(user) ?? []).slice(0, limit);
    expect(
      answer.contacts.map(({ id, at }) => ({ id, at })),
      `user ${user}, limit ${limit}`,
    ).toEqual(expected);
  };
  for (const limit of limits) {
    for (let from = 0; from < users.length; from += USERS_AT_ONCE) {
      await Promise.all(users.slice(from, from + USERS_AT_ONCE).map((user) => ask(user, limit)));
    }
  }
}

function fail(user: Id): never {
  throw new Error(`user ${user} is cold`);
}

const sampleOf = (random: Random, users: readonly Id[]): Id[] => shuffled(random, users).slice(0, SAMPLE);

describe.runIf(file !== undefined)('real people’s order of events', () => {
  it('ends equal to plain SQL for everybody', { timeout: 600_000 }, async () => {
    const random = seededRandom(2004);
    const all = await edgesOf(file ?? '');
    expect({ edges: all.length, users: usersOf(all).length }).toEqual({ edges: 59_835, users: 1_899 });
    const edges = all.slice(0, EDGES);
    const users = await begin(edges);
    const replay = new Replay({ ...stores, pool }, random);
    for (let from = 0; from < edges.length; from += EDGES_A_WINDOW) {
      await replay.play(edges.slice(from, from + EDGES_A_WINDOW));
      await expectTruth(sampleOf(random, users), [10]);
    }
    await expectTruth(users, [1, 10, 100]);
    const { counts, duplicates } = replay;
    expect(counts.deliveries).toBeGreaterThan(1.08 * counts.tasks);
    console.log(`${file}: replayed`, { ...counts, duplicates });
  });
});
