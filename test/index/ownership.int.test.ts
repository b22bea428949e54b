import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NotReady } from '../../src/api/readiness.ts';
import { storeChecks } from '../../src/app/checks.ts';
import { newestTasksKey, OutboxHistory } from '../../src/app/outbox-history.ts';
import { bumpEpoch, checkRedisMasters } from '../../src/index/epoch.ts';
import { EpochWatch } from '../../src/index/epoch-watch.ts';
import { claim, ownerKey, RedisBelongsToAnother } from '../../src/index/ownership.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { trustedReads } from '../../src/index/trusted-reads.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { serverOn, tokenOn } from '../../src/mysql/epoch-token.ts';
import { DatabaseNotPrimary } from '../../src/mysql/faults.ts';
import { proofOf } from '../../src/mysql/session.ts';
import { readMasters } from '../../src/redis/masters.ts';
import { TextRecord } from '../../src/redis/text-record.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { ownershipOf } from '../support/epoch-watch.ts';
import { OwnMysql } from '../support/own-mysql.ts';
import { canStartCluster, RedisCluster } from '../support/redis-cluster.ts';
import { closeAtEnd } from '../support/servers.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshRedis, freshStores, type Stores, storesOn } from '../support/stores.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 4, min: 2 };
const NEVER_MS = 3_600_000;
const USER = '1';

const logger = pino({ level: 'silent' });
const mysql = new OwnMysql();
const server = await startRedis();
closeAtEnd(() => server[Symbol.asyncDispose]());
const admin = await freshRedis(server.url);

interface TestProcess extends Stores {
  readonly watch: EpochWatch;
}

let site: Stores;
let here: TestProcess;

/** A process that has not compared anything yet. */
async function openProcess({ url = site.url, takesOver = true } = {}): Promise<TestProcess> {
  const primary = new ContactsDatabase(url, { connections: 3, queue: 100, deadlineMs: 20_000 });
  closeAtEnd(() => primary.close());
  const stores = storesOn({ url, prefix: site.prefix, primary, redis: await freshRedis(server.url) }, LIMITS);
  const ownership = ownershipOf(stores, takesOver);
  const watch = new EpochWatch({
    ...{ client: stores.redis, database: primary, logger, ownership, intervalMs: NEVER_MS },
  });
  onTestFinished(() => watch.stop());
  return { ...stores, watch };
}

async function startProcess(options?: Parameters<typeof openProcess>[0]): Promise<TestProcess> {
  const started = await openProcess(options);
  await started.watch.start();
  return started;
}

const token = async ({ primary }: Stores) => (await readEpoch(primary)).token;
const key = () => `${site.prefix}:owner`;
const counts = ({ watch }: TestProcess) => watch.during(async () => 'it counts');
const owner = async () => JSON.parse(String(await admin.get(key()))) as { id: string; epoch: string; seenAt: number };

/** As if the owner, unless it is this server, had been seen last at another time, when it does not count as present now. */
async function passTime(than: string | undefined, ms: number): Promise<void> {
  const found = await owner();
  if (serverOn(found.epoch) === than) return;
  await admin.set(key(), JSON.stringify({ ...found, seenAt: Date.now() - ms }));
}

beforeEach(async () => {
  await admin.flushall();
  site = await freshStores(LIMITS);
  await writeSite(freshSitePool(site.url), everybodyKnows([USER], ['16', '17', '18']));
  here = await startProcess();
  await run(rebuild([USER]), here.steps);
});

const readHere = () => trustedReads(here.index, here.watch).read(USER, 0, false);

describe('processes on a copy of MySQL', () => {
  it('are refused if they take nothing over; the original goes on', async () => {
    const before = await owner();
    const copy = await openProcess({ url: await mysql.copyOf(site.url), takesOver: false });
    await expect(copy.watch.start()).rejects.toThrow(RedisBelongsToAnother);
    await expect(counts(copy)).rejects.toThrow(RedisBelongsToAnother);
    expect((await owner()).id).toBe(before.id);
    expect(await counts(here)).toBe('it counts');
    expect(await readHere()).toMatchObject({ state: 'warm', epoch: await token(here) });
  });

  it('that consume take the indexes over: nothing counts that the original writes, and its indexes are not used', async () => {
    const copy = await startProcess({ url: await mysql.copyOf(site.url) });
    expect((await owner()).epoch, 'by which it would be refused').toBe(await token(copy));
    expect(await counts(copy)).toBe('it counts');
    await expect(counts(here)).rejects.toThrow(RedisUnavailable);
    await expect(readHere()).rejects.toThrow(RedisUnavailable);
    const said = await storeChecks(here)
      .redis()
      .catch((error: unknown) => error);
    expect(said).toBeInstanceOf(NotReady);
    expect(String(said)).toMatch(/belong to another MySQL server/);
  });

  it.each([
    ['were seen last 31 s ago', 31_000],
    ['had a clock that is an hour ahead', -3_600_000],
  ])(
    'in turns with those of the original: the ones that were replaced are refused until the others %s',
    async (_, ms) => {
      const before = await token(here);
      const copy = await startProcess({ url: await mysql.copyOf(site.url) });
      const again = await openProcess();
      await expect(again.watch.start()).rejects.toThrow(RedisBelongsToAnother);
      expect(await counts(copy)).toBe('it counts');
      await until(async () => {
        await passTime(serverOn(before), ms);
        return await counts(again).catch(() => false);
      });
      expect(await token(again)).not.toBe(before);
      await expect(counts(copy)).rejects.toThrow(RedisUnavailable);
      expect(serverOn((await owner()).epoch)).toBe(serverOn(before));
    },
  );

  it('give the indexes back at once where an epoch begins on the original, as at a switch back', async () => {
    await startProcess({ url: await mysql.copyOf(site.url) });
    await expect(counts(here)).rejects.toThrow(RedisUnavailable);
    await bumpEpoch(here.primary, 'a test');
    await until(() => counts(here).catch(() => false));
    expect(await readHere()).toMatchObject({ state: 'warm', epoch: expect.stringMatching(/^\?/) });
  });

  it('record nothing that was claimed for the original', async () => {
    const copy = await openProcess({ url: await mysql.copyOf(site.url), takesOver: false });
    await expect(copy.watch.start()).rejects.toThrow(RedisBelongsToAnother); // the copy is on its own record
    const ownership = await ownershipOf(here).claim();
    const masters = await readMasters(copy.redis);
    const recording = checkRedisMasters(copy.primary, masters, { roles: ['index'], ownership });
    await expect(recording).rejects.toThrow(DatabaseNotPrimary);
    expect(await counts(here)).toBe('it counts');
  });

  it('begin no epoch on the original, whatever its outbox has', async () => {
    const addTasks = (of: Stores) =>
      of.primary.write("INSERT INTO recency_outbox (type, user_id) VALUES ('recency.photo.uploaded', 17)", []);
    const alarms: string[] = [];
    const historyOf = ({ primary, redis }: Stores) =>
      new OutboxHistory({
        ...{ primary, kept: new TextRecord(redis, newestTasksKey(site.prefix)) },
        onNewEpoch: (why) => void alarms.push(why),
      });
    const copy = await openProcess({ url: await mysql.copyOf(site.url), takesOver: false });
    await expect(copy.watch.start()).rejects.toThrow(RedisBelongsToAnother); // the copy is on its own record
    const histories = [historyOf(here), historyOf(copy)];
    for (const more of [here, here, copy, copy, copy, here]) {
      await addTasks(more);
      for (const history of histories) await history.epoch();
    }
    expect(alarms).toEqual([]);
  });

  it('that answer in the middle of some work: it does not count', async () => {
    const { epochs } = here.primary;
    const there = tokenOn(proofOf('uuid:of-a-copy'), 'T1......');
    const thereAndBack = async () => {
      const own = await token(here);
      for (const seen of [there, own]) epochs.saw(seen, performance.now());
    };
    await expect(here.watch.during(thereAndBack)).rejects.toThrow(RedisUnavailable);
    const late = async () => epochs.saw(there, 0);
    await expect(here.watch.during(late)).rejects.toThrow(RedisUnavailable);
    expect(await counts(here)).toBe('it counts');
  });
});

describe('keys of Redis', () => {
  const exchange = () => admin.swapdb(0, 1);

  it('that are exchanged, and come back: an epoch begins each time, and old indexes are cold', async () => {
    const before = await token(here);
    await exchange();
    await expect(counts(here)).rejects.toThrow(RedisUnavailable);
    expect(await counts(here)).toBe('it counts');
    const between = await token(here);
    expect(between).not.toBe(before);
    await run(rebuild([USER]), here.steps);
    await exchange();
    const again = await startProcess(); // it knows nothing of the others
    expect(await token(again)).not.toBe(between);
    expect(await again.index.read(USER, 0, false)).toMatchObject({ state: 'warm', epoch: before });
  });

  it('that are exchanged in the middle of some work: it does not count', async () => {
    await expect(here.watch.during(exchange)).rejects.toThrow(RedisUnavailable);
    await expect(here.watch.during(exchange)).rejects.toThrow(RedisUnavailable);
    expect(await counts(here)).toBe('it counts');
  });

  it('that were all deleted are another ownership', async () => {
    const before = await token(here);
    await admin.flushall();
    await expect(counts(here)).rejects.toThrow(RedisUnavailable);
    expect(await counts(here)).toBe('it counts');
    expect(await token(here)).not.toBe(before);
  });

  it.each(['', 'no JSON', '{"id":3}', '[]'])('that say whose the indexes are as %o say nothing', async (text) => {
    const before = (await owner()).id;
    await admin.set(key(), text);
    await expect(counts(here)).rejects.toThrow(RedisUnavailable);
    expect(await counts(here)).toBe('it counts');
    expect((await owner()).id).not.toBe(before);
  });
});

describe('a claim', () => {
  it('by several processes at once is one', async () => {
    await admin.del(key());
    const ownership = ownershipOf(here);
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await ownership.claim()).id));
    expect(new Set(ids)).toEqual(new Set([(await owner()).id]));
  });

  it('that another process overtakes is made again: the owner is known by the epoch in force', async () => {
    const epoch = tokenOn(String(serverOn(await token(here))), 'T1......');
    let attempts = 0;
    const readEpoch = async () => {
      if (attempts++ === 0) await admin.set(key(), JSON.stringify({ ...(await owner()), seenAt: Date.now() + 1 }));
      return epoch;
    };
    const record = new TextRecord(here.redis, ownerKey(site.prefix));
    const claimed = await claim(record, { readEpoch, takesOver: false, freshId: () => 'fresh', now: Date.now });
    expect([claimed.epoch, (await owner()).epoch, attempts]).toEqual([epoch, epoch, 2]);
  });

  it('needs no memory', async () => {
    await admin.del(key());
    await admin.config('SET', 'maxmemory', '1');
    onTestFinished(async () => void (await admin.config('SET', 'maxmemory', '0')));
    expect((await ownershipOf(here).claim()).id).toBe((await owner()).id);
  });

  it('that only confirms succeeds where Redis takes no writes', async () => {
    const { id } = await owner();
    await admin.config('SET', 'min-replicas-to-write', '1');
    onTestFinished(async () => void (await admin.config('SET', 'min-replicas-to-write', '0')));
    expect((await ownershipOf(here).claim()).id).toBe(id);
  });

  it.runIf(canStartCluster())(
    'stays as it is while the master of a cluster that says so is away (programs: it needs redis-server on the path)',
    async () => {
      await using cluster = await RedisCluster.start();
      const stores = { ...here, redis: await freshRedis(cluster.urls, { commandTimeoutMs: 1_000 }) };
      const ownership = ownershipOf(stores);
      const claimed = await ownership.claim();
      await cluster.kill((await cluster.place(key())).node);
      expect(await ownership.claim()).toEqual(claimed);
      await expect(ownershipOf(stores).claim()).rejects.toThrow(RedisUnavailable);
    },
  );
});
