import { fc } from '@fast-check/vitest';
import { beforeEach, describe, expect, it } from 'vitest';
import { DRIFT_CLASSES, type DriftClass, INDEX_CLASSES } from '../../src/contracts/drift.ts';
import type { Id } from '../../src/contracts/id.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import type { VerifyResult } from '../../src/repair/examples.ts';
import { IndexCheck } from '../../src/repair/index-check.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { InvalidJob } from '../../src/repair/run-parameters.ts';
import type { VerifyRequest } from '../../src/repair/verify.ts';
import { startNewEpoch } from '../../src/tools/reference-site/last-uploads.ts';
import { inTransaction } from '../../src/tools/reference-site/transaction.ts';
import { cases } from '../support/cases.ts';
import { setMeta } from '../support/index-meta.ts';
import { Verify } from '../support/jobs-of-contacts.ts';
import { PLANTS, spoil, TEARS, unreadableFloor } from '../support/plant-drift.ts';
import { freshSite, LIMITS, userId } from '../support/repair-site.ts';
import { recentContactsOn } from '../support/stores.ts';

const USERS = 40;
const STRANGERS = 40;

const site = await freshSite({ users: USERS });
const { everybody } = site;
// A key that blocks a rebuild is not the protocol's: the test itself removes it.
beforeEach(site.rebuildAll);

async function verify(request: VerifyRequest = {}): Promise<VerifyResult> {
  const job = new Verify({ ...site.repair, pageSize: 15 }, request);
  await runToEnd(job);
  return job.result;
}

const noClasses = Object.fromEntries(DRIFT_CLASSES.map((drift) => [drift, 0])) as Record<DriftClass, number>;

const someone = (i: number) => everybody[i] as Id;

const RIGHT = { wrong: 0, visible: 0, unsettled: 0, classes: noClasses, answers_wrong: 0, answers_unsettled: 0 };

describe('verify', () => {
  it('finds nothing wrong if nothing is, and reports what it checked', async () => {
    const result = await verify();
    expect(result).toMatchObject({ ...RIGHT, users: everybody.length, warm: everybody.length, cold: 0 });
    expect(result.answers_checked).toBeGreaterThan(2 * everybody.length);
    expect(result.columns).toEqual({ users: USERS + STRANGERS, wrong: 0 });
    expect(result).toMatchObject({ wrong_users: [], wrong_answers: [], wrong_columns: [] });
  });

  it('counts a user without an index, or with one of another epoch, as cold', async () => {
    await site.stores.index.drop(everybody.slice(0, 3));
    await site.stores.index.claim([someone(1)]);
    expect(await verify()).toMatchObject({ ...RIGHT, warm: everybody.length - 3, cold: 3 });

    await spoil(site.stores, someone(10), PLANTS.ghost);
    await spoil(site.stores, someone(11), PLANTS.torn);
    await inTransaction(site.pool, (connection) => startNewEpoch(connection, 'a test'));
    expect(await verify()).toMatchObject({ ...RIGHT, warm: 0, cold: everybody.length });
  });

  it.each(INDEX_CLASSES)('finds drift of the class %s, and changes nothing', async (drift) => {
    await spoil(site.stores, someone(7), PLANTS[drift]);
    const [before, after] = [
      await snapshot(),
      await verify().then(async (result) => ({ result, state: await snapshot() })),
    ];
    expect(after.state).toEqual(before);
    expect(after.result).toMatchObject({ users: everybody.length, wrong: 1, classes: { ...noClasses, [drift]: 1 } });
    expect(after.result.wrong_users.map((wrong) => wrong.user)).toEqual([someone(7)]);
    const broken = drift === 'torn' || drift === 'wrong_type';
    expect(after.result).toMatchObject({ warm: everybody.length - (broken ? 1 : 0), cold: 0 });
    await spoil(site.stores, someone(7), async ({ redis, z }) => void (await redis.del(z)));
  });

  it.each(Object.entries(TEARS))('calls an index torn when %s', async (_what, tear) => {
    await spoil(site.stores, someone(7), tear);
    expect(await verify()).toMatchObject({ wrong: 1, visible: 0, cold: 0, classes: { ...noClasses, torn: 1 } });
  });

  it('counts a floor that is not a number as drift of the floor, which no client sees', async () => {
    await spoil(site.stores, someone(7), unreadableFloor);
    const result = await verify();
    expect(result).toMatchObject({
      wrong: 1,
      visible: 0,
      cold: 0,
      classes: { ...noClasses, floor: 1 },
      answers_wrong: 0,
    });
  });

  it('counts a member that is not an id as a ghost', async () => {
    await spoil(site.stores, someone(7), async ({ redis, z, m }) => {
      await redis.zremrangebyrank(z, 0, 0);
      await redis.zadd(z, 9_000, 'nobody');
      const [lowest, score] = await redis.zrange(z, '0', '0', 'WITHSCORES');
      await setMeta(redis, m, { floor: { at: String(score), id: String(lowest) } });
    });
    const { wrong, classes, wrong_users } = await verify();
    expect({ wrong, classes }).toEqual({ wrong: 1, classes: { ...noClasses, ghost: 1 } });
    expect(wrong_users[0]?.mismatches.map((mismatch) => mismatch.contact)).toContain('nobody');
  });

  it('asks as a client does, and finds wrong answers', async () => {
    await spoil(site.stores, someone(7), PLANTS.missing);
    const result = await verify({ user: someone(7) });
    expect(result).toMatchObject({ users: 1, wrong: 1, visible: 1 });
    // 4 relations, limits 10, 1, min, max and 100, and the second page wherever the first is full.
    expect(result.answers_checked).toBeGreaterThan(20);
    expect(result.answers_wrong).toBeGreaterThan(0);
    const [wrong] = result.wrong_answers[0]?.wrong ?? [];
    expect(wrong?.expected[0]).not.toBe(wrong?.got[0]);
  });

  it('takes a sample of different users', async () => {
    await spoil(site.stores, someone(7), PLANTS.missing);
    const result = await verify({ sample: 10 });
    expect(result).toMatchObject({ users: 10, columns: { users: 10, wrong: 0 } });
    expect(await verify({ sample: everybody.length + 5 })).toMatchObject({ users: everybody.length, wrong: 1 });
  });

  it('finds nothing about an unknown user', async () => {
    expect(await verify({ user: '1' })).toMatchObject({ ...RIGHT, users: 1, warm: 0, cold: 1, columns: { users: 0 } });
  });

  it('refuses an invalid id', () => {
    expect(() => new Verify(site.repair, { user: '01' })).toThrow(InvalidJob);
  });

  it('compares the columns of the reference schema with the photos', async () => {
    const stranger = userId(USERS + 5);
    await site.pool.query('UPDATE users SET last_public_at = last_public_at + 1 WHERE id = ?', [stranger]);
    const result = await verify();
    expect(result.columns).toEqual({ users: USERS + STRANGERS, wrong: 1 });
    expect(result.wrong_columns).toEqual([stranger]);
    await site.pool.query('UPDATE users SET last_public_at = last_public_at - 1 WHERE id = ?', [stranger]);

    for (const [audience, column] of ['last_friends_at', 'last_family_at', 'last_friends_family_at'].entries()) {
      const insert = 'INSERT INTO photos (owner_id, audience, uploaded_at) VALUES (?, ?, 999999)';
      await site.pool.query(insert, [stranger, audience + 1]);
      expect((await verify({ user: stranger })).columns).toEqual({ users: 1, wrong: 1 });
      await site.pool.query(`UPDATE users SET ${column} = 999999 WHERE id = ?`, [stranger]);
      expect((await verify({ user: stranger })).columns).toEqual({ users: 1, wrong: 0 });
      await site.pool.query('DELETE FROM photos WHERE owner_id = ? AND audience = ?', [stranger, audience + 1]);
      await site.pool.query(`UPDATE users SET ${column} = 0 WHERE id = ?`, [stranger]);
    }
  });
});

/** Every key under the prefix, with its expiry. */
async function snapshot(): Promise<Record<string, unknown>> {
  const { redis, prefix } = site.stores;
  const keys = (await redis.keys(`${prefix}*`)).sort();
  return Object.fromEntries(
    await Promise.all(keys.map(async (key) => [key, [await redis.dumpBuffer(key), (await redis.pttl(key)) > 0]])),
  );
}

describe('what counts as visible', () => {
  /** Sets an index by hand: any members with any scores, any floor, and matching fields. */
  async function setIndex(
    user: Id,
    members: readonly (readonly [Id, number])[],
    floor: readonly [Id, number] | undefined,
  ) {
    await spoil(site.stores, user, async ({ redis, z, m }) => {
      await redis.del(z);
      for (const [id, at] of members) await redis.zadd(z, at, id);
      await setMeta(redis, m, { size: await redis.zcard(z), floor: floor && { id: floor[0], at: floor[1] } });
    });
  }

  it('is what a client of the API would see, whatever the index holds', async () => {
    const { index, primary } = site.stores;
    const check = new IndexCheck({ index, primary, limits: LIMITS, now: () => performance.now() });
    const recent = recentContactsOn({ index, primary }, LIMITS);
    const user = someone(3);
    const truth = (await readTopContacts(primary, [user], 100)).tops[0] ?? [];
    const clientSees = async () => {
      for (let limit = 1; limit <= LIMITS.max + 1; limit++) {
        const { contacts } = await recent.find({ user, relation: 'any', limit, below: undefined });
        const seen = contacts.map(({ id, at }) => `${id} ${at}`).join();
        if (
          seen !==
          truth
            .slice(0, limit)
            .map(({ id, at }) => `${id} ${at}`)
            .join()
        )
          return true;
      }
      return false;
    };
    const at = fc.oneof(fc.constantFrom(...truth.map((key) => key.at)), fc.integer({ min: 990, max: 6_000 }));
    const id = fc.constantFrom(...truth.map((key) => key.id), '5', userId(2));
    const right = fc.constantFrom(...truth.map(({ id, at }) => [id, at] as const));
    const member = fc.oneof({ arbitrary: right, weight: 4 }, { arbitrary: fc.tuple(id, at), weight: 1 });
    const any = fc.uniqueArray(member, { selector: ([id]) => id, maxLength: LIMITS.max + 2 });
    const newest = fc.nat(LIMITS.max).map((count) => truth.slice(0, count).map(({ id, at }) => [id, at] as const));
    const members = fc.oneof(any, newest);
    const seen = { true: 0, false: 0 };
    await fc.assert(
      fc.asyncProperty(members, fc.option(member, { nil: undefined }), async (drawn, floor) => {
        await setIndex(user, drawn, floor);
        const [finding] = await check.look([user]);
        const visible = await clientSees();
        seen[`${visible}`]++;
        expect(finding?.clientVisible).toBe(visible);
        if (visible) expect(finding?.mismatches).not.toEqual([]);
        await setIndex(
          user,
          truth.slice(0, 2).map(({ id, at }) => [id, at] as const),
          undefined,
        );
      }),
      { numRuns: cases(150) },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(0);
  });
});
