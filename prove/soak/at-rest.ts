import { isDeepStrictEqual } from 'node:util';
import type { KindStores } from '../../src/app/stores.ts';
import type { Id } from '../../src/contracts/id.ts';
import { CONTACTS, type Kind } from '../../src/contracts/kind.ts';
import type { Database } from '../../src/mysql/database.ts';
import { readUsersAmong } from '../../src/mysql/statements/users.ts';
import { republish } from '../../src/relay/relay.ts';
import { backfillAll, verifyAll } from '../../src/tools/demo/phases/jobs.ts';
import { expectIndexesExact, indexesInUse, type RestStores } from '../../test/model/at-rest.ts';
import { readPlainGroups, readPlainSql } from '../../test/model/plain-sql.ts';
import { findWrongAnswers, type Truth } from './answers.ts';
import type { World } from './world.ts';

/**
 * Called when nothing is in flight. Compares every index in use (I1 to I4, I9), of each kind, and the answers over HTTP (I8) with plain SQL on the
 * site's own tables, and runs `verify`. Then builds every index and compares it too.
 * @returns descriptions of what was wrong
 */
export async function findWrong(world: World): Promise<string[]> {
  const { stores } = world;
  const found: string[] = [];
  const truths = new Map<Kind, Truth>();
  for (const of of stores.kinds) {
    const truth = await (of.kind.name === CONTACTS.name ? readPlainSql(stores.pool) : readPlainGroups(stores.pool));
    truths.set(of.kind, truth);
    found.push(
      ...(await findWrongIndexes(world, of, truth, false)),
      ...(await findWrongAnswers(world, of.kind, truth)),
    );
  }
  found.push(...(await findByVerify(world)));
  await backfillAll(stores.jobs, () => undefined);
  for (const of of stores.kinds)
    found.push(...(await findWrongIndexes(world, of, truths.get(of.kind) ?? new Map(), true)));
  return found;
}

/**
 * I5: delivers processed tasks again in another order, which must change nothing. The index of a changed user
 * is dropped again, as such a task demands.
 * @param from when the first of them was published, by MySQL's clock
 * @param rest waits until they were processed
 */
export async function findWrongAfterReplay(world: World, from: number, rest: () => Promise<void>): Promise<string[]> {
  const { stores, signal } = world;
  const users = everybody(world);
  const inUse = () => Promise.all(stores.kinds.map((of) => indexesInUse(restStores(world, of), users)));
  const before = await inUse();
  await republish(stores.primary, { from, to: Number.MAX_SAFE_INTEGER }, signal);
  await rest();
  const after = await inUse();
  const dropped = await changedUsers(stores.primary);
  return stores.kinds.flatMap(({ kind }, k) => {
    const isSame = (user: Id, i: number) =>
      isDeepStrictEqual(before[k]?.[i], after[k]?.[i]) || (after[k]?.[i] === undefined && dropped.has(user));
    const changed = users.filter((user, i) => !isSame(user, i));
    return changed.map((user) => `user ${user}, ${kind.name}: I5: tasks that were processed before changed the index`);
  });
}

async function changedUsers(primary: Database): Promise<Set<Id>> {
  const rows = await primary.rows(
    "SELECT DISTINCT user_id FROM recency_outbox WHERE type = 'recency.user.changed'",
    [],
  );
  return new Set(rows.map(([user]) => String(user)));
}

async function findWrongIndexes(world: World, of: KindStores, truth: Truth, areBuilt: boolean): Promise<string[]> {
  const wrong: string[] = [];
  const owners = new Set(await readUsersAmong(of.primary, everybody(world))); // the others get no index
  for (const user of everybody(world)) {
    try {
      const warm = await expectIndexesExact(restStores(world, of), [user], truth);
      world.counts.indexes += warm;
      if (areBuilt && warm === 0 && owners.has(user))
        wrong.push(`user ${user}, ${of.kind.name}: the index was built, and is not in use`);
    } catch (error) {
      wrong.push((error as Error).message);
    }
  }
  return wrong;
}

async function findByVerify({ stores, counts }: World): Promise<string[]> {
  const found = await verifyAll(stores.jobs, () => undefined);
  counts.answers += found.answers_checked;
  const { wrong, answers_wrong: answers, columns, wrong_users, wrong_answers, wrong_columns } = found;
  if (wrong + answers + columns.wrong === 0) return [];
  return [`verify: ${JSON.stringify({ wrong, answers, columns, wrong_users, wrong_answers, wrong_columns })}`];
}

/** Players first, then users who are only needed for the fan-outs and the fullest indexes. */
function everybody({ cast }: World): Id[] {
  const others = cast.measured.map(({ user }) => user);
  return [...new Set([...cast.players, cast.star, ...others, ...cast.followersOfStar])];
}

function restStores({ stores, namespace }: World, { kind, index, primary }: KindStores): RestStores {
  const { keyPrefix: prefix, max, min } = namespace.config;
  return { kind, index, primary, redis: stores.redis, prefix, limits: { max, min } };
}
