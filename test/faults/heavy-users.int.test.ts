import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import pino from 'pino';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import { sharedBarrier } from '../../src/index/drain-barrier.ts';
import { drainBarrierOf } from '../../src/index/index-drain-barrier.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import type { Parameter, ReadOptions } from '../../src/mysql/database.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { AnswerCheck } from '../../src/repair/answer-check.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { PageCheck } from '../../src/repair/page-check.ts';
import { SamplerReports } from '../../src/repair/sampler/report.ts';
import { Windows } from '../../src/repair/sampler/windows.ts';
import { TruthCheck } from '../../src/repair/truth-check.ts';
import { startConsuming } from '../support/consuming.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { makeHeavy, STRANGER } from '../support/heavy-user.ts';
import { createBackfill, createRepair, Sampler, Verify } from '../support/jobs-of-contacts.ts';
import { freshFence } from '../support/repair-site.ts';
import { closeAtEnd, freshPrefix } from '../support/servers.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshRedis, migratedDatabase, type Stores, storesOn } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';
import { until } from '../support/until.ts';

const CONTACTS = 300_000;
const HEAVY = '1';
/** Uploads, and is followed by 4. */
const OWNER = '3';
const FOLLOWER = '4';
/** Users with an ordinary number of contacts. */
const MANY = Array.from({ length: 40 }, (_, i) => String(100 + i));
const EACH = 500;

/** The i-th newest of a heavy user's contacts. */
const newest = (i: number) => String(STRANGER + CONTACTS - 1 - i);

let url: string;
let pool: Pool;

beforeAll(async () => {
  url = await migratedDatabase();
  pool = freshSitePool(url);
  await makeHeavy(pool, [HEAVY], CONTACTS);
  await makeHeavy(pool, MANY, EACH);
  await pool.query('INSERT INTO users (id, last_public_at) VALUES (3, 500)');
  await pool.query('INSERT INTO contacts (user_id, contact_id) VALUES (4, 3)');
}, 400_000); // a very busy machine takes long to insert the rows

interface Times {
  readonly aloneMs: number;
  readonly patientMs: number;
}

/** Long for an ordinary user's contacts, whatever the machine does meanwhile; too short for the heavy user's. */
const SHORT = 20_000;

/** A statement about this user, or several users of whom this is one. */
const isOfHeavy = ([users]: readonly Parameter[]) =>
  users === HEAVY || (String(users).startsWith('["') && JSON.parse(String(users)).includes(HEAVY));

/** Where the server ends the statements about the heavy user at once that have no more time than {@link SHORT}. */
class HeavyTakesLong extends ContactsDatabase {
  override rows(statement: string, parameters: readonly Parameter[], options: ReadOptions = {}) {
    const { withinMs = Number.POSITIVE_INFINITY } = options;
    const isTooLong = withinMs <= SHORT && isOfHeavy(parameters);
    return super.rows(statement, parameters, isTooLong ? { ...options, withinMs: 1 } : options);
  }
}

async function freshStores(times: Times): Promise<Stores> {
  const primary = new HeavyTakesLong(url, { connections: 6, queue: 100, deadlineMs: 60_000 });
  closeAtEnd(() => primary.close());
  return storesOn({ url, prefix: freshPrefix(), primary, redis: await freshRedis() }, times);
}

describe('a user with very many contacts', () => {
  it('does not delay fan-outs of other owners, and is built in the end', async () => {
    const stores = await freshStores({ aloneMs: SHORT, patientMs: 60_000 });
    const { steps, patient, index, delayed } = stores;
    await run(rebuild([HEAVY]), patient);
    await run(rebuild([FOLLOWER]), steps);
    const topOf = async (user: string) => {
      const reading = await index.read(user, 0, false);
      return reading.state === 'warm' ? reading.head.map(({ id, at }) => `${id}@${at}`) : [reading.state];
    };
    const consuming = await startConsuming(stores, { relays: false });
    await removeContacts([0, 1, 2].map(newest), stores);
    await upload(700, stores);
    await consuming.relayOnce(); // all in one batch
    await until(async () => (await topOf(FOLLOWER)).includes(`${OWNER}@700`));
    await until(async () => (await consuming.lag()) === 0);
    const best = [3, 4, 5, 6].map((i) => `${newest(i)}@${1_000 + CONTACTS - 1 - i}`);
    await until(async () => String(await topOf(HEAVY)) === String(best));
    await until(async () => (await delayed.take(1, 1)).items.length === 0);
    expect(await consuming.transport.deadLetters.list({ limit: 10 })).toEqual([]);
    await consuming.stop();
  });

  it('is left to the consumers by a rebuild that blocks others', async () => {
    const { steps } = await freshStores({ aloneMs: SHORT, patientMs: 60_000 });
    const report = await run(rebuild([FOLLOWER, HEAVY, ...MANY]), steps);
    expect(report).toMatchObject({ slow: [HEAVY], unsettled: [], obstructed: [] });
    expect(report.rebuilt.toSorted()).toEqual([FOLLOWER, ...MANY].toSorted());
  });

  it('that takes too long is given up by the delayed worker, and delays nobody', async () => {
    const stores = await freshStores({ aloneMs: SHORT, patientMs: SHORT });
    const { steps, patient, delayed, rechecks, index } = stores;
    const said: unknown[] = [];
    const telling = pino({ level: 'error' }, { write: (line: string) => void said.push(JSON.parse(line)) });
    const worker = new DelayedWorker({ watch: TRUSTED, steps, patient, delayed, rechecks, logger: telling });
    await delayed.defer({ pairs: [], rebuilds: [HEAVY, FOLLOWER] });
    const ending = new AbortController();
    const running = worker.run(ending.signal);
    await until(async () => (await index.read(FOLLOWER, 0, false)).state === 'warm');
    await until(() => said.length > 0);
    expect(said).toMatchObject([{ user: HEAVY, msg: expect.stringMatching(/MYSQL_BUILD_TIMEOUT_MS/) }]);
    const queue = new DelayQueue(stores.redis, stores.prefix);
    await until(async () => (await queue.size()) === 0);
    ending.abort();
    await running;
  });
});

const LIMITS = { max: 4, min: 2 };

const everybody = [HEAVY, FOLLOWER, ...MANY];

async function jobStores(patientMs: number) {
  const stores = await freshStores({ aloneMs: SHORT, patientMs });
  const { primary, index, delayed, rechecks } = stores;
  const now = () => performance.now();
  const transport = async () => sharedBarrier(async () => true);
  const raiseBarrier = drainBarrierOf({ primary, rechecks, delayed }, transport);
  const check = new PageCheck({
    index,
    primary,
    limits: LIMITS,
    raiseBarrier,
    graceMs: 0,
    settleMs: 5_000,
    now,
    clock: Date.now,
    random: Math.random,
    aloneMs: patientMs,
  });
  const fence = await freshFence(stores);
  const records = { primary, fence, clock: Date.now, rowsRead: () => 0, now, random: Math.random, check, raiseBarrier };
  return { stores, records };
}

describe('a job that reaches a user with too many contacts', () => {
  it('builds the others, and names that one in its report', async () => {
    const { stores, records } = await jobStores(SHORT);
    const job = createBackfill({ ...records, steps: stores.patient }, {});
    await runToEnd(job);
    expect(job.result).toMatchObject({ users: everybody.length, rebuilt: everybody.length - 1, failed: 1 });
    expect(job.result.failed_users).toEqual([
      { user: HEAVY, reason: expect.stringMatching(/ContactsTooMany.*user 1 /) },
    ]);
    await expect(createBackfill(records as never, { resume: job.id }).start()).rejects.toThrow('is done');
  });

  it('builds that one as well, if it has the time', async () => {
    const { stores, records } = await jobStores(60_000);
    const job = createBackfill({ ...records, steps: stores.patient }, {});
    await runToEnd(job);
    expect(job.result).toMatchObject({ rebuilt: everybody.length, failed: 0, failed_users: [] });
  });

  it('verifies and repairs the others', async () => {
    const { stores, records } = await jobStores(SHORT);
    const long = storesOn(stores, { aloneMs: 60_000 });
    await run(rebuild(everybody), long.steps);
    const keys = new KeyNames(stores.prefix);
    await stores.redis.zadd(keys.set('100'), 5, newest(9)); // a ghost
    const verify = new Verify({ ...records }, {});
    await runToEnd(verify);
    expect(verify.result).toMatchObject({
      users: everybody.length,
      wrong: 1,
      failed: 1,
      failed_users: [{ user: HEAVY }],
    });
    const repair = createRepair({ ...records, steps: stores.patient }, {});
    await runToEnd(repair);
    expect(repair.result).toMatchObject({ repaired: 1, still_wrong: 0, failed: 1, failed_users: [{ user: HEAVY }] });
  });
});

describe('answers to a user with very many contacts', () => {
  const deadlineMs = 2_000;

  /** Reading all contacts of the heavy user takes longer than the deadline of other statements. */
  class Hasty extends ContactsDatabase {
    override rows(statement: string, parameters: readonly Parameter[], options: ReadOptions = {}) {
      const isLong = Number(options.withinMs) > deadlineMs && isOfHeavy(parameters);
      return super.rows(statement, parameters, isLong ? { ...options, first: () => sleep(deadlineMs) } : options);
    }
  }

  const find = async (aloneMs: number) => {
    const { stores, records } = await jobStores(60_000);
    await run(rebuild([HEAVY]), stores.patient);
    const hasty = new Hasty(url, { connections: 2, queue: 10, deadlineMs });
    onTestFinished(() => hasty.close());
    await until(() => hasty.rows('SELECT 1', [])); // connecting alone may take longer than that on a busy machine
    const { index } = stores;
    const asked = { ...records, primary: hasty, aloneMs };
    const answers = new AnswerCheck({ ...asked, index, limits: LIMITS, truth: new TruthCheck(asked) });
    return await answers.check(HEAVY, [{ relation: 'any', limit: 1 }]);
  };

  it('are compared with all of them, whatever the limit of other statements', async () => {
    expect(await find(60_000)).toMatchObject({ checked: 2, wrong: [] });
  });

  it('are not compared if reading them takes too long; the server ends that statement', async () => {
    await expect(find(50)).rejects.toThrow(/^reading all contacts of user 1 takes longer than the 50 ms/);
    await until(async () => {
      const [rows] = await pool.query(
        "SELECT 1 FROM information_schema.processlist WHERE info LIKE '%max_statement_time%' AND id <> CONNECTION_ID()",
      );
      return (rows as unknown[]).length === 0;
    });
  });
});

describe('the sampler, where a user has too many contacts', () => {
  it('counts that one as unsettled, and classifies the others', async () => {
    const { stores, records } = await jobStores(SHORT);
    await run(rebuild([HEAVY, ...MANY.slice(0, 3)]), storesOn(stores, { aloneMs: 60_000 }).steps);
    await stores.redis.zadd(new KeyNames(stores.prefix).set('100'), 5, newest(9)); // not written by Recency
    const lines: unknown[] = [];
    const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const windows = new Windows(records.now);
    const { index, primary, redis, prefix } = stores;
    const sampler = new Sampler({
      ...{
        index,
        primary,
        limits: LIMITS,
        raiseBarrier: records.raiseBarrier,
        settleMs: 5_000,
        graceMs: 0,
        pollMs: 10,
      },
      ...{ rate: 10, random: Math.random, windows, reports: new SamplerReports(redis, prefix), logger },
      ...{ now: records.now, clock: records.clock, aloneMs: SHORT },
    });
    // Half of the draws go through all users in turn.
    for (let round = 0; round < 2 * (everybody.length / 10); round++) await sampler.runOnce();
    await sampler.idle();
    const { checked, wrong, unsettled } = windows.within('5m');
    expect(wrong).toBeGreaterThan(0);
    expect(checked).toBeGreaterThan(wrong);
    expect(unsettled).toBeGreaterThan(0);
    expect(lines).toContainEqual(expect.objectContaining({ user: HEAVY, reason: expect.stringMatching(/TooMany/) }));
    expect(lines).toContainEqual(expect.objectContaining({ user: '100', classes: ['torn'] }));
    expect(lines).toHaveLength(2);
  });
});

/** Changes the heavy user's row of each contact, with a task. */
async function removeContacts(contacts: readonly string[], { primary }: Stores): Promise<void> {
  await pool.query('UPDATE contacts SET active = FALSE WHERE user_id = ? AND contact_id IN (?)', [HEAVY, contacts]);
  onTestFinished(async () => {
    await pool.query('UPDATE contacts SET active = TRUE WHERE user_id = ?', [HEAVY]);
  });
  for (const contact of contacts) {
    const task = "INSERT INTO recency_outbox (type, user_id, other_id) VALUES ('recency.contact.removed', ?, ?)";
    await primary.write(task, [HEAVY, contact]);
  }
}

async function upload(at: number, { primary }: Stores): Promise<void> {
  await pool.query('UPDATE users SET last_public_at = ? WHERE id = ?', [at, OWNER]);
  const task = "INSERT INTO recency_outbox (type, user_id, other_id, at) VALUES ('recency.photo.uploaded', ?, 9, ?)";
  await primary.write(task, [OWNER, at]);
}
