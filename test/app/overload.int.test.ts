import fc from 'fast-check';
import { createConnection } from 'mysql2/promise';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RELATIONS } from '../../src/contracts/relation.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import type { DatabaseOptions } from '../../src/mysql/database.ts';
import { readPlain } from '../../src/mysql/statements/plain-contacts.ts';
import { buildOn, ColdBuilds } from '../../src/query/cold-builds.ts';
import { Deadline, DeadlineExceeded, RequestCancelled } from '../../src/timing/deadline.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { ask, startTestApi } from '../support/api.ts';
import { cases } from '../support/cases.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { sql } from '../support/servers.ts';
import { IDS, site } from '../support/site-arbitrary.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshRedis, freshStores, recentContactsOn, type Stores, storesOn } from '../support/stores.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 4, min: 2 };
/** Takes a minute unless it is killed. SLEEP alone would not count as interrupted. */
const LONG = 'SELECT COUNT(*) FROM recency_epoch WHERE SLEEP(60) = 0 OR BENCHMARK(1000000000, SHA2(token, 256)) = 0';
const PATH = (user: string) => `/v1/users/${user}/contacts/recent?limit=4`;

let stores: Stores;
beforeAll(async () => {
  stores = await freshStores(LIMITS);
  await writeSite(freshSitePool(stores.url), everybodyKnows(['1', '2', '3'], ['11', '12', '13', '14', '15', '16']));
});

/** Its first connection is open, so that a short deadline is for the statement alone. */
async function connected(options: Partial<DatabaseOptions>): Promise<ContactsDatabase> {
  const opened = database(options);
  await until(() => opened.rows('SELECT 1', []));
  return opened;
}

function database(options: Partial<DatabaseOptions> = {}): ContactsDatabase {
  const opened = new ContactsDatabase(stores.url, { connections: 3, queue: 1_000, deadlineMs: 60_000, ...options });
  onTestFinished(() => opened.close());
  return opened;
}

/** Statements running in this file's database. */
async function running(): Promise<string[]> {
  const others = `SELECT INFO FROM information_schema.PROCESSLIST
    WHERE DB = DATABASE() AND COMMAND <> 'Sleep' AND ID <> CONNECTION_ID()`;
  return (await sql(stores.url, others)).map((row) => String(row.INFO));
}

/** The server ends a killed statement as soon as the statement looks. */
const nothingRuns = () => until(async () => (await running()).length === 0);

const none = async () => !(await running()).some((statement) => statement.includes('recency_contacts'));

/** Blocks every statement that reads contacts until it is released. */
async function lockContacts(): Promise<() => Promise<void>> {
  const locked = await createConnection(stores.url);
  await locked.query('LOCK TABLES contacts WRITE, users WRITE');
  let isReleased = false;
  const release = async () => {
    if (!isReleased) await locked.end();
    isReleased = true;
  };
  onTestFinished(release);
  return release;
}

describe('a statement whose result is no longer needed', () => {
  it('is killed in the server at the deadline of its call, and is not retried', async () => {
    const reader = await connected({ deadlineMs: 500 });
    const from = performance.now();
    await expect(reader.rows(LONG, [])).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
    expect(performance.now() - from).toBeLessThan(30_000);
    await nothingRuns();
    expect(await until(() => reader.rows('SELECT 1', []))).toEqual([[1]]);
  });

  it("is killed at the request's deadline, which is earlier than its call's", async () => {
    const reader = await connected({});
    await expect(reader.rows(LONG, [], { deadline: new Deadline(300) })).rejects.toThrow(DeadlineExceeded);
    await nothingRuns();
  });

  it('is killed when the client disconnects, and its connection is used again', async () => {
    const reader = database({ connections: 1 });
    const deadline = new Deadline(60_000);
    const [before] = await reader.rows('SELECT CONNECTION_ID()', []);
    const asked = reader.rows(LONG, [], { deadline });
    asked.catch(() => undefined);
    const waiting = reader.rows('SELECT 1', [], { deadline }); // never gets a connection
    waiting.catch(() => undefined);
    await until(async () => (await running()).length === 1);
    deadline.cancel();
    await expect(asked).rejects.toThrow(RequestCancelled);
    await expect(waiting).rejects.toThrow(RequestCancelled);
    await nothingRuns();
    expect(await reader.rows('SELECT CONNECTION_ID()', [])).toEqual([before]);
  });

  it('is killed and rolled back if it writes', async () => {
    const writer = await connected({ deadlineMs: 500 });
    const slow =
      "INSERT INTO recency_settings (name, value) SELECT 'late', COUNT(*) FROM recency_epoch WHERE BENCHMARK(1000000000, SHA2(token, 256)) = 0";
    await expect(writer.write(slow, [])).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
    await nothingRuns();
    expect(await stores.primary.rows("SELECT 1 FROM recency_settings WHERE name = 'late'", [])).toEqual([]);
  });

  it('over HTTP: 503 with Retry-After at the deadline; nothing keeps running after clients disconnect', async () => {
    await stores.index.drop(['1', '2', '3']);
    const primary = await connected({ connections: 4, heavy: { concurrency: 1, queue: 100 } });
    const api = await startTestApi(storesOn({ ...stores, primary }, LIMITS), { ...LIMITS, deadlineMs: 400 });
    const release = await lockContacts();
    const late = await ask(api, PATH('1'));
    expect([late.status, late.body.code, late.headers.get('retry-after')]).toEqual([503, 'deadline_exceeded', '1']);
    await until(none);

    const patient = await startTestApi(storesOn({ ...stores, primary }, LIMITS), { ...LIMITS, deadlineMs: 60_000 });
    const gone = new AbortController();
    const asked = ['1', '1', '2', '3'].map((user) =>
      ask(patient, PATH(user), { signal: gone.signal }).catch(() => 'gone'),
    );
    await until(async () => (await running()).length > 0 && primary.heavy.queued > 0);
    gone.abort();
    expect(await Promise.all(asked)).toEqual(['gone', 'gone', 'gone', 'gone']);
    await until(async () => primary.heavy.running + primary.heavy.queued === 0 && (await none()));
    await release();
    expect((await ask(patient, PATH('1'))).status).toBe(200);
    expect(patient.log).toEqual([]); // nobody's fault
  });
});

describe('heavy queries', () => {
  it('that use up their whole budget do not delay narrowed answers', async () => {
    await run(rebuild(['1']), stores.steps);
    await stores.index.drop(['2', '3']);
    const primary = database({ connections: 3, heavy: { concurrency: 9, queue: 100 } });
    const api = await startTestApi(storesOn({ ...stores, primary }, LIMITS), LIMITS);
    await ask(api, PATH('1'));
    const deadline = new Deadline(60_000);
    const held = [0, 1].map(() => primary.rows(LONG, [], { heavy: 'answer', deadline }));
    for (const one of held) one.catch(() => undefined);
    await until(async () => (await running()).length === 2);
    const cold = ask(api, PATH('2')); // waits for its turn
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(api, PATH('1'))));
    for (const { status, body } of answers) expect([status, body.answer.source]).toEqual([200, 'index']);
    expect(primary.heavy.running).toBe(2); // all but one connection, whatever was set
    deadline.cancel();
    await Promise.allSettled(held);
    expect((await cold).status).toBe(200);
  });
});

describe('the answer for a cold user', () => {
  function coldAnswers(reading: Stores) {
    const build = buildOn(reading, { mysqlTimeoutMs: 5_000 });
    const builds = new ColdBuilds({
      build: async (user, by) => {
        await build(user, by);
        return 'built';
      },
      concurrency: 1,
      queue: 10,
      onError: (error) => {
        throw error;
      },
    });
    return recentContactsOn(reading, LIMITS, { coldAnswers: (user, deadline) => builds.answer(user, deadline) });
  }

  it("from the rows of its build equals the plain query's, for every relation, limit and page", async () => {
    const own = await freshStores(LIMITS);
    const pool = freshSitePool(own.url);
    const recent = coldAnswers(own);
    const question = fc.record({
      relation: fc.constantFrom(...RELATIONS),
      limit: fc.integer({ min: 1, max: LIMITS.max + 2 }),
      isNext: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(site, question, async (all, { relation, limit, isNext }) => {
        await writeSite(pool, all);
        for (const user of IDS) {
          const first = await readPlain(own.primary, { user, relation: 'any', limit: 3, below: undefined });
          const below = isNext ? first.contacts.at(-1) : undefined;
          await own.index.drop([user]);
          const answer = await recent.find({ user, relation, limit, below });
          const { contacts: plain } = await readPlain(own.primary, { user, relation, limit: limit + 1, below });
          expect(answer.contacts).toEqual(plain.slice(0, limit));
          expect(answer).toMatchObject({
            ...{ more: plain.length > limit, source: 'database', reason: 'cold', exact: true, complete: true },
            floor: undefined,
          });
          const built = await own.index.read(user, 0, false);
          const isKnown = all.ties.some((tie) => tie.user === user);
          expect(built.state).toBe(isKnown && limit <= LIMITS.max ? 'warm' : 'cold');
        }
      }),
      { numRuns: cases(20) },
    );
  });

  it('costs one statement where the index can hold the page, and leaves an index', async () => {
    const primary = new CountingDatabase(stores.url);
    const recent = coldAnswers(storesOn({ ...stores, primary }, LIMITS));
    const statementsFor = async (limit: number) => {
      await stores.index.drop(['3']);
      const before = primary.sent;
      const { contacts, reason } = await recent.find({ user: '3', relation: 'any', limit, below: undefined });
      expect([contacts.length, reason]).toEqual([limit, 'cold']);
      return primary.sent - before;
    };
    expect(await statementsFor(LIMITS.max)).toBe(1);
    expect((await recent.find({ user: '3', relation: 'any', limit: 2, below: undefined })).source).toBe('index');
    expect(await statementsFor(LIMITS.max + 1)).toBe(1); // the plain query; nobody builds here
  });

  it('costs no second statement if the build loses its race: the consumers build the index', async () => {
    await stores.index.drop(['2']);
    const primary = new CountingDatabase(stores.url);
    const own = storesOn({ ...stores, primary }, LIMITS);
    const replace: Stores['steps']['replace'] = async (_epoch, requests) => requests.map(() => 'raced');
    const recent = coldAnswers({ ...own, steps: { ...own.steps, replace } });
    const { contacts } = await recent.find({ user: '2', relation: 'any', limit: 2, below: undefined });
    expect([contacts.length, primary.sent]).toEqual([2, 1]);
    await until(async () => (await own.delayed.take(1, 1_000)).items.some(({ user }) => user === '2'));
  });

  it('leaves the build to the consumers if the client disconnects before the rows arrive', async () => {
    await stores.index.drop(['2']);
    const own = storesOn({ ...stores, primary: database({}) }, LIMITS);
    const release = await lockContacts();
    const deadline = new Deadline(60_000);
    const asked = coldAnswers(own).find({ user: '2', relation: 'any', limit: 2, below: undefined, deadline });
    await until(async () => (await running()).length > 0);
    deadline.cancel();
    await expect(asked).rejects.toThrow(RequestCancelled);
    await release();
    await until(async () => (await own.delayed.take(1, 1_000)).items.some(({ user }) => user === '2'));
  });

  it('is the plain one if Redis refuses a command that the build needs', async () => {
    await using server = await startRedis({ args: ['--maxmemory', '1', '--maxmemory-policy', 'noeviction'] });
    const full = storesOn({ ...stores, redis: await freshRedis(server.url) }, LIMITS);
    const found = await coldAnswers(full).find({ user: '2', relation: 'any', limit: 2, below: undefined });
    expect(found).toMatchObject({ source: 'database', reason: 'cold', exact: true });
    expect(found.contacts).toHaveLength(2);
  });

  it('is never older than a build under way: such a read is answered from the new index', async () => {
    await stores.index.drop(['2']);
    const primary = new CountingDatabase(stores.url);
    const recent = coldAnswers(storesOn({ ...stores, primary }, LIMITS));
    const asked = Array.from({ length: 5 }, () =>
      recent.find({ user: '2', relation: 'any', limit: 2, below: undefined }),
    );
    const sources = (await Promise.all(asked)).map(({ source }) => source);
    expect(sources.toSorted()).toEqual(['database', 'index', 'index', 'index', 'index']);
    // One heavy, and of the four narrowed two at once, the others together if they wait.
    expect([4, 5]).toContain(primary.sent);
  });
});
