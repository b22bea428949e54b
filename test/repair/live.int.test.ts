import { expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { runToEnd } from '../../src/repair/job.ts';
import { act } from '../support/busy-site.ts';
import { startConsuming } from '../support/consuming.ts';
import { createRepair, Verify } from '../support/jobs-of-contacts.ts';
import { PLANTS, spoil } from '../support/plant-drift.ts';
import { freshFence, freshSite } from '../support/repair-site.ts';
import { until } from '../support/until.ts';

const USERS = 30;
const LOAD_MS = 4_000;

it('repair of a site under load counts no pending change as drift, and finds planted drift', async () => {
  const site = await freshSite({ users: USERS, settleMs: 60_000, uploads: 'photos' });
  await run(rebuild(site.users), site.stores.steps);
  const { raiseBarrier } = await startConsuming(site.stores, { pageSize: 7 });
  const check = site.checkWith(raiseBarrier);
  const repair = async () => {
    const job = createRepair({ ...site.repair, check, pageSize: 10, fence: await freshFence(site.stores) }, {});
    await runToEnd(job);
    return job.result;
  };

  const end = performance.now() + LOAD_MS;
  let [actions, looked] = [0, 0];
  const load = {
    isOver: () => performance.now() > end && actions > 100 && looked > USERS,
    onAction: () => void actions++,
  };
  const acting = Promise.all([act(site, load), act(site, load), act(site, load)]);
  while (!load.isOver()) {
    const { wrong, still_wrong, answers_wrong, users } = await repair();
    expect({ wrong, still_wrong, answers_wrong }).toEqual({ wrong: 0, still_wrong: 0, answers_wrong: 0 });
    looked += users;
  }
  await acting;

  const verify = new Verify({ ...site.repair, check }, {});
  await runToEnd(verify);
  expect(verify.result).toMatchObject({ wrong: 0, unsettled: 0, answers_wrong: 0, answers_unsettled: 0 });
  expect(verify.result.columns.wrong).toBe(0);
  // A task that is delivered late, once more, may repair the index first.
  await until(async () => {
    await spoil(site.stores, site.users[3] as Id, PLANTS.score);
    const { wrong, repaired, still_wrong } = await repair();
    expect({ repaired, still_wrong }).toEqual({ repaired: wrong, still_wrong: 0 });
    return wrong === 1;
  });
});
