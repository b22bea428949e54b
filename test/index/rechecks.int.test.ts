import { createPool, type Pool, type PoolConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import { planWork, TaskWorker } from '../../src/consumers/work-plan.ts';
import type { Id } from '../../src/contracts/id.ts';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { RECHECKS } from '../../src/index/delayed-work.ts';
import { EVERYBODY, keyOf } from '../../src/index/drain-barrier.ts';
import { bumpEpoch } from '../../src/index/epoch.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { readNewestTask } from '../../src/mysql/newest-task.ts';
import { isPublishedUpTo, readClock, readOutboxLag } from '../../src/mysql/outbox.ts';
import { readRecheckBacklog, readRechecksOf } from '../../src/mysql/rechecks.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { scanKeys } from '../../src/redis/masters.ts';
import { OutboxRelay } from '../../src/relay/relay.ts';
import { expectExact } from '../support/exact.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';
import { until } from '../support/until.ts';
import { logger } from '../transport/place.ts';

/** A task that arrives before its commit is acknowledged; its re-check must survive everything but the loss of MySQL. */

const MAX = 4;
const MIN = 2;

let stores: Stores;
let pool: Pool;
beforeAll(async () => {
  stores = await freshStores({ max: MAX, min: MIN });
  pool = createPool({ uri: stores.url, connectionLimit: 4, supportBigNumbers: true, bigNumberStrings: true });
});
afterAll(() => pool.end());

/** User base + 1 has contact base + 2, and base + 3 is not a contact yet; both have a photo. */
async function people(base: number): Promise<{ user: Id; contact: Id }> {
  const id = (i: number) => String(base + i);
  await pool.query(`INSERT INTO users (id, last_public_at) VALUES (${id(1)}, 0), (${id(2)}, 1000), (${id(3)}, 2000)`);
  await pool.query(
    `INSERT INTO contacts (user_id, contact_id, active, version) VALUES (${id(1)}, ${id(2)}, 1, 1), (${id(1)}, ${id(3)}, 0, 1)`,
  );
  await run(rebuild([id(1)]), stores.steps);
  return { user: id(1), contact: id(3) };
}

/** Makes a change without committing it; `commit` ends the transaction. */
async function changing(user: Id, contact: Id, version: number): Promise<{ commit(): Promise<void> }> {
  const connection: PoolConnection = await pool.getConnection();
  await connection.beginTransaction();
  await connection.query('UPDATE contacts SET active = 1, version = ? WHERE user_id = ? AND contact_id = ?', [
    version,
    user,
    contact,
  ]);
  return {
    commit: async () => {
      await connection.commit();
      connection.release();
    },
  };
}

/** What a consumer does before it acknowledges the task. */
async function handle(user: Id, contact: Id, version: string): Promise<void> {
  const task = { type: 'recency.contact.added', user, contact, version } as const;
  const worker = new TaskWorker({ steps: stores.steps, pageSize: 500 });
  await worker.work(planWork([{ task, position: `early:${user}` }]));
}

/** Redis loses everything, this is noticed, and a read builds the index again. */
async function loseRedis(user: Id): Promise<void> {
  for await (const keys of scanKeys(stores.redis, `${stores.prefix}:*`))
    if (keys.length > 0) await stores.redis.del(...keys);
  await bumpEpoch(stores.primary, 'the test lost Redis');
  await run(rebuild([user]), stores.steps);
}

function delayedWorker(onGivenUp: (count: number) => void = () => undefined): DelayedWorker {
  return new DelayedWorker({ watch: TRUSTED, ...stores, logger, onGivenUp });
}

describe('a task that arrived before its commit', () => {
  it('is re-checked although Redis was lost meanwhile', async () => {
    const { user, contact } = await people(100);
    const change = await changing(user, contact, 2);
    await handle(user, contact, '2');
    await loseRedis(user);
    await change.commit();
    const worker = delayedWorker();
    await until(async () => {
      await worker.runOnce();
      const reading = await stores.index.read(user, 0, false);
      return reading.state === 'warm' && reading.size === 2;
    });
    await expectExact(stores, { max: MAX, min: MIN }, user, 'after the loss');
  });

  it('is re-checked as often as necessary, up to the limit', async () => {
    const { user, contact } = await people(200);
    const change = await changing(user, contact, 2);
    await handle(user, contact, '2');
    let givenUp = 0;
    const worker = delayedWorker((count) => {
      givenUp += count;
    });
    for (let look = 1; look <= 5; look++) {
      expect(await attempts(user)).toEqual([look]);
      await allDue();
      await worker.runOnce();
    }
    await change.commit();
    await allDue();
    await worker.runOnce();
    expect(await attempts(user)).toEqual([]);
    await expectExact(stores, { max: MAX, min: MIN }, user, 'after the commit');
    expect(givenUp).toBe(0);
  });

  it("is given up at the limit if its version never appears, and MySQL's state is applied", async () => {
    const { user, contact } = await people(300);
    await handle(user, contact, '7'); // its transaction was rolled back
    let givenUp = 0;
    const worker = delayedWorker((count) => {
      givenUp += count;
    });
    for (let look = 1; look <= RECHECKS; look++) {
      expect(await attempts(user)).toEqual([look]);
      await allDue();
      await worker.runOnce();
    }
    expect(await attempts(user)).toEqual([]);
    expect(givenUp).toBe(1);
    await expectExact(stores, { max: MAX, min: MIN }, user, 'given up');
  });

  it("waits longer before each re-check, by MySQL's clock", async () => {
    const pair = { user: '1', contact: '2', version: '3' };
    for (const [attempt, ms] of [
      [1, 250],
      [2, 500],
      [8, 30_000],
      [14, 30_000],
    ] as const) {
      await stores.primary.write('DELETE FROM recency_outbox', []);
      const before = await readClock(stores.primary);
      await stores.rechecks.put([pair], attempt);
      const [row] = await stores.primary.rows('SELECT due_at FROM recency_outbox', []);
      expect(Number(row?.[0]) - before).toBeGreaterThanOrEqual(ms);
      expect(Number(row?.[0]) - (await readClock(stores.primary))).toBeLessThanOrEqual(ms);
    }
    await stores.primary.write('DELETE FROM recency_outbox', []);
  });

  it('is re-checked although its user was forgotten and rebuilt before the commit', async () => {
    const { user, contact } = await people(400);
    const change = await changing(user, contact, 2);
    await handle(user, contact, '2');
    await stores.steps.forget([user]);
    await run(rebuild([user], true), stores.steps);
    await change.commit();
    await allDue();
    await delayedWorker().runOnce();
    await expectExact(stores, { max: MAX, min: MIN }, user, 'forgotten and built again');
  });

  it('does nothing for a user who was forgotten and not rebuilt', async () => {
    const { user, contact } = await people(500);
    await handle(user, contact, '2');
    await stores.steps.forget([user]);
    const worker = delayedWorker();
    for (let look = 1; look <= RECHECKS; look++) {
      await allDue();
      await worker.runOnce();
    }
    expect(await attempts(user)).toEqual([]);
    expect((await stores.index.read(user, 0, false)).state).toBe('cold');
  });

  it('is understood if a previous version left it in the delay queue, and moves to MySQL if still pending', async () => {
    const { user, contact } = await people(600);
    const change = await changing(user, contact, 2);
    // In that version's format.
    const item = JSON.stringify({ kind: 'recheck', user, contact, version: '2', attempt: 3 });
    const queue = new DelayQueue(stores.redis, stores.prefix);
    await queue.put([item], 0);
    const worker = delayedWorker();
    await until(async () => (await worker.runOnce()) > 0);
    expect(await queue.size()).toBe(0);
    expect(await attempts(user)).toEqual([4]);
    await change.commit();
    await allDue();
    await worker.runOnce();
    await expectExact(stores, { max: MAX, min: MIN }, user, 'moved');
  });
});

describe('a re-check', () => {
  it('comes back if its worker dies, and is deleted when it is done', async () => {
    await stores.rechecks.put([{ user: '1', contact: '2', version: '3' }], 1);
    await allDue();
    const [held, ...others] = await stores.rechecks.take(10, 60_000);
    expect(held).toMatchObject({ user: '1', contact: '2', version: '3', attempt: 1 });
    expect(others).toEqual([]);
    expect(await stores.rechecks.take(10, 60_000)).toEqual([]);
    await allDue(); // its lease has passed
    expect(await stores.rechecks.take(10, 60_000)).toEqual([held]);
    await stores.rechecks.finish(held === undefined ? [] : [held]);
    await allDue();
    expect(await stores.rechecks.take(10, 60_000)).toEqual([]);
  });

  it('is given to only one of several concurrent workers', async () => {
    await stores.rechecks.put(
      Array.from({ length: 300 }, (_, i) => ({
        user: String(1_000 + i),
        contact: '1',
        version: '18446744073709551615',
      })),
      1,
    );
    await allDue();
    const taken = await Promise.all(Array.from({ length: 4 }, () => stores.rechecks.take(100, 60_000)));
    const rows = taken.flat();
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.every(({ version }) => version === '18446744073709551615')).toBe(true);
    const rest = await stores.rechecks.take(300, 60_000);
    expect(rows.length + rest.length).toBe(300);
    await stores.rechecks.finish([...rows, ...rest]);
    expect(await readRecheckBacklog(stores.primary, 1_000)).toEqual({ rows: 0, overdueMs: 0 });
  });

  it('is not published, does not count as lag, and no barrier waits for its publication', async () => {
    await stores.primary.write('DELETE FROM recency_outbox', []);
    await stores.rechecks.put([{ user: '70', contact: '71', version: '3' }], 1);
    await allDue();
    const nothing = async () => {
      throw new Error('there is nothing to publish');
    };
    const relay = new OutboxRelay({
      ...{ database: stores.primary, deadLetters: { put: nothing }, logger },
      publisher: { publish: nothing, checkRoom: async () => undefined },
    });
    expect(await relay.runOnce()).toMatchObject({ published: 0, putBack: 0 });
    expect(await readOutboxLag(stores.primary)).toEqual({ rows: 0, oldestMs: 0, ahead: 0 });
    expect(await isPublishedUpTo(stores.primary, (await readNewestTask(stores.primary)).id)).toBe(true);
    const suspects = [
      { user: '70', contact: '71' },
      { user: '71', contact: '70' },
      { user: '70', contact: undefined },
      { user: '71', contact: undefined },
      { user: '70', contact: '72' },
      { user: '72', contact: undefined },
    ];
    const pending = await stores.rechecks.pendingFor(suspects);
    expect(suspects.map((suspect) => pending.get(keyOf(suspect))?.size)).toEqual([1, 1, 1, 1, 0, 0]);
    expect((await stores.rechecks.pendingFor([EVERYBODY])).get(keyOf(EVERYBODY))?.size).toBe(1);
    expect(await readRecheckBacklog(stores.primary, 10)).toMatchObject({ rows: 1 });
    await stores.primary.write('DELETE FROM recency_outbox', []);
  });

  it('that always fails does not block the others, and is set aside in the end', async () => {
    const { user, contact } = await people(700);
    const change = await changing(user, contact, 2);
    await handle(user, contact, '2');
    await change.commit();
    await stores.rechecks.put([{ user: '799', contact: '798', version: '2' }], 2);
    const steps: Steps = {
      ...stores.steps,
      nonces: (users) => {
        if (users.includes('799')) throw new RangeError('a row of its own fault');
        return stores.steps.nonces(users);
      },
    };
    const aside: unknown[] = [];
    const deadLetters = { put: async (letters: readonly unknown[]) => void aside.push(...letters) };
    const answers = async () => true;
    const worker = new DelayedWorker({ watch: TRUSTED, ...stores, steps, logger, answers, deadLetters });
    await allDue();
    await worker.runOnce();
    await expectExact(stores, { max: MAX, min: MIN }, user, 'beside one that fails');
    expect([await attempts('799'), aside]).toEqual([[3], []]);
    await allDue();
    await worker.runOnce();
    expect(await attempts('799')).toEqual([]);
    expect(aside).toHaveLength(1);
  });

  it('can be put, taken and finished during a transaction of the site', async () => {
    await stores.rechecks.put([{ user: '1', contact: '2', version: '3' }], 1);
    await allDue();
    const site = await pool.getConnection();
    await site.beginTransaction();
    await site.query("INSERT INTO recency_outbox (type, user_id) VALUES ('recency.user.deleted', 7)");
    const rows = await stores.rechecks.take(10, 60_000);
    expect(rows).toHaveLength(1);
    await stores.rechecks.put([{ user: '1', contact: '2', version: '3' }], 2);
    await site.query("INSERT INTO recency_outbox (type, user_id) VALUES ('recency.user.deleted', 8)");
    await stores.rechecks.finish(rows);
    await site.commit();
    site.release();
    await stores.primary.write('DELETE FROM recency_outbox', []);
  });
});

describe('the re-checks of a few users', () => {
  it('are found among very many, on either side, without parsing the users for each row', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => ({ user: String(10_000 + i), contact: '9', version: '1' }));
    for (let copy = 0; copy < 5; copy++) await stores.rechecks.put(many, 1);
    await stores.rechecks.put([{ user: '1', contact: '3', version: '2' }], 1);
    await stores.rechecks.put([{ user: '4', contact: '2', version: '2' }], 1);
    await stores.rechecks.put([{ user: '1', contact: '2', version: '2' }], 1);
    const users = ['1', '2', ...Array.from({ length: 300 }, (_, i) => String(5_000 + i))];
    const read = vi.spyOn(stores.primary, 'rows');
    const rows = await readRechecksOf(stores.primary, CONTACTS, users);
    const [statement, parameters] = read.mock.calls[0] as Parameters<typeof stores.primary.rows>;
    read.mockRestore();
    const pairs = rows.map(({ user, contact }) => `${user} ${contact}`);
    expect(pairs.sort()).toEqual(['1 2', '1 3', '4 2']);
    // The users become a table once, which the rows are joined to by key (MariaDB, MySQL 8) or by hash (MySQL 9).
    const plan = (await stores.primary.rows(`EXPLAIN ${statement}`, parameters)).flat().join('\n');
    expect(plan.match(/key0|hash join \(asked\.id = o\.\w+\)/g)?.length, plan).toBeGreaterThanOrEqual(2);
    await stores.primary.write('DELETE FROM recency_outbox', []);
  });
});

/** The waiting re-checks of this user's pairs. */
async function attempts(user: Id): Promise<number[]> {
  const rows = await stores.primary.rows(
    'SELECT attempt FROM recency_outbox WHERE is_recheck = TRUE AND user_id = ? ORDER BY id',
    [user],
  );
  return rows.map(([attempt]) => Number(attempt));
}

/** Lets every delay and lease expire. */
async function allDue(): Promise<void> {
  await stores.primary.write('UPDATE recency_outbox SET due_at = 1 WHERE is_recheck = TRUE', []);
}
