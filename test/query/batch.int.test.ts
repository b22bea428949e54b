import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { RELATIONS } from '../../src/contracts/relation.ts';
import { ENDLESS } from '../../src/index/allowance.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { DatabaseUnavailable, HeavyQueriesBusy } from '../../src/mysql/database.ts';
import { type BatchQuery, RecentBatch, type RecentBatchOptions } from '../../src/query/recent-batch.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { Deadline, RequestCancelled } from '../../src/timing/deadline.ts';
import { cases } from '../support/cases.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { IDS, site } from '../support/site-arbitrary.ts';
import { everybodyKnows, freshSitePool, rankedContacts, writeSite } from '../support/small-site.ts';
import { freshStores, NO_LAG, recentContactsOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 4, min: 2 };
const USERS = ['1', '9007199254740993', '18446744073709551615', '777', '500'];
const CONTACTS = ['2', '3', '4', '5', '6', '7', '8'];

let stores: Stores;
let pool: Pool;

beforeAll(async () => {
  stores = await freshStores(LIMITS);
  pool = freshSitePool(stores.url);
});

function batch(options: Partial<RecentBatchOptions> = {}): RecentBatch {
  const recent = recentContactsOn(stores, LIMITS);
  const now = () => performance.now();
  return new RecentBatch({ index: stores.index, database: stores.primary, recent, now, ...NO_LAG, ...options });
}

const build = async (users: readonly Id[]) => {
  await stores.index.drop(users);
  await run(rebuild(users), stores.steps);
};

const query: BatchQuery = { relation: 'any', limit: 3 };

describe('answers of many users', () => {
  it('equal the single answers and plain SQL, for users who are warm, cold, torn or of another epoch', async () => {
    const names = new KeyNames(stores.prefix);
    await fc.assert(
      fc.asyncProperty(
        ...([site, fc.constantFrom(...RELATIONS), fc.integer({ min: 1, max: 6 })] as const),
        fc.array(fc.constantFrom('warm', 'cold', 'torn', 'epoch'), { minLength: IDS.length, maxLength: IDS.length }),
        fc.array(fc.constantFrom(...IDS), { minLength: 1, maxLength: 20 }),
        fc.option(fc.integer({ min: 0, max: 7 }), { nil: undefined }),
        async (all, relation, limit, states, asked, minute) => {
          await writeSite(pool, all);
          await build(IDS);
          for (const [i, user] of IDS.entries()) {
            if (states[i] === 'cold') await stores.index.drop([user]);
            if (states[i] === 'torn') await stores.redis.del(names.set(user));
            if (states[i] !== 'epoch') continue;
            const [seen] = await stores.index.claim([user]);
            await stores.index.replace('other', [
              { user, seen: String(seen), top: [{ id: '1', at: 5 }], allowance: ENDLESS },
            ]);
          }
          const since = minute === undefined ? undefined : 1_083_412_800_000 + minute * 60_000;
          const { outcomes } = await batch().find(asked, { relation, limit, since });
          expect(new Set(outcomes.keys())).toEqual(new Set(asked));
          for (const [user, outcome] of outcomes) {
            if (!('answer' in outcome)) throw outcome.error;
            const { timing: _t, asOf: _a, ...answer } = outcome.answer;
            const truth = rankedContacts(all, user, relation).filter(({ at }) => at >= (since ?? 0));
            expect(answer.contacts.map(({ sees: _, ...rest }) => rest)).toEqual(truth.slice(0, limit));
            expect(answer.exact).toBe(true);
            const single = { user, relation, limit, since, below: undefined };
            const { timing: _, asOf: __, ...alone } = await recentContactsOn(stores, LIMITS).find(single);
            expect(answer).toEqual(alone);
          }
        },
      ),
      { numRuns: cases(40) },
    );
  });

  it('come from one statement where the indexes are certain', async () => {
    await writeSite(pool, everybodyKnows(USERS, CONTACTS));
    await build(USERS);
    const database = new CountingDatabase(stores.url);
    onTestFinished(() => database.close());
    const served: Id[] = [];
    const recent = { find: () => Promise.reject(new Error('nobody is asked for alone')) };
    const options = { database, recent, onServed: (user: Id) => void served.push(user), lagMs: () => 7 };
    const { outcomes } = await batch(options).find([...USERS, ...USERS], { ...query, limit: 1 });
    expect(database.sent).toBe(1);
    expect(served.sort()).toEqual([...USERS].sort());
    for (const user of USERS) {
      expect(outcomes.get(user)).toMatchObject({ answer: { source: 'index', lagMs: 7, contacts: [{ id: '8' }] } });
    }
  });

  it('are not exact where the indexes may lack more than an exact answer may', async () => {
    await writeSite(pool, everybodyKnows(USERS, CONTACTS));
    await build(USERS);
    const recent = { find: () => Promise.reject(new Error('nobody is asked for alone')) };
    for (const lagMs of [undefined, 9_000.1]) {
      const { outcomes } = await batch({ recent, lagMs: () => lagMs, exactWithinMs: 9_000 }).find(USERS, query);
      for (const user of USERS) {
        expect(outcomes.get(user)).toMatchObject({ answer: { source: 'index', exact: false, reason: 'lag', lagMs } });
      }
    }
  });

  it('are all of plain SQL where Redis is unavailable, or the answer must be strong', async () => {
    await writeSite(pool, everybodyKnows(USERS, CONTACTS));
    await build(USERS);
    const away = {
      read: () => Promise.reject(new RedisUnavailable('away')),
      readMany: () => Promise.reject(new RedisUnavailable('away')),
    };
    const recent = recentContactsOn({ index: away, primary: stores.primary }, LIMITS);
    const reasons = async (options: Partial<RecentBatchOptions>, more: Partial<BatchQuery> = {}) => {
      const { outcomes } = await batch(options).find(USERS, { ...query, ...more });
      return new Set(Array.from(outcomes.values(), (one) => ('answer' in one ? one.answer.reason : 'none')));
    };
    expect(await reasons({ index: away, recent })).toEqual(new Set(['redis_unavailable']));
    expect(await reasons({}, { consistency: 'strong' })).toEqual(new Set(['strong']));
    const late = { lagMs: () => 9 };
    const alone = recentContactsOn(stores, LIMITS, late);
    expect(await reasons({ ...late, recent: alone }, { maxLagMs: 8 })).toEqual(new Set(['lag']));
  });
});

describe('a user who cannot be answered', () => {
  const busy = new HeavyQueriesBusy('busy');

  it('does not keep the others from their answers', async () => {
    await writeSite(pool, everybodyKnows(USERS, CONTACTS));
    await build(USERS);
    await stores.index.drop(['777', '500']);
    const recent = recentContactsOn(stores, LIMITS);
    const find: typeof recent.find = (one) => (one.user === '777' ? Promise.reject(busy) : recent.find(one));
    const { outcomes } = await batch({ recent: { find } }).find(USERS, query);
    expect(outcomes.get('777')).toEqual({ error: busy });
    expect(outcomes.get('500')).toMatchObject({ answer: { reason: 'cold' } });
    expect(outcomes.get('1')).toMatchObject({ answer: { source: 'index' } });
  });

  it('is answered alone with at most three others', async () => {
    let [running, most] = [0, 0];
    const find = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      throw busy;
    };
    const users = Array.from({ length: 30 }, (_, i) => String(5_000 + i));
    const { outcomes } = await batch({ recent: { find } }).find(users, query);
    expect({ most, size: outcomes.size }).toEqual({ most: 4, size: 30 });
  });
});

it('nobody is answered when MySQL is unavailable, or the client has gone', async () => {
  await writeSite(pool, everybodyKnows(USERS, CONTACTS));
  await build(USERS);
  class Away extends CountingDatabase {
    protected override read(): Promise<never> {
      return Promise.reject(new DatabaseUnavailable('away'));
    }
  }
  const database = new Away(stores.url);
  onTestFinished(() => database.close());
  await expect(batch({ database }).find(USERS, query)).rejects.toThrow(DatabaseUnavailable);
  const deadline = new Deadline(60_000);
  deadline.cancel();
  await expect(batch().find(USERS, { ...query, deadline })).rejects.toThrow(RequestCancelled);
});
