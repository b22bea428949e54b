import type { Id } from '../../contracts/id.ts';
import { byKeyDescending, type Key } from '../../contracts/key.ts';
import type { KindView } from '../../site/kind-view.ts';
import { type Places, placesOf, type ResultRow, selectList } from '../../site/row.ts';
import type { ReadOptions } from '../database.ts';
import { EPOCH, readOwn } from '../epoch.ts';
import {
  eachOnce,
  type FoundContacts,
  foundIn,
  readEnough,
  type ShownContact,
  type ShownStatement,
  shownColumns,
  shownStatement,
  viewColumns,
} from './contacts.ts';
import type { KindDatabase } from './kind-statements.ts';
import { lastUploadOf, topUploads, withUploads } from './last-upload.ts';
import { byKey, LAST_UPLOAD } from './pair-row.ts';
import { readCompared } from './seen.ts';

export interface TopContacts {
  readonly epoch: string;
  /**
   * In the order of the users asked for, the keys of each user's top contacts, highest first. A
   * `TopContactsReader` may return only those of the first users.
   */
  readonly tops: readonly (readonly Key[])[];
  /** When one user was asked for: the same contacts as an answer shows them. */
  readonly live?: LiveTop;
}

/** A user's top contacts, highest key first. */
export interface LiveTop {
  readonly contacts: readonly ShownContact[];
  /** There are no others. */
  readonly isAll: boolean;
}

// For one user, a sort that keeps only the rows wanted. For several, one pass with a window, because MariaDB has no
// LATERAL.
function topOfOne(view: KindView): ShownStatement {
  const all = { from: `${view.kind.view} AS c`, where: 'c.user_id = ?', rows: 'many' } as const;
  return shownStatement(view, topUploads(view, all, viewColumns(view), shownColumns(view)));
}

function topOfMany(view: KindView) {
  const { view: pairs, idColumn } = view.kind;
  const all = {
    from: `JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN ${pairs} AS c ON c.user_id = owner.id`,
    where: 'TRUE',
    rows: 'many',
  } as const;
  const { from, where } = withUploads(view, all, ['user_id', idColumn]);
  const columns = { user: 'top.user_id', contact: `top.${idColumn}`, at: 'top.at' };
  const text = `
  SELECT ${selectList(columns)}, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.user_id, c.${idColumn}, ${LAST_UPLOAD} AS at,
           ROW_NUMBER() OVER (PARTITION BY c.user_id ORDER BY ${byKey(view)}) AS place
    FROM ${from}
    WHERE ${where}
  ) AS top ON top.place <= ?`;
  const place = placesOf(columns);
  return { text, topsOf: (users: readonly Id[], rows: readonly ResultRow[]) => group(users, rows, place) };
}

/**
 * The top `count` contacts of each user by key, in one snapshot together with the epoch.
 * @throws DatabaseNotPrimary, DatabaseUnavailable, StatementTooSlow
 */
export async function readTopContacts(
  database: KindDatabase,
  users: readonly Id[],
  count: number,
  options: ReadOptions = {},
): Promise<TopContacts> {
  const asked = { heavy: 'background', ...options } as const;
  const { server, statements } = database;
  const [only] = users;
  if (users.length === 1 && only !== undefined) return await readTopOfOne(database, only, count, asked);
  const read = (limit: number) =>
    statements.asking(
      server,
      (known) => known.of(topOfMany),
      async ({ text, topsOf }) => {
        const { epoch, rows } = await readOwn(server, text, [JSON.stringify(users), String(limit)], asked);
        return { epoch, ofUsers: topsOf(users, rows) };
      },
    );
  const { epoch, ofUsers } = await readEnough(count, read, (found) => found.ofUsers);
  return { epoch, tops: ofUsers.map(({ contacts }) => contacts.slice(0, count)) };
}

async function readTopOfOne(
  database: KindDatabase,
  user: Id,
  count: number,
  options: ReadOptions,
): Promise<TopContacts> {
  const read = async (limit: number) => {
    const found = await readCompared(
      database,
      (known) => known.of(topOfOne),
      ({ text }) => readOwn(database.server, text, [user, String(limit)], options),
    );
    const { contacts, rows } = foundIn(found);
    return { epoch: found.epoch, contacts: contacts.toSorted(byKeyDescending), rows }; // a derived table has no order
  };
  const found = await readEnough(count, read, (one) => [one]);
  const contacts = found.contacts.slice(0, count);
  return {
    epoch: found.epoch,
    tops: [contacts.map(({ id, at }) => ({ id, at }))],
    live: { contacts, isAll: contacts.length < count },
  };
}

function group(
  users: readonly Id[],
  rows: readonly ResultRow[],
  place: Places<'user' | 'contact' | 'at'>,
): FoundContacts<Key>[] {
  const tops = new Map<Id, Key[]>(users.map((user) => [user, []]));
  for (const row of rows) {
    const [user, contact] = [row[place.user], row[place.contact]];
    if (user !== null && contact !== null)
      tops.get(String(user))?.push({ id: String(contact), at: lastUploadOf(row[place.at]) });
  }
  // A derived table has no order of its own.
  return users.map((user) => {
    const all = tops.get(user) ?? [];
    return { contacts: eachOnce(all).sort(byKeyDescending), rows: all.length };
  });
}
