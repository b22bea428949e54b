import { expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import type { RaiseBarrier } from '../../src/index/drain-barrier.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import { addContact, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { passedAtOnce } from '../support/barriers.ts';
import { PLANTS, spoil } from '../support/plant-drift.ts';
import { freshSite } from '../support/repair-site.ts';

/** A user with an index, and a contact whose removal or addition is pending. */
async function freshFlicker(onItsWay: 'removal' | 'addition') {
  const site = await freshSite({ users: 1 });
  const { steps, index } = site.stores;
  const [user] = site.users as [Id];
  await run(rebuild([user]), steps);
  const reading = await index.read(user, 2, false);
  const contact = (reading.state === 'warm' && reading.head[1]?.id) as Id;
  const applied = () => run(refresh([{ user, contact }]), steps);
  const change = {
    removal: () => removeContact(site.pool, user, contact),
    addition: () => addContact(site.pool, user, contact),
  };
  const back = change[onItsWay === 'removal' ? 'addition' : 'removal'];
  if (onItsWay === 'addition') await back().then(applied);
  await change[onItsWay]();

  /** Pending work is processed before the next look, and the same change comes again the given number of times. */
  const processing = (times: number): RaiseBarrier => {
    let barriers = 0;
    return async (suspects) => {
      await applied();
      if (++barriers > times) return passedAtOnce(suspects);
      await back().then(applied);
      await change[onItsWay]();
      return passedAtOnce(suspects);
    };
  };
  return { stores: site.stores, user, checkAfter: (times: number) => site.checkWith(processing(times)) };
}

it('a contact who is removed, added and removed again is pending twice, and no drift', async () => {
  const { user, checkAfter } = await freshFlicker('removal');
  const { counts, drifted } = await checkAfter(2).indexes([user]);
  expect(drifted).toEqual([]);
  expect(counts).toMatchObject({ warm: 1, wrong: 0, unsettled: 0 });
});

it('an answer that lacks a twice-added contact twice is not wrong', async () => {
  const { user, checkAfter } = await freshFlicker('addition');
  const { counts } = await checkAfter(2).answers([user], true);
  expect(counts).toMatchObject({ answers_wrong: 0, answers_unsettled: 0 });
});

it('drift is confirmed in an index that is written between any two looks', async () => {
  const { stores, user, checkAfter } = await freshFlicker('removal');
  await spoil(stores, user, PLANTS.score);
  const { drifted, unsettled } = await checkAfter(3).indexes([user]);
  expect(drifted.map(({ mismatches }) => mismatches.map((mismatch) => mismatch.class))).toEqual([['score']]);
  expect(unsettled).toEqual([]);
});
