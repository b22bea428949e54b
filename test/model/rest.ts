import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { readUsersAmong } from '../../src/mysql/users.ts';
import { EVERYTHING, expectAnswersExact, type Questions, SOMETHING } from './answers-at-rest.ts';
import { expectIndexesExact, indexesInUse, type RestStores } from './at-rest.ts';
import { CAST, LIMITS } from './cast.ts';
import { readPlainSql } from './plain-sql.ts';
import type { Trial } from './trial.ts';

/**
 * A real consumer notices by itself that its stream is gone, also when nothing waits any more, and the epoch that it then
 * begins makes answers inexact that are given meanwhile. Each of them may do so once.
 */
const EPOCHS = 8;

/**
 * Waits until every change is published, every task applied and all delayed work done. Then checks I1 to I4, I8 and I9
 * against plain SQL.
 * @returns how many indexes were in use
 * @throws Error for what is broken
 */
export async function comeToRest(trial: Trial): Promise<number> {
  for (let left = EPOCHS; ; left--) {
    await drain(trial);
    const { token } = await readEpoch(trial.arena.primary);
    try {
      return await expectTruth(trial, SOMETHING);
    } catch (error) {
      if (left === 0 || (await readEpoch(trial.arena.primary)).token === token) throw error;
    }
  }
}

/**
 * Brings a history to its end. At rest, all of its tasks are delivered once more in another order (except those of users,
 * which drop indexes), and nothing may change (I5). Then every index is built, and everything is checked again.
 * @throws Error for what is broken
 */
export async function endInOrder(trial: Trial): Promise<void> {
  await comeToRest(trial);
  const stores = restStores(trial);
  const before = await indexesInUse(stores, CAST);
  await trial.carrier.publishAgain(trial.random);
  await drain(trial);
  deepStrictEqual(await indexesInUse(stores, CAST), before, 'I5: tasks that were processed before changed an index');
  await run(rebuild(CAST), trial.stores);
  const owners = await readUsersAmong(stores.primary, CAST); // the others get no index
  strictEqual(await expectTruth(trial, EVERYTHING), owners.length, 'every index was built, and is in use');
}

async function drain(trial: Trial): Promise<void> {
  const { workers, carrier, disturbances, turns, director, random } = trial;
  const alone = <T>(what: string, work: () => Promise<T>) => turns.take(director, what, work);
  await alone('calm', async () => {
    await disturbances.removeObstructions();
    await trial.early.endAll((made) => trial.act(made));
    workers.calm();
  });
  for (let round = 0; round < carrier.patience; round++) {
    await workers.idle();
    await trial.backgroundEnds();
    trial.throwFaults();
    const left = await alone('what is left', async () => {
      await trial.publish(false);
      await trial.letTimePass(true);
      return (await carrier.waiting()) + (await trial.putOff());
    });
    if (left === 0) return;
    for (let n = 0; n < carrier.consumers; n++) await workers.deliver(n, Array.from({ length: 8 }, random), false);
    workers.beginDelayed(0);
  }
  const left = `${await carrier.waiting()} messages, ${await trial.putOff()} items put off`;
  throw new Error(`the history does not come to rest: ${left}`);
}

async function expectTruth(trial: Trial, questions: Questions): Promise<number> {
  const truth = await readPlainSql(trial.arena.pool);
  const warm = await expectIndexesExact(restStores(trial), CAST, truth);
  const queries = trial.answering();
  await Promise.all(CAST.map((user) => expectAnswersExact(queries, user, truth.get(user) ?? [], questions)));
  return warm;
}

function restStores({ stores, arena, prefix }: Trial): RestStores {
  return { index: stores.index, primary: arena.primary, redis: arena.redis, prefix, limits: LIMITS };
}
