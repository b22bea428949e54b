import { fc } from '@fast-check/vitest';
import { beforeAll, describe, expect, it } from 'vitest';
import { GROUPS } from '../../src/contracts/kind.ts';
import { WaitingPlans } from '../../src/index/redis/waiting-plans.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { cases } from '../support/cases.ts';
import { freshPrefix } from '../support/servers.ts';
import { freshRedis } from '../support/stores.ts';

let redis: RedisClient;
let names = 0;

beforeAll(async () => {
  redis = await freshRedis();
});

function fresh(prefix = freshPrefix()) {
  return new WaitingPlans(redis, { prefix, freshName: () => `p${++names}` });
}

describe('the note of a plan', () => {
  it('says that it waits from its publication until it is taken', async () => {
    const plans = fresh();
    const plan = String(await plans.beginPlan('E1', '7'));
    expect(await plans.beginPlan('E1', '7'), 'not published yet').not.toBe(undefined);
    const last = String(await plans.beginPlan('E1', '7'));
    await plans.planPublished('E1', '7', plan);
    expect(await plans.beginPlan('E1', '7'), 'another has begun since').not.toBe(undefined);
    const next = String(await plans.beginPlan('E1', '7'));
    await plans.planPublished('E1', '7', next);
    expect(await plans.beginPlan('E1', '7')).toBe(undefined);
    await plans.takePlan('7', last);
    expect(await plans.beginPlan('E1', '7'), 'another plan was taken').toBe(undefined);
    await plans.takePlan('7', next);
    await plans.planPublished('E1', '7', next); // its publisher was slow
    expect(await plans.beginPlan('E1', '7')).not.toBe(undefined);
  });

  it('is of one owner, one kind and one epoch', async () => {
    const prefix = freshPrefix();
    const plans = fresh(prefix);
    await plans.planPublished('E1', '7', String(await plans.beginPlan('E1', '7')));
    expect(await plans.beginPlan('E1', '7')).toBe(undefined);
    expect(await plans.beginPlan('E1', '8')).not.toBe(undefined);
    const ofGroups = new WaitingPlans(redis, { prefix, kind: GROUPS, freshName: () => 'g' });
    expect(await ofGroups.beginPlan('E1', '7')).toBe('g');
    expect(await plans.beginPlan('E2', '7')).not.toBe(undefined);
  });

  it('goes by itself, some day', async () => {
    const prefix = freshPrefix();
    const plans = fresh(prefix);
    await plans.planPublished('E1', '7', String(await plans.beginPlan('E1', '7')));
    const [key = ''] = await redis.keys(`${prefix}:*`);
    expect(await redis.pttl(key)).toBeGreaterThan(3_600_000);
  });

  it('behaves like its model, in every order of beginning, publishing and taking', async () => {
    const move = fc.record({
      does: fc.constantFrom('begin', 'published', 'take'),
      epoch: fc.constantFrom('E1', 'E2'),
      which: fc.nat(5),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 30 }), async (moves) => {
        const plans = fresh();
        const begun: { plan: string; epoch: string }[] = [];
        let note: { plan: string; epoch: string; isPublished: boolean } | undefined;
        for (const { does, epoch, which } of moves) {
          if (does === 'begin') {
            const waits = note?.epoch === epoch && note.isPublished;
            const plan = await plans.beginPlan(epoch, '7');
            expect(plan === undefined).toBe(waits);
            if (plan === undefined) continue;
            begun.push({ plan, epoch });
            note = { plan, epoch, isPublished: false };
            continue;
          }
          const one = begun.at(-1 - which);
          if (one === undefined) continue;
          if (does === 'published') {
            await plans.planPublished(one.epoch, '7', one.plan);
            if (note?.plan === one.plan) note = { ...note, isPublished: true };
          } else {
            await plans.takePlan('7', one.plan);
            if (note?.plan === one.plan) note = undefined;
          }
        }
      }),
      { numRuns: cases(100) },
    );
  });
});
