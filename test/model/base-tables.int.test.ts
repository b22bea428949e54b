/**
 * Random changes of a site's base tables, and every answer compared with SQL over those tables, which shares nothing with the
 * product. Ids to 2^64 − 1; times that tie, that are none (NULL, 0, negative), in the future and beyond 2^53; transactions that
 * are rolled back although their tasks are published; tasks shuffled, done twice, and done again long after.
 *
 * `npm test` makes about two hundred comparisons, `npm run test:long` ten thousand. MODEL_SEED=… plays a run again.
 */
import process from 'node:process';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import type { Key } from '../../src/contracts/key.ts';
import type { Relation } from '../../src/contracts/relation.ts';
import type { Task } from '../../src/contracts/task.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import type { RecentContacts } from '../../src/query/recent-contacts.ts';
import { between, pick, type Random, seededRandom, shuffled } from '../../src/tools/demo/random.ts';
import { workBothLanes } from '../../src/tools/harness/both-lanes.ts';
import { IS_LONG, shortOrLong } from '../support/length.ts';
import { settleLostRaces } from '../support/lost-races.ts';
import { closeAtEnd } from '../support/servers.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

const COMPARISONS = shortOrLong(200, 10_000);
const SEED = Number(process.env.MODEL_SEED ?? (IS_LONG ? Date.now() % 1_000_000 : 7_431));

const LIMITS = { max: 4, min: 2 };
/** Fewer than the followers of most, so that plans cut their audiences into segments. */
const PAGE = 3;

/** They sort differently as numbers, as text and by length. */
const IDS = ['1', '9', '10', '100', '9007199254740993', '9223372036854775808', '18446744073709551615'] as const;

const SOME_DAY = 1_083_412_800_000;
const TIMES = [null, '-5', '0', '1', `${SOME_DAY}`, `${SOME_DAY}`, `${SOME_DAY + 1}`, '4102444800000'];
const HUGE_TIMES = ['9007199254740991', '9007199254740993', '9223372036854775807'];

let stores: Stores;
let site: Connection;
let answers: RecentContacts;

beforeAll(async () => {
  stores = await freshStores({ ...LIMITS, uploads: 'photos' });
  site = await createConnection(stores.url);
  closeAtEnd(() => site.end());
  await site.query('ALTER TABLE photos MODIFY uploaded_at BIGINT NULL');
  await site.query('INSERT INTO users (id) VALUES ?', [IDS.map((id) => [id])]);
  await site.query('INSERT INTO contacts (user_id, contact_id) VALUES ?', [
    IDS.flatMap((user) => IDS.filter((other) => other !== user).map((contact) => [user, contact])),
  ]);
  answers = recentContactsOn(stores, LIMITS);
});

/** One statement of a transaction, and the task that tells of it. */
interface Change {
  readonly statement: string;
  readonly values: readonly (string | number | null)[];
  readonly task: Task;
}

function anyChange(random: Random): Change {
  const [owner, other] = shuffled(random, IDS) as [Id, Id];
  const at = pick(random, random() < 0.1 ? HUGE_TIMES : TIMES);
  const audience = between(random, 0, 4);
  const ofPhoto = { type: pick(random, PHOTO_TASKS), owner } as Task;
  const changes: readonly Change[] = [
    {
      statement:
        'UPDATE contacts SET active = ?, is_friend = ?, is_family = ?, version = version + 1 WHERE user_id = ? AND contact_id = ?',
      values: [...[0.7, 0.4, 0.3].map((share) => Number(random() < share)), owner, other],
      task: { type: 'recency.contact.changed', user: owner, contact: other },
    },
    {
      statement: "INSERT INTO photos (owner_id, audience, uploaded_at, title) VALUES (?, ?, ?, '')",
      values: [owner, audience, at],
      task: ofPhoto,
    },
    {
      statement: 'UPDATE photos SET audience = ? WHERE owner_id = ? LIMIT 1',
      values: [audience, owner],
      task: ofPhoto,
    },
    {
      statement: 'DELETE FROM photos WHERE owner_id = ? ORDER BY uploaded_at DESC LIMIT 1',
      values: [owner],
      task: ofPhoto,
    },
  ];
  return pick(random, changes);
}

const PHOTO_TASKS = ['recency.photo.uploaded', 'recency.photo.deleted', 'recency.photo.visibility_changed'] as const;

/** @returns its tasks, whether it was committed or rolled back */
async function transaction(random: Random): Promise<Task[]> {
  const changes = Array.from({ length: between(random, 1, 3) }, () => anyChange(random));
  await site.beginTransaction();
  for (const { statement, values } of changes) await site.query(statement, [...values]);
  await (random() < 0.2 ? site.rollback() : site.commit());
  return changes.map(({ task }) => task);
}

/** Each at least once, in any order, some of them twice, by two workers at once; then whatever lost its races. */
async function apply(random: Random, tasks: readonly Task[]): Promise<void> {
  const all = shuffled(random, [...tasks, ...tasks.filter(() => random() < 0.3)]);
  const half = Math.ceil(all.length / 2);
  const workers = [all.slice(0, half), all.slice(half)];
  await Promise.all(workers.map((some) => workBothLanes(some, stores.steps, { pageSize: PAGE })));
  await settleLostRaces(stores);
}

// Every condition of the reference schema, over its tables; the newest photo by a subquery of its own.
const TRUTH = `
  SELECT CAST(c.user_id AS CHAR), CAST(c.contact_id AS CHAR), c.is_friend, c.is_family,
         CAST(LEAST(MAX(p.uploaded_at), 9007199254740991) AS CHAR) AS newest
  FROM contacts AS c
  JOIN photos AS p ON p.owner_id = c.contact_id AND p.uploaded_at > 0
  LEFT JOIN contacts AS g ON g.user_id = c.contact_id AND g.contact_id = c.user_id AND g.active
  WHERE c.active AND (p.audience = 0 OR p.audience IN (1, 3) AND g.is_friend OR p.audience IN (2, 3) AND g.is_family)
  GROUP BY c.user_id, c.contact_id, c.is_friend, c.is_family
  ORDER BY LEAST(MAX(p.uploaded_at), 9007199254740991) DESC, CAST(c.contact_id AS BINARY) DESC`;

interface Line extends Key {
  readonly isFriend: boolean;
  readonly isFamily: boolean;
}

/** By user, in the order of answers. */
async function truth(): Promise<ReadonlyMap<Id, readonly Line[]>> {
  const [rows] = await site.query<RowDataPacket[]>({ sql: TRUTH, rowsAsArray: true });
  const lines = (rows as unknown as (string | number)[][]).map(([user, id, isFriend, isFamily, at]) => ({
    user: String(user),
    line: { id: String(id), at: Number(at), isFriend: Number(isFriend) === 1, isFamily: Number(isFamily) === 1 },
  }));
  const found = Map.groupBy(lines, ({ user }) => user);
  return new Map(Array.from(found, ([user, some]) => [user, some.map(({ line }) => line)]));
}

const RELATIONS: readonly Relation[] = ['any', 'friends'];

/** Every page of this question. @returns how many were compared, and how many of them came from an index */
async function compare(user: Id, relation: Relation, limit: number, all: readonly Line[], what: string) {
  const expected = all.filter(({ isFriend }) => relation === 'any' || isFriend);
  const sources: string[] = [];
  for (let below: Key | undefined, from = 0; ; from += limit) {
    const { contacts, more, exact, source } = await answers.find({ user, relation, limit, below });
    const lines = contacts.map(({ id, at, isFriend, isFamily }) => ({ id, at, isFriend, isFamily }));
    const page = `${what}: user ${user}, ${relation}, ${limit} from ${from}, from the ${source}`;
    expect({ lines, exact }, page).toEqual({ lines: expected.slice(from, from + limit), exact: true });
    expect(more || expected.length <= from + limit, `${page}: there are more`).toBe(true);
    sources.push(source);
    below = contacts.at(-1);
    if (!more || below === undefined) return sources;
  }
}

describe('answers over base tables that change at random', { timeout: shortOrLong(120_000, 3_600_000) }, () => {
  it('are what SQL says of those tables', async () => {
    const random = seededRandom(SEED);
    const sources: string[] = [];
    let done: Task[] = [];
    for (let round = 1; sources.length < COMPARISONS; round++) {
      await run(rebuild(shuffled(random, IDS).slice(0, between(random, 1, IDS.length))), stores.steps);
      const tasks: Task[] = [];
      for (let left = between(random, 1, 12); left > 0; left--) tasks.push(...(await transaction(random)));
      await apply(random, [...tasks, ...shuffled(random, done).slice(0, 2)]);
      done = [...done, ...tasks].slice(-100);
      const expected = await truth();
      for (const user of IDS) {
        for (const relation of RELATIONS) {
          const limit = pick(random, [1, 2, 3, 10]);
          const what = `seed ${SEED}, round ${round}`;
          sources.push(...(await compare(user, relation, limit, expected.get(user) ?? [], what)));
        }
      }
    }
    const narrowed = sources.filter((source) => source === 'index').length;
    expect(narrowed, 'many answers come from indexes, or nothing is tested').toBeGreaterThan(sources.length / 5);
    console.log(`seed ${SEED}: ${sources.length} comparisons, ${narrowed} of them from an index, 0 wrong`);
  });
});
