import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RELATIONS } from '../../src/contracts/relation.ts';
import type { Reading } from '../../src/index/contact-index.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { Deadline, RequestCancelled } from '../../src/timing/deadline.ts';
import { cases } from '../support/cases.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { IDS, site } from '../support/site-arbitrary.ts';
import { everybodyKnows, freshSitePool, rankedContacts, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 4, min: 2 };

let stores: Stores;
let pool: Pool;

beforeAll(async () => {
  stores = await freshStores(LIMITS);
  pool = freshSitePool(stores.url);
});

const question = fc.record({
  user: fc.constantFrom(...IDS),
  relation: fc.constantFrom(...RELATIONS),
  limit: fc.integer({ min: 1, max: 6 }),
  fate: fc.constantFrom('waits', 'waits', 'waits', 'gone', 'late'),
});

/** A deadline that is over, or whose request is gone, before the statement's turn comes. */
function deadlineFor(fate: 'waits' | 'gone' | 'late'): Deadline {
  const deadline = new Deadline(fate === 'late' ? 0.01 : 20_000);
  if (fate === 'gone') setImmediate(() => deadline.cancel());
  return deadline;
}

describe('answers that wait for MySQL at the same moment', () => {
  it('are what each would be by itself, when users are asked about twice, and clients leave or run out of time', async () => {
    await fc.assert(
      fc.asyncProperty(site, fc.array(question, { minLength: 2, maxLength: 24 }), async (all, questions) => {
        await writeSite(pool, all);
        await stores.index.drop(IDS);
        await run(rebuild(IDS), stores.steps);
        const recent = recentContactsOn(stores, LIMITS);
        const asked = questions.map(({ fate, ...query }) =>
          recent.find({ ...query, below: undefined, deadline: deadlineFor(fate) }),
        );
        for (const [i, outcome] of (await Promise.allSettled(asked)).entries()) {
          const { user, relation, limit, fate } = questions[i] as (typeof questions)[number];
          if (outcome.status === 'rejected') {
            expect(fate, String(outcome.reason)).not.toBe('waits');
            continue;
          }
          const { contacts, exact } = outcome.value;
          const truth = rankedContacts(all, user, relation).slice(0, limit);
          expect(contacts.map(({ sees: _, ...rest }) => rest)).toEqual(truth);
          expect(exact).toBe(true);
        }
      }),
      { numRuns: cases(60) },
    );
  });

  it('share a statement, and one that finds nobody there has its own', async () => {
    const users = Array.from({ length: 40 }, (_, i) => String(i + 100));
    await writeSite(pool, everybodyKnows(users, ['2', '3', '4']));
    await run(rebuild(users), stores.steps);
    const database = new CountingDatabase(stores.url);
    onTestFinished(() => database.close());
    // All at the same moment: Redis would answer one after the other.
    const readings = new Map(
      await Promise.all(users.map(async (user) => [user, await stores.index.read(user, 0, false)] as const)),
    );
    const index = { read: async (user: string) => readings.get(user) as Reading };
    const recent = recentContactsOn({ index, primary: database }, LIMITS);
    const find = (user: string) => recent.find({ user, relation: 'any', limit: 2, below: undefined });
    await find('100');
    expect(database.sent).toBe(1);
    const answers = await Promise.all(users.map(find));
    expect(database.sent).toBe(1 + 4); // one each at first, and 38 in two
    for (const { contacts } of answers) expect(contacts).toHaveLength(2);
  });

  it('go on without one that is cancelled', async () => {
    const users = Array.from({ length: 10 }, (_, i) => String(i + 200));
    await writeSite(pool, everybodyKnows(users, ['2', '3', '4']));
    await run(rebuild(users), stores.steps);
    const recent = recentContactsOn(stores, LIMITS);
    const deadlines = users.map(() => new Deadline(10_000));
    const found = users.map((user, i) =>
      recent.find({ user, relation: 'any', limit: 2, below: undefined, deadline: deadlines[i] }),
    );
    deadlines[5]?.cancel();
    const outcomes = await Promise.allSettled(found);
    expect(outcomes[5]).toMatchObject({ status: 'rejected', reason: expect.any(RequestCancelled) });
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(users.length - 1);
  });
});
