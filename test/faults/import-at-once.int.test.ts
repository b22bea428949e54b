import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { startConsuming } from '../support/consuming.ts';
import { expectExact } from '../support/exact.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const USER = '1';
const CONTACTS = 20_000;

/** The greatest allowed: with one entry more than max + 1, even for an instant, Redis leaves the compact encoding forever. */
const LIMITS = { max: 127, min: 60 };

it('fault 39: 20,000 contacts of one user at once: the set never exceeds max + 1, its encoding stays compact', async () => {
  const stores = await freshStores(LIMITS);
  const pool = freshSitePool(stores.url);
  const contacts = Array.from({ length: CONTACTS }, (_, i) => String(2 + i));
  const site = everybodyKnows([USER], contacts);
  await writeSite(pool, { ...site, ties: site.ties.slice(0, 100) });
  await run(rebuild([USER]), stores.steps);
  const key = new KeyNames(stores.prefix).set(USER);
  expect(await stores.redis.zcard(key)).toBe(100);

  const connection = await pool.getConnection();
  await connection.beginTransaction();
  await connection.query(
    `INSERT INTO contacts (user_id, contact_id, version) SELECT ${USER}, id, 1 FROM users WHERE id > 101`,
  );
  await connection.query(
    `INSERT INTO recency_outbox (type, user_id, other_id, version)
     SELECT 'recency.contact.added', user_id, contact_id, version FROM contacts WHERE contact_id > 101`,
  );
  await connection.commit();
  connection.release();
  const consuming = await startConsuming(stores);
  let isOver = false;
  const greatestSize = async () => {
    let most = 0;
    for (; !isOver; await sleep(5)) most = Math.max(most, await stores.redis.zcard(key));
    return most;
  };
  const most = greatestSize();
  await until(async () => {
    const [row] = await stores.primary.rows('SELECT 1 FROM recency_outbox WHERE published_at IS NULL LIMIT 1', []);
    return row === undefined && (await consuming.lag()) === 0;
  }).finally(() => {
    isOver = true;
  });
  expect(await most).toBeLessThanOrEqual(LIMITS.max + 1);
  // Redis never returns to the compact encoding, so it was never left.
  expect(await stores.redis.object('ENCODING', key)).toBe('listpack');
  await expectExact(stores, LIMITS, USER, 'after the import');
  expect(await consuming.transport.deadLetters.list({ limit: 1 })).toEqual([]);
  await consuming.stop();
});
