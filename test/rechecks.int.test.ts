import { createPool, type Pool, type PoolConnection } from 'mysql2/promise';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { DelayedWorker } from '../src/consumers/delayed-worker.ts';
import { TaskWorker } from '../src/consumers/task-worker.ts';
import { planWork } from '../src/consumers/work-plan.ts';
import type { Id } from '../src/contracts/id.ts';
import { bumpEpoch } from '../src/index/epoch.ts';
import { run } from '../src/index/protocol.ts';
import { rebuild } from '../src/index/rebuild.ts';
import { scanKeys } from '../src/redis/scan-keys.ts';
import { expectExact } from './support/exact.ts';
import { freshStores, type Stores } from './support/stores.ts';
import { until } from './support/until.ts';

/** A task that comes before its commit is acknowledged; what is left of it must survive everything but MySQL. */

const MAX = 4;
const MIN = 2;

let stores: Stores;
let pool: Pool;
beforeAll(async () => {
  stores = await freshStores({ max: MAX, min: MIN });
  pool = createPool({ uri: stores.url, connectionLimit: 4, supportBigNumbers: true, bigNumberStrings: true });
});
afterAll(() => pool.end());

/** User base + 1 has contact base + 2, and base + 3 is none yet; both have a photo. */
async function people(base: number): Promise<{ user: Id; contact: Id }> {
  const id = (i: number) => String(base + i);
  await pool.query(`INSERT INTO users (id, last_public_at) VALUES (${id(1)}, 0), (${id(2)}, 1000), (${id(3)}, 2000)`);
  await pool.query(
    `INSERT INTO contacts (user_id, contact_id, active, version) VALUES (${id(1)}, ${id(2)}, 1, 1), (${id(1)}, ${id(3)}, 0, 1)`,
  );
  await run(rebuild([id(1)]), stores.steps);
  return { user: id(1), contact: id(3) };
}

/** The change is made and not committed: `commit` ends it. */
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
  await worker.work(planWork([{ task, position: `early:${user}` }]), async () => undefined);
}

/** Redis lost everything; that was noticed, and a read built the index again. */
async function loseRedis(user: Id): Promise<void> {
  for await (const keys of scanKeys(stores.redis, `${stores.prefix}:*`))
    if (keys.length > 0) await stores.redis.del(...keys);
  await bumpEpoch(stores.primary, 'the test lost Redis');
  await run(rebuild([user]), stores.steps);
}

function delayedWorker(): DelayedWorker {
  return new DelayedWorker({ ...stores, logger: pino({ level: 'silent' }) });
}

describe('a task that came before its commit', () => {
  it('is looked at again though Redis was lost meanwhile', async () => {
    const { user, contact } = await people(100);
    const change = await changing(user, contact, 2);
    await handle(user, contact, '2');
    await loseRedis(user);
    await change.commit();
    const worker = delayedWorker();
    await until(
      async () => {
        await worker.runOnce();
        const reading = await stores.index.read(user, 0, false);
        return reading.state === 'warm' && reading.size === 2;
      },
      { timeout: 10_000 },
    );
    await expectExact(stores, { max: MAX, min: MIN }, user, 'after the loss');
  });
});
