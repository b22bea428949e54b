import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { explanationView } from '../../src/api/routes/explain.ts';
import { explainer } from '../../src/app/api-queries.ts';
import { CONTACTS, GROUPS, type Kind } from '../../src/contracts/kind.ts';
import { drainBarrierOf } from '../../src/index/index-drain-barrier.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { indexedUsers, KeyNames } from '../../src/index/redis/keys.ts';
import { inspectIndex } from '../../src/query/inspect-index.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { PageCheck } from '../../src/repair/page-check.ts';
import type { RunRequest } from '../../src/repair/run-parameters.ts';
import { Windows } from '../../src/repair/sampler/windows.ts';
import type { VerifyRequest } from '../../src/repair/verify.ts';
import { createGroup, joinGroup } from '../../src/tools/reference-site/groups.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addToPool } from '../../src/tools/reference-site/pools.ts';
import { addContact } from '../../src/tools/reference-site/relationships.ts';
import { createUsers } from '../../src/tools/reference-site/users.ts';
import { passedAtOnce } from '../support/barriers.ts';
import { createBackfill, createRepair, Sampler, Verify } from '../support/jobs-of-contacts.ts';
import { freshFence } from '../support/repair-site.ts';
import { freshSitePool } from '../support/small-site.ts';
import { createStoreViews, STORES } from '../support/store-kind.ts';
import { freshStores, type KindTestStores, kindStoresOn, NO_LAG, type Stores } from '../support/stores.ts';

vi.mock('../../src/contracts/kind.ts', async (original) => {
  const real = await original<typeof import('../../src/contracts/kind.ts')>();
  const third = await import('../support/store-kind.ts');
  const KINDS = [...real.KINDS, third.STORES];
  return { ...real, KINDS, KIND_NAMES: KINDS.map(({ name }) => name) };
});

const LIMITS = { max: 4, min: 2 };
const USERS = ['1', '2', '3', '4', '5'];
const THINGS = 6;
const IN_USE: readonly Kind[] = [CONTACTS, GROUPS];
const now = () => performance.now();
const CLOCKS = { now, clock: Date.now, random: Math.random };

let stores: Stores;
let byKind: ReadonlyMap<Kind, KindTestStores>;

beforeAll(async () => {
  stores = await freshStores({ kinds: IN_USE, ...LIMITS });
  const others = [GROUPS, STORES].map((kind) => [kind, kindStoresOn(stores, kind, LIMITS)] as const);
  byKind = new Map<Kind, KindTestStores>([[CONTACTS, stores], ...others]);
  const pool = freshSitePool(stores.url);
  await createStoreViews(pool);
  const uploaders = Array.from({ length: THINGS }, (_, i) => String(101 + i));
  await createUsers(pool, [...USERS, ...uploaders]);
  for (const [i, uploader] of uploaders.entries()) {
    const photo = await uploadPhoto(pool, uploader, 0, 1_000 + i);
    const group = await createGroup(pool);
    await addToPool(pool, group, photo, 2_000 + i);
    await pool.query('INSERT INTO shop VALUES (?, ?)', [i + 1, 3_000 + i]);
    for (const user of USERS) {
      await addContact(pool, user, uploader);
      await joinGroup(pool, user, group);
      await pool.query('INSERT INTO liked VALUES (?, ?, TRUE, 1)', [user, i + 1]);
    }
  }
  await stores.primary.write('DELETE FROM recency_outbox', []);
});

afterAll(() => vi.doUnmock('../../src/contracts/kind.ts'));

beforeEach(async () => {
  for (const of of byKind.values()) {
    await of.index.drop(USERS);
    await run(rebuild(USERS, true), of.steps);
  }
});

const storesOf = (kind: Kind) => byKind.get(kind) as KindTestStores;

/** As app/jobs.ts binds a job's parts to the kinds in use. */
function partsOf(kind: Kind) {
  const { index, primary, steps, rechecks, delayed } = storesOf(kind);
  const raiseBarrier = drainBarrierOf({ primary, rechecks, delayed }, passedAtOnce);
  const check = new PageCheck({
    index,
    primary,
    limits: LIMITS,
    raiseBarrier,
    graceMs: 0,
    settleMs: 2_000,
    ...CLOCKS,
  });
  return {
    kind,
    primary,
    index,
    raiseBarrier,
    steps,
    check,
    indexedUsers: () => indexedUsers(stores.redis, stores.prefix, kind),
  };
}

async function verified(request: VerifyRequest = {}, inUse = IN_USE) {
  const job = new Verify({ primary: stores.primary, ...CLOCKS, pageSize: 2, kinds: inUse.map(partsOf) }, request);
  await runToEnd(job);
  return job.result;
}

async function recordsOf(inUse: readonly Kind[]) {
  const fence = await freshFence(stores);
  return { primary: stores.primary, fence, rowsRead: () => 0, ...CLOCKS, pageSize: 2, kinds: inUse.map(partsOf) };
}

async function repaired(request: RunRequest = {}, inUse = IN_USE) {
  const job = createRepair(await recordsOf(inUse), request);
  await runToEnd(job);
  return job.result;
}

async function states(kind: Kind): Promise<readonly string[]> {
  const readings = await Promise.all(USERS.map((user) => storesOf(kind).index.read(user, 0, false)));
  return readings.map(({ state }) => state);
}

/** Gives the user's best entry another score. */
async function spoil(kind: Kind, user: string): Promise<void> {
  const key = new KeyNames(stores.prefix, kind).set(user);
  const [best = ''] = await stores.redis.zrevrange(key, 0, 0);
  await stores.redis.zincrby(key, 7, best);
}

const WARM = USERS.map(() => 'warm');
const COLD = USERS.map(() => 'cold');

describe('a backfill over contacts and groups', () => {
  beforeEach(async () => {
    for (const kind of IN_USE) await storesOf(kind).index.drop(USERS);
  });

  it('builds the indexes of both, and says how many of each', async () => {
    const job = createBackfill(await recordsOf(IN_USE), {});
    await runToEnd(job);
    expect(job.result).toMatchObject({ users: 10, rebuilt: 10, failed: 0 });
    expect(job.result.kinds).toMatchObject({ contacts: { users: 5, rebuilt: 5 }, groups: { users: 5, rebuilt: 5 } });
    expect([await states(CONTACTS), await states(GROUPS)]).toEqual([WARM, WARM]);
    expect(job.progress()).toMatchObject({ done: 10, total: 10 });
  });

  it('that was killed goes on in the kind where it was', async () => {
    const killed = createBackfill(await recordsOf(IN_USE), {});
    await killed.start();
    while (killed.report.before.users < 7) await killed.runOnce(); // contacts, and the first page of groups
    expect(killed.progress().total).toBe(10);
    await storesOf(CONTACTS).index.drop(USERS);
    const resumed = createBackfill(await recordsOf(IN_USE), { resume: killed.id });
    await runToEnd(resumed);
    expect(resumed.result).toMatchObject({ users: 10, rebuilt: 10 });
    expect(resumed.result.kinds).toMatchObject({ contacts: { users: 5 }, groups: { users: 5 } });
    expect([await states(CONTACTS), await states(GROUPS)]).toEqual([COLD, WARM]); // those of contacts were done before
  });

  it('of one kind leaves the other alone, and is resumed as such', async () => {
    const killed = createBackfill(await recordsOf(IN_USE), { kinds: ['groups'] });
    await killed.start();
    await killed.runOnce();
    const resumed = createBackfill(await recordsOf(IN_USE), { resume: killed.id });
    await runToEnd(resumed);
    expect([await states(CONTACTS), await states(GROUPS)]).toEqual([COLD, WARM]);
    await expect(createBackfill(await recordsOf([CONTACTS]), { kinds: ['groups'] }).start()).rejects.toThrow(
      'kind: groups is not in use; RECENCY_KINDS names contacts',
    );
  });

  it('a run from before there were kinds goes on about contacts alone, and prints what it did then', async () => {
    const old = createBackfill(await recordsOf([CONTACTS]), {});
    await old.start();
    await old.runOnce();
    const [row] = await stores.primary.rows('SELECT parameters, counts FROM recency_runs WHERE id = ?', [old.id]);
    expect(`${row?.[0]} ${row?.[1]}`).not.toMatch(/kinds|"at"/);
    const resumed = createBackfill(await recordsOf(IN_USE), { resume: old.id });
    await runToEnd(resumed);
    expect(resumed.result).toMatchObject({ users: 5, rebuilt: 5 });
    expect(resumed.result).not.toHaveProperty('kinds');
    expect(await states(GROUPS)).toEqual(COLD);
  });
});

describe('drift in the indexes of groups', () => {
  it('is found by verify, told apart from that of contacts, and fixed by repair', async () => {
    expect(await verified()).toMatchObject({ users: 10, warm: 10, wrong: 0, answers_wrong: 0, truth: { wrong: 0 } });
    await spoil(GROUPS, '3');
    const found = await verified();
    expect(found).toMatchObject({ wrong: 1, classes: { score: 1 }, wrong_users: [{ user: '3', kind: 'groups' }] });
    expect(found.kinds).toMatchObject({ contacts: { users: 5, wrong: 0 }, groups: { users: 5, wrong: 1 } });
    const ofContacts = await verified({ kinds: ['contacts'] });
    expect(ofContacts).toMatchObject({ users: 5, wrong: 0 });
    expect(ofContacts).not.toHaveProperty('kinds');
    expect(await verified({ user: '3', kinds: ['groups'] })).toMatchObject({
      users: 1,
      wrong: 1,
      kinds: { groups: {} },
    });

    expect(await repaired({ dryRun: true })).toMatchObject({ wrong: 1, repaired: 0 });
    const fixed = await repaired();
    expect(fixed).toMatchObject({ users: 10, wrong: 1, repaired: 1, still_wrong: 0, answers_wrong: 0 });
    expect(fixed.kinds).toMatchObject({ contacts: { repaired: 0 }, groups: { repaired: 1 } });
    expect(await verified()).toMatchObject({ wrong: 0, answers_wrong: 0 });
  });

  it('is found by the sampler', async () => {
    await spoil(GROUPS, '2');
    const windows = new Windows(now);
    const lines: object[] = [];
    const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const common = { primary: stores.primary, limits: LIMITS, settleMs: 2_000, graceMs: 0, pollMs: 10, ...CLOCKS };
    const sampler = new Sampler({
      ...{ ...common, rate: USERS.length, windows, logger, kinds: IN_USE.map(partsOf) },
      reports: { write: async () => undefined },
    });
    for (let round = 0; round < 8; round++) await sampler.runOnce();
    await sampler.idle();
    expect(windows.within('5m')).toMatchObject({ wrong: expect.toSatisfy((wrong: number) => wrong > 0), unsettled: 0 });
    expect(lines).toEqual([expect.objectContaining({ user: '2', kind: 'groups', classes: ['score'] })]);
  });

  it('is not confirmed while a task of the same group waits, but whatever waits about contacts', async () => {
    const key = new KeyNames(stores.prefix, GROUPS).set('1');
    const [group = ''] = await stores.redis.zrevrange(key, 0, 0);
    const put = (type: string, user: string, other: string) =>
      stores.primary.write(
        'INSERT INTO recency_outbox (type, user_id, other_id, attempt, due_at) VALUES (?, ?, ?, 1, 1)',
        [type, user, other],
      );
    await spoil(GROUPS, '1');
    await put('recency.photo.uploaded', '101', '9');
    await put('recency.contact.changed', '1', '101');
    expect(await verified()).toMatchObject({ wrong: 1, unsettled: 0 });
    await put('recency.group.changed', '1', group);
    expect(await verified()).toMatchObject({ wrong: 0, unsettled: 1 });
    await stores.primary.write('DELETE FROM recency_outbox', []);
  });
});

describe('inspect and explain', () => {
  it.each([CONTACTS, GROUPS, STORES])('speak of the indexes of $name', async (kind) => {
    const { index, primary, steps } = storesOf(kind);
    const explained = explainer({ index, primary, reading: primary, limits: LIMITS, lag: NO_LAG });
    const { members } = await inspectIndex({ index, database: primary.server, steps }, '1');
    expect(members).toHaveLength(LIMITS.max);
    const inside = explanationView(await explained('1', members[0]?.id ?? ''));
    expect(inside).toMatchObject({ in_index: true, in_answer: true, drift: null, mysql: { related: true, place: 1 } });
    const outside = explanationView(await explained('1', '999'));
    expect(outside).toMatchObject({ in_index: false, in_answer: false, drift: null, mysql: null });
    expect(outside).toMatchObject({
      [kind.singular]: '999',
      verdict: { sentence: `The user does not have this ${kind.singular}: MySQL has no row for the pair.` },
      answer: { verdict: { sentence: expect.stringContaining(`does not show the ${kind.singular}: `) } },
    });
  });
});

describe('a third kind, by its declaration and views alone', () => {
  it('is built, verified and repaired', async () => {
    const all = [...IN_USE, STORES];
    await storesOf(STORES).index.drop(USERS);
    const job = createBackfill(await recordsOf(all), { kinds: [STORES.name] });
    await runToEnd(job);
    expect(job.result).toMatchObject({ users: 5, rebuilt: 5, kinds: { stores: { rebuilt: 5 } } });
    expect(await states(STORES)).toEqual(WARM);
    await spoil(STORES, '4');
    await stores.redis.zrem(new KeyNames(stores.prefix, STORES).set('5'), '6');
    expect(await verified({}, all)).toMatchObject({
      ...{ users: 15, wrong: 2, truth: { wrong: 0 } },
      ...{ kinds: { contacts: { wrong: 0 }, groups: { wrong: 0 }, stores: { wrong: 2 } } },
    });
    expect(await repaired({}, all)).toMatchObject({ repaired: 2, still_wrong: 0, kinds: { stores: { repaired: 2 } } });
    expect(await verified({ kinds: [STORES.name] }, all)).toMatchObject({ users: 5, wrong: 0, answers_wrong: 0 });
  });
});
