import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { NotReady } from '../../src/api/readiness.ts';
import { storeChecks } from '../../src/app/checks.ts';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import { CONTACTS as CONTACTS_KIND } from '../../src/contracts/kind.ts';
import { bumpEpoch } from '../../src/index/epoch.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { trustedReads } from '../../src/index/trusted-reads.ts';
import { readEpoch, readProvenEpoch } from '../../src/mysql/epoch.ts';
import { RefreshNow } from '../../src/query/refresh-now.ts';
import { fieldOf, RedisNotOnRecord } from '../../src/redis/masters.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { closeAtEnd, redisUrl } from '../support/servers.ts';
import { leadTo, type SiteProcess, startProcess } from '../support/site-process.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshRedis, freshStores, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 4, min: 2 };
const USER = '1';
const CONTACT = '18';

const other = await startRedis();
closeAtEnd(() => other[Symbol.asyncDispose]());

let site: Stores;
let here: SiteProcess;

/** A process whose address leads to the Redis of all tests. */
async function start(): Promise<SiteProcess> {
  const resources = new AsyncDisposableStack();
  onTestFinished(() => resources.disposeAsync());
  return await startProcess(site, LIMITS, resources);
}

/** Another process, whose address leads to the other Redis: it comes on record. */
async function startElsewhere(): Promise<SiteProcess> {
  const elsewhere = await start();
  await leadTo(elsewhere, other.url);
  await until(() => elsewhere.watch.isTrusted());
  return elsewhere;
}

const token = async () => (await readEpoch(site.primary)).token;

const isRefused = ({ watch }: SiteProcess) =>
  watch.during(async () => undefined).catch((error: unknown) => error instanceof RedisNotOnRecord);

beforeEach(async () => {
  site = await freshStores(LIMITS);
  await writeSite(freshSitePool(site.url), everybodyKnows([USER], ['16', '17', CONTACT]));
  here = await start();
});

describe('where another process comes to another Redis', () => {
  it('no index of the new epoch is used before this process has compared its own in that epoch', async () => {
    const reads = trustedReads(here.index, here.watch);
    await run(rebuild([USER]), here.steps);
    expect(await reads.read(USER, 0, false)).toMatchObject({ state: 'warm', epoch: await token() });
    await startElsewhere();
    here.primary.halt();
    await run(rebuild([USER]), here.steps);
    expect(await here.index.read(USER, 0, false)).toMatchObject({ epoch: await token() });
    const unknown = { state: 'warm', epoch: `?${await token()}` };
    expect(await reads.read(USER, 0, false)).toMatchObject(unknown);
    expect(await reads.readMany([USER], 0, false)).toMatchObject([unknown]);
    here.primary.release();
    await until(() => !here.watch.isTrusted()); // a row of the new epoch was sign enough
    await expect(reads.read(USER, 0, false)).rejects.toThrow(RedisUnavailable);
    await expect(reads.readMany([USER], 0, false)).rejects.toThrow(RedisUnavailable);
  });

  it('nothing counts that this one writes to its own', async () => {
    const elsewhere = await startElsewhere();
    const before = await token();
    for (const written of ['once', 'again']) {
      await expect(here.watch.during(async () => written)).rejects.toThrow(RedisUnavailable);
    }
    await until(() => isRefused(here)); // or its client is just connecting again
    expect(await elsewhere.watch.during(async () => 'written')).toBe('written');
    expect(await token()).toBe(before);
  });

  it('readiness says so', async () => {
    await startElsewhere();
    await here.watch.during(async () => undefined).catch(() => undefined);
    const { redis } = storeChecks(here);
    const said = () => redis().catch((error: unknown) => error instanceof NotReady && error.message);
    expect(await until(said)).toMatch(
      /^Several Redis masters are in use: 127\.0\.0\.1:\d+ \w+ was replaced as the one on record/,
    );
  });

  it('this one connects again until its address leads to the same', async () => {
    await startElsewhere();
    const before = await token();
    await here.watch.during(async () => undefined).catch(() => undefined);
    expect(here.watch.isTrusted()).toBe(false);
    here.proxy.leadTo(other.url, { keepOld: true });
    await until(() => here.watch.isTrusted());
    expect(here.watch.known()?.epoch).toBe(before);
  });
});

describe('what is written to Redis', () => {
  it('does not count if the connection led elsewhere in between, whether or not that was noticed', async () => {
    const runId = String(fieldOf(await (await freshRedis(other.url)).info('server'), 'run_id'));
    const [rows, transaction] = [vi.spyOn(here.primary, 'rows'), vi.spyOn(here.primary, 'transaction')];
    const toOtherAndBack = async () => {
      here.primary.halt();
      const info = vi.spyOn(here.redis, 'info');
      await leadTo(here, other.url);
      await until(() => info.mock.settledResults.some(({ value }) => String(value).includes(runId)));
      await leadTo(here, redisUrl());
      here.primary.release();
    };
    await expect(here.watch.during(toOtherAndBack)).rejects.toThrow(/Redis or MySQL was another server/);
    for (const _turn of [1, 2, 3]) await Promise.allSettled(rows.mock.results.map(({ value }) => value));
    expect(transaction, 'the other one is gone before it is compared, and not put on record').not.toHaveBeenCalled();
    expect(await here.watch.during(async () => 'written')).toBe('written');
  });

  it('costs no statement where the work has asked MySQL', async () => {
    const rows = vi.spyOn(here.primary, 'rows');
    const isFree = async () => {
      rows.mockClear();
      await here.watch.during(() => here.steps.pairs([{ user: USER, contact: CONTACT }]));
      return rows.mock.calls.every(([sql]) => !sql.startsWith('SELECT e.token'));
    };
    await until(isFree); // a comparison, as at each new connection, may come between
  });

  it('counts if an epoch begins for another reason, which a row of it is sign enough of', async () => {
    for (let i = 0; i < 3; i++) {
      const after = await here.watch.during(() => bumpEpoch(site.primary, 'a test'));
      await readProvenEpoch(here.primary);
      await until(() => here.watch.known()?.epoch === after);
    }
  });

  it('does not count while Redis is not there to be compared', async () => {
    here.proxy.leadTo('redis://127.0.0.1:1');
    await until(() => !here.watch.isTrusted());
    await expect(here.watch.during(async () => 'written')).rejects.toThrow(RedisUnavailable);
  });
});

describe('on a Redis that is not on record', () => {
  const PAIR = { user: USER, contact: CONTACT };

  it('delayed work is not finished', async () => {
    await here.rechecks.put([{ ...PAIR, version: '9' }], 1);
    await startElsewhere();
    const makeDue = () => site.primary.write('UPDATE recency_outbox SET due_at = 0 WHERE is_recheck = TRUE', []);
    await makeDue();
    const worker = new DelayedWorker({ ...here, logger: pino({ level: 'silent' }) });
    await expect(worker.runOnce()).rejects.toThrow(RedisUnavailable);
    await makeDue();
    expect(await here.rechecks.take(10, 1_000)).toContainEqual(expect.objectContaining({ ...PAIR, attempt: 1 }));
  });

  it('no change is applied while its sender waits', async () => {
    await startElsewhere();
    const { steps, watch } = here;
    const refreshNow = new RefreshNow({ kinds: [{ kind: CONTACTS_KIND, steps }], watch, now: () => performance.now() });
    const change = { kind: 'contact', user: USER, id: CONTACT } as const;
    await expect(refreshNow.refresh([change], 'both')).rejects.toThrow(RedisUnavailable);
  });
});
