/** What somebody can do who may write to Redis, or send tasks: see SECURITY.md. */
import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending } from '../../src/contracts/key.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { refresh } from '../../src/index/refresh.ts';
import { cases } from '../support/cases.ts';
import { setMeta } from '../support/index-meta.ts';
import { IDS, site, time } from '../support/site-arbitrary.ts';
import { freshSitePool, rankedContacts, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 4, min: 2 };
const NUM_RUNS = 40;

let stores: Stores;
let pool: Pool;

beforeAll(async () => {
  stores = await freshStores(LIMITS);
  pool = freshSitePool(stores.url);
});

/** Any ids with any times, also of people who are no contacts of anybody or whose photos nobody may see; any floor, or none. */
const forgery = fc.record({
  members: fc.uniqueArray(fc.record({ id: fc.constantFrom(...IDS, '3', '77'), at: time }), {
    selector: ({ id }) => id,
    maxLength: 6,
  }),
  floor: fc.option(fc.record({ id: fc.constantFrom(...IDS), at: time }), { nil: undefined }),
});

async function forge(user: Id, { members, floor }: typeof forgery extends fc.Arbitrary<infer F> ? F : never) {
  const keys = new KeyNames(stores.prefix);
  await stores.redis.del(keys.set(user));
  for (const { id, at } of members) await stores.redis.zadd(keys.set(user), at, id);
  await setMeta(stores.redis, keys.meta(user), { size: members.length, floor });
}

describe('an index that somebody forged', () => {
  it('shows nobody who is no contact, and no photo that the user may not see: at worst it leaves contacts out', async () => {
    await fc.assert(
      fc.asyncProperty(site, forgery, fc.integer({ min: 1, max: 8 }), async (all, forged, limit) => {
        await writeSite(pool, all);
        await run(rebuild(IDS), stores.steps);
        for (const user of IDS) {
          const truth = rankedContacts(all, user, 'any');
          if (!all.ties.some((tie) => tie.user === user)) continue; // no index to forge
          await forge(user, forged);
          const query = { user, relation: 'any', limit, below: undefined } as const;
          const { contacts } = await recentContactsOn(stores, LIMITS).find(query);
          for (const { sees: _, ...contact } of contacts) expect(truth).toContainEqual(contact);
          expect([...contacts].sort(byKeyDescending)).toEqual(contacts);
        }
      }),
      { numRuns: cases(NUM_RUNS) },
    );
  });
});

describe('tasks that somebody made up', () => {
  const hint = fc.record({ user: fc.constantFrom(...IDS, '77'), contact: fc.constantFrom(...IDS, '77') });
  const hints = fc.uniqueArray(hint, {
    selector: ({ user, contact }) => `${user} ${contact}`,
    minLength: 1,
    maxLength: 40,
  });

  it('change no answer: a task names who is to be looked at, and MySQL says the rest', async () => {
    await fc.assert(
      fc.asyncProperty(site, hints, async (all, madeUp) => {
        await writeSite(pool, all);
        await run(rebuild(IDS), stores.steps);
        await run(refresh(madeUp), stores.steps);
        for (const user of IDS) {
          const query = { user, relation: 'any', limit: 8, below: undefined } as const;
          const { contacts, exact } = await recentContactsOn(stores, LIMITS).find(query);
          expect(contacts.map(({ sees: _, ...contact }) => contact)).toEqual(
            rankedContacts(all, user, 'any').slice(0, 8),
          );
          expect(exact).toBe(true);
        }
      }),
      { numRuns: cases(NUM_RUNS) },
    );
  });
});
