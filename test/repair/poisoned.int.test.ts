import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { Windows } from '../../src/repair/sampler/windows.ts';
import { removeContact } from '../../src/tools/reference-site/relationships.ts';
import { expectExact } from '../support/exact.ts';
import { createRepair, Sampler, Verify } from '../support/jobs-of-contacts.ts';
import { PLANTS, spoil } from '../support/plant-drift.ts';
import { freshFence, freshSite, LIMITS, type RepairSite } from '../support/repair-site.ts';
import { logger } from '../transport/place.ts';

/** No row ever has this version: its transaction was rolled back. */
const NEVER = '999999';

/** Its next attempt is 30 s away, longer than any wait in these tests. */
const LATE_ATTEMPT = 8;

let site: RepairSite;
beforeAll(async () => {
  site = await freshSite({ users: 12, settleMs: 1_500 });
});

const [waits, another, open] = [2, 5, 7].map((i) => () => site.users[i] as Id) as [() => Id, () => Id, () => Id];

/** The contact at a place of the user's index. The classes of drift used here concern the best one, at 0, or a stranger. */
async function contactOf(user: Id, place: number): Promise<Id> {
  const reading = await site.stores.index.read(user, 0, false);
  if (reading.state !== 'warm') throw new Error(`user ${user} is ${reading.state}`);
  return reading.head.at(place)?.id as Id;
}

const waitForNothing = (user: Id, contact: Id) =>
  site.stores.steps.recheck([{ user, contact, version: NEVER }], LATE_ATTEMPT);

async function verify() {
  const job = new Verify(site.repair, {});
  await runToEnd(job);
  return job.result;
}

async function repair() {
  const job = createRepair({ ...site.repair, fence: await freshFence(site.stores) }, {});
  await runToEnd(job);
  return job.result;
}

describe('a delayed task with a version that no row ever reaches', () => {
  beforeEach(async () => {
    await run(rebuild(site.users), site.stores.steps);
    await waitForNothing(waits(), await contactOf(waits(), 1));
  });

  it('hides no drift of another user', async () => {
    await spoil(site.stores, another(), PLANTS.score);
    expect(await verify()).toMatchObject({ wrong: 1, unsettled: 0, classes: { score: 1 } });
    expect(await repair()).toMatchObject({ wrong: 1, unsettled: 0, repaired: 1, still_wrong: 0 });
    await expectExact(site.stores, LIMITS, another(), 'after repair');
  });

  it('hides no drift of the same user about another contact', async () => {
    await spoil(site.stores, waits(), PLANTS.score);
    expect(await verify()).toMatchObject({ wrong: 1, unsettled: 0, classes: { score: 1 } });
    expect(await repair()).toMatchObject({ wrong: 1, unsettled: 0, repaired: 1, still_wrong: 0 });
    await expectExact(site.stores, LIMITS, waits(), 'after repair');
  });

  it('leaves unsettled what it may explain itself, and repair rebuilds that as well', async () => {
    const user = open();
    const contact = await contactOf(user, 0);
    await waitForNothing(user, contact);
    await removeContact(site.pool, user, contact); // seen by nobody yet
    await site.pool.query('UPDATE recency_outbox SET published_at = 2 WHERE type = "recency.contact.removed"');
    await spoil(site.stores, waits(), PLANTS.score);
    expect(await verify()).toMatchObject({ wrong: 1, unsettled: 1 });
    expect(await repair()).toMatchObject({ wrong: 1, unsettled: 1, repaired: 2, still_wrong: 0, still_unsettled: 0 });
    await expectExact(site.stores, LIMITS, user, 'after repair');
    expect(await verify()).toMatchObject({ wrong: 0, unsettled: 0 });
  });

  it('does not hide confirmed drift of a user with another unsettled mismatch', async () => {
    const user = open();
    await waitForNothing(user, await contactOf(user, 0));
    await spoil(site.stores, user, PLANTS.missing); // the best contact: left open
    await spoil(site.stores, user, PLANTS.ghost);
    expect(await verify()).toMatchObject({ wrong: 1, unsettled: 0, classes: { ghost: 1, missing: 0 } });
    expect(await repair()).toMatchObject({ wrong: 1, repaired: 1, still_wrong: 0 });
    await expectExact(site.stores, LIMITS, user, 'after repair');
  });

  it('does not blind the sampler', async () => {
    await spoil(site.stores, another(), PLANTS.score);
    const { stores, raiseBarrier } = site;
    const windows = new Windows(() => performance.now());
    const sampler = new Sampler({
      ...{ index: stores.index, primary: stores.primary, limits: LIMITS, raiseBarrier, windows, logger },
      ...{ rate: site.users.length, random: Math.random, settleMs: 1_500, graceMs: 0 },
      reports: { write: async () => undefined },
      now: () => performance.now(),
      clock: Date.now,
    });
    for (let round = 0; round < 4; round++) {
      await sampler.runOnce();
      await sampler.idle();
    }
    expect(windows.within('5m')).toMatchObject({ wrong: expect.toSatisfy((wrong: number) => wrong > 0), unsettled: 0 });
  });
});
