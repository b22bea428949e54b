import type { Id } from '../contracts/id.ts';
import { byKeyDescending, type Key } from '../contracts/key.ts';
import type { Database, Value } from './database.ts';
import { BY_KEY, HAS_UPLOAD, LAST_UPLOAD, lastUploadOf } from './last-upload.ts';
import { epochOf } from './pairs.ts';

export interface TopContacts {
  readonly epoch: string;
  /** In the order of the users asked for; each the keys of the user's best contacts, highest first. */
  readonly tops: readonly (readonly Key[])[];
}

// One user: a sort that keeps only the rows wanted. Several: one pass with a window, because MariaDB has no LATERAL.
const TOP_OF_ONE = `
  SELECT e.token, top.user_id, top.contact_id, top.at
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.user_id, c.contact_id, ${LAST_UPLOAD} AS at
    FROM recency_contacts AS c
    WHERE c.user_id = ? AND ${HAS_UPLOAD}
    ORDER BY ${BY_KEY}
    LIMIT ?
  ) AS top ON TRUE`;

const TOP_OF_MANY = `
  SELECT e.token, top.user_id, top.contact_id, top.at
  FROM recency_epoch AS e
  LEFT JOIN (
    SELECT c.user_id, c.contact_id, ${LAST_UPLOAD} AS at,
           ROW_NUMBER() OVER (PARTITION BY c.user_id ORDER BY ${BY_KEY}) AS place
    FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = owner.id
    WHERE ${HAS_UPLOAD}
  ) AS top ON top.place <= ?`;

/**
 * The top `count` contacts of each user by key, in one snapshot together with the epoch.
 * @throws DatabaseUnavailable
 */
export async function readTopContacts(database: Database, users: readonly Id[], count: number): Promise<TopContacts> {
  const [only] = users;
  const rows =
    users.length === 1 && only !== undefined
      ? await database.rows(TOP_OF_ONE, [only, String(count)])
      : await database.rows(TOP_OF_MANY, [JSON.stringify(users), String(count)]);
  return { epoch: epochOf(rows), tops: group(users, rows) };
}

function group(users: readonly Id[], rows: readonly (readonly Value[])[]): Key[][] {
  const tops = new Map<Id, Key[]>(users.map((user) => [user, []]));
  for (const [, user, contact, at] of rows) {
    if (user !== null && contact !== null) tops.get(String(user))?.push({ id: String(contact), at: lastUploadOf(at) });
  }
  // A derived table has no order of its own.
  return users.map((user) => (tops.get(user) ?? []).sort(byKeyDescending));
}
