import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { EVERYBODY } from '../../src/index/drain-barrier.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { nextFencingToken } from '../../src/mysql/leases.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { deletePublished, readClock, readOutboxLag } from '../../src/mysql/outbox.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { Leases, leaseScripts } from '../../src/redis/lease.ts';
import { OutboxJanitor } from '../../src/relay/janitor.ts';
import { SamplerReports } from '../../src/repair/sampler/report.ts';
import { deletePhoto, uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addContact, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { startConsuming } from '../support/consuming.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { expectExact } from '../support/exact.ts';
import { type ClockedServer, startClockedMysql, startClockedRedis } from '../support/fake-clock.ts';
import { freshDatabase, freshName } from '../support/servers.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshRedis, type Stores, storesOn } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { freshTasks } from '../transport/outgoing-task.ts';
import { logger } from '../transport/place.ts';
import { useConsumers } from '../transport/use-consumers.ts';

const LIMITS = { max: 6, min: 3 };
const USERS = Array.from({ length: 10 }, (_, i) => String(1 + i));
const CONTACTS = Array.from({ length: 15 }, (_, i) => String(101 + i));
/** Work that waits for a few seconds must not wait for the hour by which a clock was set back: longer than any limit here. */
const HOUR_MS = 3_600_000;

let redisServer: ClockedServer;
let mysqlServer: ClockedServer;
beforeAll(async () => {
  [redisServer, mysqlServer] = await Promise.all([startClockedRedis(), startClockedMysql()]);
  return () => Promise.all([redisServer.server.remove(), mysqlServer.server.remove()]);
});

beforeEach(() => {
  redisServer.setClock(0);
  mysqlServer.setClock(0);
});

async function freshClockedStores(): Promise<Stores> {
  const url = await freshDatabase(mysqlServer.server.url);
  await migrate({ url });
  const primary = new ContactsDatabase(url, { connections: 5, queue: 1_000, deadlineMs: 60_000 });
  const redis = await freshRedis(redisServer.server.url);
  return storesOn({ url, prefix: freshName(), primary, redis }, LIMITS);
}

const BACK_AND_FORTH = [
  ['back', -HOUR_MS],
  ['forth', HOUR_MS],
] as const;

describe("fault 33: Redis's clock jumps by an hour", () => {
  const openQueue = async () => new DelayQueue(await freshRedis(redisServer.server.url), freshName());

  it.each(BACK_AND_FORTH)('%s: work delayed before is soon due', async (_which, offset) => {
    const queue = await openQueue();
    await queue.put(['early', 'late'], 200);
    redisServer.setClock(offset);
    await queue.put(['late', 'new'], 200); // an item that waits keeps its time
    const seen = new Set<string>();
    await until(async () => {
      for (const item of (await queue.take(10, 60_000)).items) seen.add(item);
      return seen.size === 3;
    });
  });

  it.each(BACK_AND_FORTH)('%s: work leased by a killed process soon comes back', async (_which, offset) => {
    const queue = await openQueue();
    await queue.put(['held'], 0);
    const { items, leaseEnd } = await queue.take(10, 1_000);
    expect(items).toEqual(['held']);
    redisServer.setClock(offset);
    const again = await until(async () => {
      const taken = await queue.take(10, 1_000);
      return taken.items.length > 0 && taken;
    });
    // Its first holder may still be alive: it cannot end the lease of the second.
    await queue.finish({ items, leaseEnd });
    expect(await queue.size()).toBe(1);
    await queue.finish(again);
    expect(await queue.size()).toBe(0);
  });

  it.each(BACK_AND_FORTH)('%s: the lease of a killed holder is soon taken over', async (_which, offset) => {
    const redis = await freshRedis(redisServer.server.url);
    const key = `${freshName()}:lease:{job}`;
    const scripts = leaseScripts(redis);
    expect(await scripts.acquire({ key, holder: 'killed', ttlMs: 2_000 })).toBe(true);
    redisServer.setClock(offset);
    await until(() => scripts.acquire({ key, holder: 'standby', ttlMs: 2_000 }));
    expect(await scripts.renew({ key, holder: 'killed', ttlMs: 2_000 })).toBe(false);
  });

  it('back: a live holder keeps its lease', async () => {
    const redis = await freshRedis(redisServer.server.url);
    const options = { prefix: freshName(), ttlMs: 5_000, retryMs: 20, now: () => performance.now() };
    let tokens = 0;
    const nextToken = async () => String(++tokens);
    const leases = new Leases(redis, {
      ...options,
      nextToken,
      freshHolder: () => randomBytes(9).toString('base64url'),
    });
    const begun = Promise.withResolvers<void>();
    const enough = Promise.withResolvers<void>();
    let isLost = false;
    const holding = leases.hold('job', async ({ lost }) => {
      begun.resolve();
      await enough.promise;
      isLost = lost.aborted;
    });
    await begun.promise;
    redisServer.setClock(-HOUR_MS);
    let isTaken = false;
    const standing = leases.hold('job', async () => {
      isTaken = true;
    });
    const end = performance.now() + 1.2 * options.ttlMs;
    await until(() => performance.now() > end);
    expect(isTaken).toBe(false);
    enough.resolve();
    await Promise.all([holding, standing]);
    expect({ isLost, isTaken }).toEqual({ isLost: false, isTaken: true });
  });

  it.each(BACK_AND_FORTH)('%s: the report of a sampler that has ended expires', async (_which, offset) => {
    const reports = new SamplerReports(await freshRedis(redisServer.server.url), freshName(), 1_000);
    const counts = { checked: 1, wrong: 0, visible: 0, unsettled: 0 };
    await reports.write({ rate: 1, windows: { '10s': counts, '1m': counts, '5m': counts }, wrong_users: [] });
    redisServer.setClock(offset);
    await until(async () => (await reports.read()) === undefined);
  });

  const { at, run: consume, other } = useConsumers();

  it.each(BACK_AND_FORTH)(
    '%s: another consumer of a stream gets the entries of a killed one',
    async (_which, offset) => {
      const opened = await at({ kind: 'streams', url: redisServer.server.url, stream: freshName() });
      const holdMs = 1_000;
      const tasks = freshTasks(20);
      await opened.publisher.publish(tasks);
      const killed = other(opened.place, 'hang', { holdMs });
      await until(() => killed.all('received').length > 0);
      await killed.kill();
      redisServer.setClock(offset);
      const one = consume(opened, undefined, { holdMs });
      await until(() => one.handled.size === tasks.length);
    },
  );
});

describe("fault 33: Redis's and MySQL's clocks jump by an hour", () => {
  it('under load: no order changes, nothing waits, no index is wrong', async () => {
    const stores = await freshClockedStores();
    const pool = freshSitePool(stores.url);
    await writeSite(pool, everybodyKnows(USERS, CONTACTS));
    await run(rebuild(USERS), stores.steps);
    const consuming = await startConsuming(stores, { pageSize: 4, url: redisServer.server.url });
    const any = <T>(of: readonly T[]) => of[Math.floor(Math.random() * of.length)] as T;
    const offsets = [-HOUR_MS, 0, HOUR_MS];
    const photos: Id[] = [];
    for (let action = 0; action < 200; action++) {
      if (action % 10 === 0) any([redisServer, mysqlServer]).setClock(any(offsets));
      if (action % 7 === 0) await stores.delayed.askForRebuild(any(USERS));
      photos.push(await uploadPhoto(pool, any(CONTACTS), 0, Date.now()));
      if (action % 3 === 0) await deletePhoto(pool, any(photos)).catch(() => undefined);
      if (action % 2 === 0) await removeContact(pool, any(USERS), any(CONTACTS));
      else await addContact(pool, any(USERS), any(CONTACTS), { friend: false, family: false });
    }
    const barrier = await consuming.raiseBarrier([EVERYBODY]);
    await until(() => barrier.passed());
    for (const user of USERS) await expectExact(stores, LIMITS, user, 'whatever the clocks said');
    await consuming.stop();
  });
});

describe("fault 33: MySQL's clock jumps by an hour", () => {
  it.each(BACK_AND_FORTH)(
    '%s: rows waiting in the outbox are published, and their lag is reported',
    async (_which, offset) => {
      const stores = await freshClockedStores();
      const pool = freshSitePool(stores.url);
      await writeSite(pool, everybodyKnows(USERS, CONTACTS));
      const consuming = await startConsuming(stores, { relays: false, url: redisServer.server.url });
      await uploadPhoto(pool, '101', 0, 1_000);
      const before = await readClock(stores.primary);
      mysqlServer.setClock(offset);
      expect(Math.abs((await readClock(stores.primary)) - before - offset)).toBeLessThan(30_000);
      const waiting = await readOutboxLag(stores.primary);
      expect(waiting.rows).toBe(1);
      expect(waiting.oldestMs).toBeGreaterThanOrEqual(0);
      await consuming.relayOnce();
      expect(await readOutboxLag(stores.primary)).toEqual({ rows: 0, oldestMs: 0, ahead: 0 });
      // Rows are kept for a day, an hour more or less: they are not removed at once, nor kept forever.
      const kept = async (keepMs: number) =>
        deletePublished(stores.primary, (await readClock(stores.primary)) - keepMs, 10);
      mysqlServer.setClock(0);
      expect(await kept(2 * HOUR_MS)).toBe(0);
      mysqlServer.setClock(3 * HOUR_MS + offset);
      expect(await kept(2 * HOUR_MS)).toBe(1);
      await consuming.stop();
    },
  );

  it.each(BACK_AND_FORTH)(
    '%s: a re-check is soon due, and comes back when nobody finishes it',
    async (_which, offset) => {
      const { rechecks } = await freshClockedStores();
      await rechecks.put([{ user: '1', contact: '2', version: '3' }], 5);
      mysqlServer.setClock(offset);
      const take = () => until(async () => (await rechecks.take(10, 1_000)).length === 1);
      await take();
      mysqlServer.setClock(0);
      await take();
      mysqlServer.setClock(offset);
      await take();
    },
  );

  it('back: a row that a relay has put back is soon published', async () => {
    const { primary } = await freshClockedStores();
    const due = (await readClock(primary)) + 20_000;
    await primary.write(
      `INSERT INTO recency_outbox (type, user_id, due_at, attempt) VALUES ('recency.user.deleted', 1, ${due}, 6)`,
      [],
    );
    mysqlServer.setClock(-HOUR_MS);
    await new OutboxJanitor({ database: primary, keepMs: HOUR_MS, logger }).runOnce();
    const [row] = await primary.rows('SELECT due_at FROM recency_outbox', []);
    expect(Number(row?.[0])).toBeLessThanOrEqual(await readClock(primary));
  });

  it.each(BACK_AND_FORTH)('%s: fencing tokens grow', async (_which, offset) => {
    const { primary } = await freshClockedStores();
    const first = await nextFencingToken(primary, 'job', Date.now());
    mysqlServer.setClock(offset);
    expect(BigInt(await nextFencingToken(primary, 'job', Date.now()))).toBeGreaterThan(BigInt(first));
  });
});
