import { pino } from 'pino';
import { Registry } from 'prom-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { driftCounter } from '../../src/app/consumer-metrics.ts';
import { whileLeading } from '../../src/app/run-process.ts';
import { DRIFT_CLASSES, INDEX_CLASSES } from '../../src/contracts/drift.ts';
import type { Id } from '../../src/contracts/id.ts';
import type { RaiseBarrier } from '../../src/index/drain-barrier.ts';
import { run } from '../../src/index/protocol.ts';
import { refresh } from '../../src/index/refresh.ts';
import { trustedReads } from '../../src/index/trusted-reads.ts';
import { readMasters } from '../../src/redis/masters.ts';
import { UserDraw } from '../../src/repair/find-users.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { SamplerReports } from '../../src/repair/sampler/report.ts';
import { Windows } from '../../src/repair/sampler/windows.ts';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { neverPassed } from '../support/barriers.ts';
import { Sampler, Verify } from '../support/jobs-of-contacts.ts';
import { leasesOn } from '../support/leases.ts';
import { PLANTS, spoil } from '../support/plant-drift.ts';
import { freshSite, LIMITS, userId } from '../support/repair-site.ts';
import { freshPrefix } from '../support/servers.ts';
import { freshRedis, freshStores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const USERS = 12;
const RATE = 4;
/** Half of the draws come in turn, so everybody is drawn within these rounds. */
const ROUNDS = USERS / (RATE / 2);

const site = await freshSite({ users: USERS });
const { everybody } = site;
const replicationIds = (await readMasters(site.stores.redis)).map(({ replicationId }) => replicationId);
beforeEach(site.rebuildAll);

interface Wanted {
  readonly raiseBarrier?: RaiseBarrier;
  readonly settleMs?: number;
  /** False: Redis counts as unavailable. */
  readonly isTrusted?: () => boolean;
}

function sampler({ raiseBarrier = site.raiseBarrier, settleMs = 5_000, isTrusted = () => true }: Wanted = {}) {
  const { primary, redis } = site.stores;
  const index = trustedReads(site.stores.index, {
    known: () => {
      const epoch = isTrusted() ? primary.epochs.latest : undefined;
      return epoch === undefined ? undefined : { connection: 0, replicationIds, epoch, ownership: undefined };
    },
    distrust: () => undefined,
  });
  const now = () => performance.now();
  const windows = new Windows(now);
  const reports = new SamplerReports(redis, freshPrefix());
  const lines: Record<string, unknown>[] = [];
  const registry = new Registry();
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const opened = new Sampler({
    ...{ index, primary, limits: LIMITS, raiseBarrier, settleMs, graceMs: 0, pollMs: 10, now, clock: Date.now },
    ...{ rate: RATE, random: Math.random, windows, reports, logger },
    onDrift: driftCounter(registry),
  });
  const rounds = async (count: number) => {
    for (let i = 0; i < count; i++) await opened.runOnce();
    await opened.idle();
    return windows.within('5m');
  };
  /** Users counted as wrong, by class. */
  const drift = async () => {
    const values = (await registry.getSingleMetric('recency_sampled_drift_total')?.get())?.values ?? [];
    return Object.fromEntries(values.map(({ labels, value }) => [labels.class, value]));
  };
  return { sampler: opened, windows, reports, rounds, lines, drift };
}

/** Samples until the returned function is called. */
function started(opened: Sampler): () => Promise<void> {
  const ending = new AbortController();
  const running = opened.run(ending.signal);
  return async () => {
    ending.abort();
    await running;
  };
}

async function verified(): Promise<Verify['result']> {
  const verify = new Verify(site.repair, {});
  await runToEnd(verify);
  return verify.result;
}

describe('the sampler', () => {
  it('counts nobody as wrong if nobody is', async () => {
    const { rounds } = sampler();
    const { checked, ...rest } = await rounds(ROUNDS);
    expect(rest).toEqual({ wrong: 0, visible: 0, unsettled: 0 });
    expect(checked).toBe(ROUNDS * RATE);
  });

  it.each(INDEX_CLASSES)(
    'finds drift of the class %s, says what verify says of it, and changes nothing',
    async (drift) => {
      const victim = everybody[5] as Id;
      await spoil(site.stores, victim, PLANTS[drift]);
      const before = await verified();
      const { rounds, lines, drift: counted } = sampler();
      const { wrong, visible, unsettled } = await rounds(ROUNDS + 1);
      expect(wrong).toBeGreaterThan(0);
      expect(unsettled).toBe(0);
      expect(visible).toBe(before.visible > 0 ? wrong : 0);
      expect(lines).toEqual([expect.objectContaining({ user: victim, classes: [drift], visible: before.visible > 0 })]);
      const none = Object.fromEntries([...DRIFT_CLASSES, 'answers'].map((name) => [name, 0]));
      expect(await counted()).toEqual({ ...none, [drift]: wrong });
      expect((await verified()).wrong_users).toEqual(before.wrong_users);
      await spoil(site.stores, victim, async ({ redis, z }) => void (await redis.del(z)));
    },
  );

  it('counts only users who have an index', async () => {
    const { rounds } = sampler();
    await site.stores.index.drop(everybody.slice(1));
    expect(await rounds(ROUNDS)).toMatchObject({ checked: expect.toSatisfy((n: number) => n >= 1 && n <= ROUNDS) });
    await site.stores.index.drop(everybody);
    const empty = sampler();
    expect(await empty.rounds(2)).toMatchObject({ checked: 0, unsettled: 0 });
  });
});

describe('a pending change', () => {
  /** A contact of every user. */
  const uploader = userId(USERS + 12);

  /** The row stays in the outbox until the test publishes it. */
  async function upload(): Promise<void> {
    await uploadPhoto(site.pool, uploader, 0, 90_000 + Math.floor(performance.now()));
  }

  async function process(): Promise<void> {
    const pairs = site.users.map((user) => ({ user, contact: uploader }));
    await run(refresh(pairs), site.stores.steps);
    await site.stores.primary.write('UPDATE recency_outbox SET published_at = 1', []);
  }

  it('is not counted as wrong, and counts as right once it is applied', async () => {
    await upload();
    await site.stores.index.drop([userId(USERS + 1)]); // who has other contacts
    const { sampler: opened, windows } = sampler({ settleMs: 60_000 });
    for (let round = 0; round < ROUNDS; round++) await opened.runOnce();
    expect(windows.within('5m')).toEqual({ checked: 0, wrong: 0, visible: 0, unsettled: 0 });
    await process();
    await opened.idle();
    const { checked, ...rest } = windows.within('5m');
    expect(rest).toEqual({ wrong: 0, visible: 0, unsettled: 0 });
    expect(checked).toBeGreaterThanOrEqual(USERS);
  });

  it('that takes too long counts as neither', async () => {
    await upload();
    const { rounds } = sampler({ settleMs: 50 });
    const { wrong, unsettled } = await rounds(ROUNDS);
    expect(wrong).toBe(0);
    expect(unsettled).toBeGreaterThan(0);
    await process();
  });

  it('does not stop the sampler from checking others or from ending', async () => {
    await spoil(site.stores, everybody[2] as Id, PLANTS.ghost);
    const { sampler: opened, windows, rounds } = sampler({ raiseBarrier: neverPassed, settleMs: 60_000 });
    const stop = started(opened);
    await until(() => windows.within('5m').checked > 2 * RATE);
    await stop();
    expect(windows.within('5m')).toMatchObject({ wrong: 0, visible: 0 });
    await rounds(0);
  });
});

describe('the report', () => {
  it("is missing before anyone samples, and then has the windows' counts and wrong users", async () => {
    const { sampler: opened, windows, reports } = sampler();
    expect(await reports.read()).toBeUndefined();
    const victim = everybody[4] as Id;
    await spoil(site.stores, victim, PLANTS.score);
    const stop = started(opened);
    const found = await until(async () => {
      const read = await reports.read();
      return read && read.report.wrong_users.length > 0 && read;
    });
    await stop();
    expect(found.ageMs).toBeGreaterThanOrEqual(0);
    expect(found.ageMs).toBeLessThan(15_000);
    expect(found.report).toMatchObject({ rate: RATE, wrong_users: [{ user: victim, classes: ['score'] }] });
    expect(found.report.windows['5m'].wrong).toBeGreaterThan(0);
    expect(found.report.windows['5m'].checked).toBeLessThanOrEqual(windows.within('5m').checked);
  });
});

describe('while Redis is unavailable', () => {
  it('nothing is counted, one line is logged, and sampling resumes by itself', async () => {
    let tries = 0;
    let isAway = true;
    const isTrusted = () => {
      tries++;
      return !isAway;
    };
    const { sampler: opened, windows, lines } = sampler({ isTrusted });
    const stop = started(opened);
    await until(() => tries > 2);
    expect(windows.within('5m').checked).toBe(0);
    isAway = false;
    await until(() => windows.within('5m').checked > 0 && lines.length > 1);
    await stop();
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('cannot be sampled'), 'sampling again']);
  });
});

describe('consumers', () => {
  /** Like a separate process, with its own connection. */
  async function standBy(name: string, held: string[]) {
    const redis = await freshRedis();
    const leases = leasesOn({ ...site.stores, redis }, { ttlMs: 6_000, retryMs: 20 });
    const { sampler: opened, windows } = sampler();
    const ending = new AbortController();
    const work = async (signal: AbortSignal) => {
      held.push(`${name} samples`);
      await opened.run(signal);
      held.push(`${name} ends`);
    };
    const leading = whileLeading(leases, { name: 'sampler', work, logger: pino({ level: 'silent' }) }, ending.signal);
    const end = async () => {
      ending.abort();
      await leading;
    };
    return { redis, windows, end };
  }

  it('sample one at a time; one that loses the lease stops, and another continues', async () => {
    const held: string[] = [];
    const first = await standBy('first', held);
    await until(() => first.windows.within('5m').checked > 0);
    const others = [await standBy('second', held), await standBy('third', held)];
    expect(held).toEqual(['first samples']);
    first.redis.disconnect();
    await until(() => held.includes('first ends') && others.some(({ windows }) => windows.within('5m').checked > 0));
    await Promise.all([first, ...others].map(({ end }) => end()));
    // One that has lost the lease ends soon, and the next one may begin a moment earlier.
    const times = (what: string) => held.filter((said) => said.endsWith(what)).length;
    expect(times('samples')).toBe(times('ends'));
  });
});

describe('a draw', () => {
  it('reaches everybody in a bounded time, whatever the gaps between ids', async () => {
    const stores = await freshStores();
    const pool = openSitePool(stores.url, 1);
    const drawable = ['1', '2', '3', '5000', '5001', '9223372036854775807', '18446744073709551614'];
    const users = [...drawable, '4'].map((id) => ({ id }));
    await loadGraph(pool, { users, contacts: drawable.map((user) => ({ user, contact: '4' })), photos: [] });
    await pool.end();
    for (const random of [Math.random, () => 0, () => 0.999_999]) {
      const draw = new UserDraw(stores.primary, random);
      const drawn = new Set<Id>();
      for (let i = 0; i < drawable.length; i++) for (const user of await draw.next(3)) drawn.add(user);
      expect([...drawn].sort()).toEqual([...drawable].sort());
      expect((await draw.next(3)).length).toBeGreaterThan(0);
    }
  });

  it('is empty if there are no users', async () => {
    const { primary } = await freshStores();
    expect(await new UserDraw(primary, Math.random).next(3)).toEqual([]);
  });
});
