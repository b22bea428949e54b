import { beforeEach, describe, expect, it } from 'vitest';
import { INDEX_CLASSES } from '../../src/contracts/drift.ts';
import type { Id } from '../../src/contracts/id.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import { IndexCheck } from '../../src/repair/index-check.ts';
import { Deadline, DeadlineExceeded } from '../../src/timing/deadline.ts';
import { startNewEpoch } from '../../src/tools/reference-site/last-uploads.ts';
import { inTransaction } from '../../src/tools/reference-site/transaction.ts';
import { PLANTS, spoil } from '../support/plant-drift.ts';
import { freshSite, LIMITS } from '../support/repair-site.ts';

const site = await freshSite({ users: 3 });
const { index, primary } = site.stores;
const user = site.users[1] as Id;
const check = new IndexCheck({ index, primary, limits: LIMITS, now: () => performance.now() });

beforeEach(site.rebuildAll);

describe('an index side by side with MySQL', () => {
  it.each(INDEX_CLASSES)('differs as verify says, by the class %s', async (drift) => {
    await spoil(site.stores, user, PLANTS[drift]);
    const [verified] = await check.lookCloser([user]);
    const found = await check.sideBySide(user);
    expect(found.mismatches).toEqual(verified?.mismatches);
    expect(found.mismatches.map((mismatch) => mismatch.class)).toContain(drift);
    expect(found.clientVisible).toBe(verified?.clientVisible);
    await site.stores.redis.del(new KeyNames(site.stores.prefix).set(user)); // one of the wrong type blocks a rebuild
  });

  it('has what MySQL says also of a user without an index, and of one with an index of another epoch', async () => {
    const { tops } = await readTopContacts(primary, [user], LIMITS.max + 1);
    await index.drop([user]);
    const cold = await check.sideBySide(user);
    expect(cold).toMatchObject({ reading: { state: 'cold' }, epochCurrent: undefined, mismatches: [] });
    expect(cold.truth.slice(0, LIMITS.max + 1)).toEqual(tops[0]);
    await site.rebuildAll();
    await spoil(site.stores, user, PLANTS.score);
    await inTransaction(site.pool, (connection) => startNewEpoch(connection, 'a test'));
    expect(await check.sideBySide(user)).toMatchObject({ epochCurrent: false, mismatches: [] });
  });

  it('takes no longer than it may', async () => {
    await expect(check.sideBySide(user, new Deadline(0))).rejects.toThrow(DeadlineExceeded);
  });
});
