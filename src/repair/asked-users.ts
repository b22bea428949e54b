/**
 * Who has relationships, asked so that one user whose rows MySQL cannot read (an error in the view's WHERE, or in a join) hides
 * nobody else. That user counts as one with relationships: whatever is done with the users then sets this one aside, and names it.
 */
import type { Id } from '../contracts/id.ts';
import { halvesOf } from '../index/set-aside.ts';
import { mysqlFaultOf } from '../mysql/faults.ts';
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
  const found = await unlessRow(() => readUsersAmong(database, candidates));
  if (found !== undefined) return found;
  const halves = halvesOf(candidates);
  if (halves === undefined) return await unreadable(database, candidates);
  return [...(await findUsersAmong(database, halves[0])), ...(await findUsersAmong(database, halves[1]))];
}

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
  const middle = String((BigInt(after) + BigInt(to)) / 2n);
  if (middle === after) return await unreadable(database, [to]);
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
    if (mysqlFaultOf(error) !== 'row') throw error;
    return undefined;
  }
}

/** No user has this id. */
const NOBODY = '0';

/** Blames nobody for a row that breaks every question, as in a view that MySQL materializes: the search among all ids would not end. */
async function unreadable(database: KindDatabase, users: readonly Id[]): Promise<readonly Id[]> {
  await readUsersAmong(database, [NOBODY]);
  return users;
}
