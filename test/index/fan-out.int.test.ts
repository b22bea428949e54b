import { fc } from '@fast-check/vitest';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { fanOut } from '../../src/index/fan-out.ts';
import { type Operation, run, type Step, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { expectExact } from '../support/exact.ts';
import { freshStores, type Stores } from '../support/stores.ts';

const MAX = 3;
const MIN = 1;
const FOLLOWERS = 130;
const PAGE = 20;
const OWNER = '1000';

let stores: Stores;
const followers = Array.from({ length: FOLLOWERS }, (_, i) => String(i + 1));

beforeAll(async () => {
  stores = await freshStores({ max: MAX, min: MIN });
  const { primary } = stores;
  const ids = JSON.stringify([...followers, OWNER, '1001', '1002', '1003', '1004']);
  const each = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS it";
  await primary.write(`INSERT INTO users (id, last_public_at) SELECT id, id FROM ${each}`, [ids]);
  for (const contact of [OWNER, '1001', '1002', '1003', '1004']) {
    await primary.write(`INSERT INTO contacts (user_id, contact_id) SELECT id, ? FROM ${each} WHERE id < 1000`, [
      contact,
      ids,
    ]);
  }
  await run(rebuild(followers), stores.steps);
});

async function changeUpload(at: number): Promise<void> {
  await stores.primary.write('UPDATE users SET last_public_at = ? WHERE id = ?', [at, OWNER]);
}

class Killed extends Error {}

/** Runs an operation whose process is killed before step `at`. Returns whether it got that far. */
async function runKilledAt(operation: Operation<unknown>, at: number): Promise<boolean> {
  let taken = 0;
  try {
    const renew = async () => {
      if (taken++ >= at) throw new Killed();
    };
    await run(operation, stores.steps, { renew });
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  }
}

/** Runs an operation whose process is killed when its first cursors have been saved. */
async function runKilledBehindCursor(operation: Operation<unknown>): Promise<void> {
  let killed = false;
  const saveCursors: Steps['saveCursors'] = async (cursors) => {
    await stores.steps.saveCursors(cursors);
    killed = true;
  };
  const renew = async () => {
    if (killed) throw new Killed();
  };
  await expect(run(operation, { ...stores.steps, saveCursors }, { renew })).rejects.toThrow(Killed);
}

async function everybodyIsExact(): Promise<void> {
  for (const user of followers) await expectExact(stores, { max: MAX, min: MIN }, user, `follower ${user}`);
}

/** The steps taken, each with its arguments. */
async function record(operation: Operation<unknown>): Promise<Step[]> {
  const taken: Step[] = [];
  const steps = new Proxy(stores.steps, {
    get:
      (target, name: keyof Steps) =>
      (...args: never[]) => {
        taken.push({ name, args } as unknown as Step);
        return (target[name] as (...args: never[]) => Promise<unknown>)(...args);
      },
  });
  await run(operation, steps);
  return taken;
}

const pagesOf = (steps: readonly Step[]): (Id | '0')[] =>
  steps
    .filter((step): step is Step<'followers'> => step.name === 'followers')
    .flatMap(({ args }) => args[0].map(({ after }) => after));

describe('fan-out', () => {
  it('reaches every follower, page by page, and leaves no cursor', async () => {
    await changeUpload(5_000);
    const steps = await record(fanOut([{ owner: OWNER, tasks: ['a'] }], PAGE));
    expect(pagesOf(steps)).toEqual(['0', '20', '40', '60', '80', '100', '120']);
    expect(await stores.steps.loadCursors([OWNER])).toEqual([undefined]);
    await everybodyIsExact();
  });

  it('reads the nonces after the page, and the pairs after the nonces', async () => {
    const names = (await record(fanOut([{ owner: OWNER, tasks: ['a'] }], 500))).map((step) => step.name);
    expect(names).toEqual(['loadCursors', 'followers', 'nonces', 'neighbours', 'apply', 'signal']);
  });

  it('continues at its cursor after a kill, with the same tasks or some of them', async () => {
    await changeUpload(6_000);
    const tasks = ['a', 'b'];
    await runKilledBehindCursor(fanOut([{ owner: OWNER, tasks }], PAGE));
    const steps = await record(fanOut([{ owner: OWNER, tasks: ['b'] }], PAGE));
    expect(pagesOf(steps)[0]).not.toBe('0');
    await everybodyIsExact();
  });

  it('starts at the first follower for a task that arrives after its first page', async () => {
    await changeUpload(7_000);
    await runKilledBehindCursor(fanOut([{ owner: OWNER, tasks: ['a'] }], PAGE));
    await changeUpload(900); // deleted in between: its task comes together with the first one's redelivery
    const steps = await record(fanOut([{ owner: OWNER, tasks: ['a', 'b'] }], PAGE));
    expect(pagesOf(steps)[0]).toBe('0');
    await everybodyIsExact();
  });

  it('works on the next pages meanwhile, but never moves its cursor past an unfinished one', async () => {
    await changeUpload(8_000);
    const fifthPage = Promise.withResolvers<void>();
    const cursors: (Id | '0')[] = [];
    let atFifthPage: readonly (Id | '0')[] = [];
    const steps: Steps = {
      ...stores.steps,
      apply: async (epoch, requests) => {
        const first = requests[0]?.user;
        if (first === '21') await fifthPage.promise; // the second page
        const outcomes = await stores.steps.apply(epoch, requests);
        if (first === '81') {
          atFifthPage = [...cursors];
          fifthPage.resolve();
        }
        return outcomes;
      },
      saveCursors: async (saved) => {
        cursors.push(...saved.map(({ after }) => after));
        await stores.steps.saveCursors(saved);
      },
    };
    await run(fanOut([{ owner: OWNER, tasks: ['a'] }], PAGE), steps);
    expect(atFifthPage).toEqual(['20']);
    expect(cursors).toEqual(['20', '40', '60', '80', '100', '120']);
    expect(await stores.steps.loadCursors([OWNER])).toEqual([undefined]);
    await everybodyIsExact();
  });

  it('signals each page once, before a cursor moves past it', async () => {
    const signalled: Id[] = [];
    const cursors: { after: Id | '0'; signalled: number }[] = [];
    const steps: Steps = {
      ...stores.steps,
      signal: async (users) => void signalled.push(...users),
      saveCursors: async ([saved]) => void cursors.push({ after: saved?.after ?? '0', signalled: signalled.length }),
    };
    await run(fanOut([{ owner: OWNER, tasks: ['a'] }], PAGE), steps);
    expect(cursors).toEqual([20, 40, 60, 80, 100, 120].map((after) => ({ after: `${after}`, signalled: after })));
    expect(signalled.toSorted((a, b) => Number(a) - Number(b))).toEqual(followers);
  });

  it('misses no follower, wherever it is killed and whatever is redelivered with it', {
    timeout: 120_000,
  }, async () => {
    let at = 10_000;
    const kill = fc.record({ step: fc.nat(40), change: fc.boolean(), again: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(kill, { minLength: 1, maxLength: 4 }), async (kills) => {
        let tasks = [`t${at}`];
        await changeUpload(++at);
        for (const { step, change, again } of kills) {
          const killed = await runKilledAt(fanOut([{ owner: OWNER, tasks }], PAGE), step);
          if (!killed) tasks = [];
          if (change || tasks.length === 0) {
            await changeUpload(++at % 2 === 0 ? at : at - 9_999);
            tasks = again ? [...tasks, `t${at}`] : [`t${at}`, ...tasks];
          }
        }
        await run(fanOut([{ owner: OWNER, tasks }], PAGE), stores.steps);
        await everybodyIsExact();
      }),
      { numRuns: 15 },
    );
  });

  it('refreshes all owners of one user in one call, so that no two calls race for the user', async () => {
    await stores.primary.write('UPDATE users SET last_public_at = 70000 + id WHERE id >= 1000', []);
    const owners = [OWNER, '1001', '1002', '1003', '1004']; // more pairs than one call takes
    const steps = await record(fanOut(owners.map((owner) => ({ owner, tasks: [owner] }))));
    const users = steps
      .filter((step): step is Step<'apply'> => step.name === 'apply')
      .flatMap(({ args }) => args[1].map(({ user }) => user));
    expect(users.length).toBe(FOLLOWERS);
    expect(new Set(users).size).toBe(FOLLOWERS);
  });

  it('takes several owners together', async () => {
    await changeUpload(50_000);
    await stores.primary.write('UPDATE users SET last_public_at = 60000 WHERE id = 1001', []);
    let applied = 0;
    const report = await run(
      fanOut(
        [OWNER, '1001'].map((owner) => ({ owner, tasks: [owner] })),
        PAGE,
        ({ outcomes }) => {
          applied += outcomes.applied;
        },
      ),
      stores.steps,
    );
    expect(applied).toBe(FOLLOWERS); // both owners are among the contacts of each
    expect(report).toEqual({ followers: 2 * FOLLOWERS, resumed: 0 });
    await everybodyIsExact();
  });

  it('makes no two calls race for a user whose owners reach it on different pages', async () => {
    const { primary, steps } = stores;
    const sparse = followers.filter((_, i) => i % 3 === 0);
    await primary.write('INSERT INTO users (id) VALUES (2000)', []);
    await primary.write(
      'INSERT INTO contacts (user_id, contact_id) SELECT id, 2000 FROM users WHERE id < 1000 AND id % 3 = 1',
      [],
    );
    for (let at = 80_000; at < 80_005; at++) {
      await primary.write('UPDATE users SET last_public_at = ? WHERE id IN (1000, 2000)', [String(at)]);
      let raced = 0;
      const fanOuts = [OWNER, '2000'].map((owner) => ({ owner, tasks: [owner] }));
      const report = await run(
        fanOut(fanOuts, PAGE, ({ outcomes }) => {
          raced += outcomes.raced;
        }),
        steps,
      );
      expect(report.followers).toBe(FOLLOWERS + sparse.length);
      expect(raced).toBe(0);
    }
    await everybodyIsExact();
  });
});
