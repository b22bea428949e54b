import { expect, it } from 'vitest';
import { DRIFT_CLASSES } from '../../src/contracts/drift.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { findRun, type Run } from '../../src/mysql/runs.ts';
import { runToEnd } from '../../src/repair/job.ts';
import type { RepairResult } from '../../src/repair/repair.ts';
import { expectExact } from '../support/exact.ts';
import { createRepair } from '../support/jobs-of-contacts.ts';
import { shortOrLong } from '../support/length.ts';
import { plantEach, REPAIRABLE } from '../support/plant-drift.ts';
import { freshFence, freshSite, LIMITS, type RepairSite } from '../support/repair-site.ts';

const USERS = shortOrLong(600, 1_000);
const OF_EACH = USERS / 10;

async function repair({ repair, stores }: RepairSite): Promise<RepairResult> {
  const job = createRepair({ ...repair, fence: await freshFence(stores) }, {});
  await runToEnd(job);
  return job.result;
}

it(`repair of ${USERS} users finds each class wherever it was planted, repairs it, and touches nobody else`, async () => {
  const site = await freshSite({ users: USERS });
  const { stores, users } = site;
  await run(rebuild(users), stores.steps);
  const planted = await plantEach(stores, users, OF_EACH);
  const untouched = users.filter((user) => !planted.has(user));
  expect(untouched).toHaveLength(USERS - OF_EACH * REPAIRABLE.length);
  const before = await stores.index.nonces(untouched);

  const result = await repair(site);
  const none = Object.fromEntries(DRIFT_CLASSES.map((drift) => [drift, 0]));
  expect(result).toMatchObject({
    ...{ users: USERS + 1, wrong: planted.size, unsettled: 0, dry_run: false }, // and one who grants some something
    ...{ repaired: planted.size, still_wrong: 0, answers_wrong: 0 },
    classes: { ...none, ...Object.fromEntries(REPAIRABLE.map((drift) => [drift, OF_EACH])) },
    // A client notices a missing contact, and a list that claims to be complete and ends too early.
    visible: 2 * OF_EACH,
    visible_classes: { ...none, missing: OF_EACH, hole: OF_EACH },
  });
  expect(result.answers_checked).toBeGreaterThan(planted.size);
  expect(await stores.index.nonces(untouched)).toEqual(before);
  await Promise.all(
    users.map((user) => expectExact(stores, LIMITS, user, `after repair: ${planted.get(user) ?? 'nothing'}`)),
  );

  const row = (await findRun(stores.primary, result.run)) as Run;
  expect(row).toMatchObject({ kind: 'repair', state: 'done' });
  expect(row.counts).toMatchObject({
    before: { wrong: planted.size, classes: { ghost: OF_EACH } },
    after: { repaired: planted.size, still_wrong: 0 },
  });
  const { cost } = row.counts as { cost: { rows_read: number; seconds: number } };
  expect(cost.rows_read).toBeGreaterThan(USERS * 12);
  expect(cost.seconds).toBeGreaterThan(0);
  expect(await repair(site)).toMatchObject({ wrong: 0, repaired: 0, still_wrong: 0 });
});
