import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Id } from '../../src/contracts/id.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { EVERYTHING, expectAnswersExact, type Questions, SOMETHING } from './answers-at-rest.ts';
import { expectIndexesExact, indexesInUse } from './at-rest.ts';
import { expectBothExact } from './both.ts';
import { CAST } from './cast.ts';
import { readPlainGroups, readPlainSql } from './plain-sql.ts';
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
  const inUse = () => Promise.all(trial.sides.map((side) => indexesInUse(side.restStores, CAST)));
  const before = await inUse();
  await trial.carrier.publishAgain(trial.random);
  await drain(trial);
  deepStrictEqual(await inUse(), before, 'I5: tasks that were processed before changed an index');
  let owners = 0;
  for (const side of trial.sides) {
    await run(rebuild(CAST), side.stores);
    owners += (await side.owners()).length; // the others get no index
  }
  strictEqual(await expectTruth(trial, EVERYTHING), owners, 'every index was built, and is in use');
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

async function expectTruth({ sides, arena }: Trial, questions: Questions): Promise<number> {
  const contacts = await readPlainSql(arena.pool);
  const groups = await readPlainGroups(arena.pool);
  let warm = 0;
  for (const side of sides) {
    const { hasRelations, name } = side.kind;
    const truth = hasRelations ? contacts : groups;
    const asked: Questions = hasRelations ? questions : { ...questions, relations: ['any'] };
    warm += await expectIndexesExact(side.restStores, CAST, truth);
    const queries = side.answering();
    const expectAnswers = async (user: Id) => {
      await expectAnswersExact(queries, user, truth.get(user) ?? [], asked);
    };
    await Promise.all(CAST.map(expectAnswers)).catch((error: Error) => {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    });
  }
  const [ofContacts, ofGroups] = sides.map((side) => ({ kind: side.kind, ...side.answering() }));
  if (ofContacts === undefined || ofGroups === undefined) throw new Error('both kinds are in use');
  const expectBoth = async (user: Id) => {
    const truth = [contacts.get(user) ?? [], groups.get(user) ?? []] as const;
    await expectBothExact([ofContacts, ofGroups], user, truth, questions.limits);
  };
  await Promise.all(CAST.map(expectBoth));
  return warm;
}
