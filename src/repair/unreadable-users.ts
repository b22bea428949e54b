/**
 * Finds users who have relationships where MySQL cannot read the rows of some of them (an error in the view's WHERE, or in a join).
 * Such a user counts as one who has relationships: the work on the users then sets that user aside, and names them.
 */
import { type Id, middleId } from '../contracts/id.ts';
import { alone, amongItems, isolateParts } from '../index/set-aside.ts';
import { isOfRow } from '../mysql/faults.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import {
  readLastUser,
  readNextUser,
  readNextUsers,
  readUsersAmong,
  type UserRange,
} from '../mysql/statements/users.ts';

/**
 * As {@link readNextUsers}; of a range that cannot be read at once, those in its first part that has any.
 * @throws DatabaseUnavailable; what MySQL says of a row, where it breaks every question to the view
 */
export function findNextUsers(database: KindDatabase, range: UserRange, rows: number): Promise<readonly Id[]> {
  return firstFound(database, range, (part) => readNextUsers(database, part, rows));
}

/** As {@link readNextUser}. @throws as {@link findNextUsers} */
export async function findNextUser(database: KindDatabase, range: UserRange): Promise<Id | undefined> {
  const [user] = await firstFound(database, range, async (part) => listOf(await readNextUser(database, part)));
  return user;
}

/** As {@link readLastUser}. @throws as {@link findNextUsers} */
export async function findLastUser(database: KindDatabase, range: UserRange): Promise<Id | undefined> {
  const [user] = await firstFound(database, range, async (part) => listOf(await readLastUser(database, part)), true);
  return user;
}

/** As {@link readUsersAmong}, of any number of rows. @throws as {@link findNextUsers} */
export async function findUsersAmong(database: KindDatabase, candidates: readonly Id[]): Promise<readonly Id[]> {
  const found: Id[] = [];
  const read = async (some: readonly Id[]) => void found.push(...(await readUsersAmong(database, some)));
  const failed = alone(await isolateParts(candidates, amongItems<Id>(1), read, ROWS_ALONE));
  if (failed.length === 0) return found;
  await checkView(database);
  return [...found, ...failed.map(({ item }) => item)];
}

/** What is not the fault of a row ends the search. */
const ROWS_ALONE = { isEnd: (error: unknown) => !isOfRow(error), answers: async () => true };

const listOf = (user: Id | undefined): readonly Id[] => (user === undefined ? [] : [user]);

async function firstFound(
  database: KindDatabase,
  range: UserRange,
  read: (part: UserRange) => Promise<readonly Id[]>,
  isFromAbove = false,
): Promise<readonly Id[]> {
  const found = await unlessRow(() => read(range));
  if (found !== undefined) return found;
  const { after, to } = range;
  const middle = middleId(after, to);
  if (middle === undefined) {
    await checkView(database);
    return [to];
  }
  const lower = { after, to: middle };
  const upper = { after: middle, to };
  const [first, second] = isFromAbove ? [upper, lower] : [lower, upper];
  const users = await firstFound(database, first, read, isFromAbove);
  return users.length > 0 ? users : await firstFound(database, second, read, isFromAbove);
}

/** @returns undefined: a row cannot be read */
async function unlessRow<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isOfRow(error)) throw error;
    return undefined;
  }
}

/** No user has this id. */
const NOBODY = '0';

/** Throws where a row breaks every statement, as in a view that MySQL materializes: a search among all ids would not end. */
async function checkView(database: KindDatabase): Promise<void> {
  await readUsersAmong(database, [NOBODY]);
}
