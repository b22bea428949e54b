/** The views over the tables of the reference schema: their text, and what they need. */
import type { Id } from '../contracts/id.ts';
import { CONTACTS, GROUPS } from '../contracts/kind.ts';
import type { Database } from './database.ts';

/** How the reference schema makes one view. */
interface ReferenceView {
  /** The reference tables that its kind needs, with the columns that the views and the reference site use. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** The SELECT, which the optimizer merges into every question. @param present `table.column` of what exists */
  readonly select: (present: ReadonlySet<string>) => string;
}

const PHOTOS = { photos: ['id', 'owner_id', 'audience', 'uploaded_at', 'title'] };

const OF_CONTACTS = {
  users: ['id', 'name', 'last_public_at', 'last_friends_at', 'last_family_at', 'last_friends_family_at'],
  contacts: ['user_id', 'contact_id', 'is_friend', 'is_family', 'active', 'version'],
  ...PHOTOS,
};

const OF_GROUPS = {
  user_groups: ['id', 'name', 'last_public_at'],
  memberships: ['user_id', 'group_id', 'active', 'version', 'since'],
  group_pools: ['group_id', 'photo_id', 'audience', 'added_at'],
  ...PHOTOS,
};

// STRAIGHT_JOIN: with JOIN the optimizer may read all users first and look up each among a heavy user's contacts.
const CONTACTS_VIEW: ReferenceView = {
  tables: OF_CONTACTS,
  select: (present) => `
    SELECT contacts.user_id,
           contacts.contact_id,
           contacts.active AS related,
           GREATEST(users.last_public_at,
                    IF(granted.is_friend, users.last_friends_at, 0),
                    IF(granted.is_family, users.last_family_at, 0),
                    IF(granted.is_friend OR granted.is_family, users.last_friends_family_at, 0)) AS last_upload_at,
           1 | IF(granted.is_friend, 2, 0) | IF(granted.is_family, 4, 0)
             | IF(granted.is_friend OR granted.is_family, 8, 0) AS sees,
           contacts.is_friend,
           contacts.is_family,
           contacts.version${present.has('contacts.since') ? ',\n           contacts.since' : ''}
    FROM contacts
    STRAIGHT_JOIN users ON users.id = contacts.contact_id
    LEFT JOIN contacts AS granted
      ON granted.user_id = contacts.contact_id AND granted.contact_id = contacts.user_id AND granted.active`,
};

// A group shows what is public, to all of its members: what an owner grants depends on the owner, and a group has many.
const GROUPS_VIEW: ReferenceView = {
  tables: OF_GROUPS,
  select: () => `
    SELECT memberships.user_id,
           memberships.group_id,
           memberships.active AS related,
           user_groups.last_public_at AS last_upload_at,
           1 AS sees,
           memberships.version,
           memberships.since
    FROM memberships
    STRAIGHT_JOIN user_groups ON user_groups.id = memberships.group_id`,
};

const GROUP_PHOTOS_VIEW: ReferenceView = {
  tables: OF_GROUPS,
  select: () => `
    SELECT group_pools.photo_id AS id, group_pools.group_id, group_pools.audience,
           group_pools.added_at AS uploaded_at, photos.title
    FROM group_pools
    STRAIGHT_JOIN photos ON photos.id = group_pools.photo_id`,
};

/** By the name of the view. A kind without one here has views of the site's own. */
export const REFERENCE_VIEWS: ReadonlyMap<string, ReferenceView> = new Map([
  [CONTACTS.view, CONTACTS_VIEW],
  [
    CONTACTS.photosView,
    { tables: OF_CONTACTS, select: () => 'SELECT id, owner_id, audience, uploaded_at, title FROM photos' },
  ],
  [GROUPS.view, GROUPS_VIEW],
  [GROUPS.photosView, GROUP_PHOTOS_VIEW],
]);

/** The columns of the reference schema that keep the newest photo of each audience, compared with the photos. */

/** The columns of `users` in the reference schema with the newest photo of audience 0, 1, 2 and 3. */
const COLUMN_OF_AUDIENCE = ['last_public_at', 'last_friends_at', 'last_family_at', 'last_friends_family_at'];

const PRESENT = `
  SELECT COUNT(*) FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE()
    AND (TABLE_NAME = 'users' AND COLUMN_NAME IN ('id', ${COLUMN_OF_AUDIENCE.map((name) => `'${name}'`).join(', ')})
         OR TABLE_NAME = 'photos' AND COLUMN_NAME IN ('owner_id', 'audience', 'uploaded_at'))`;

/** Does the database have the tables of the reference schema? A site with tables of its own has nothing to check. */
export async function hasLastUploadColumns(database: Database): Promise<boolean> {
  const [row] = await database.rows(PRESENT, []);
  return Number(row?.[0]) === COLUMN_OF_AUDIENCE.length + 4;
}

const USERS = 'SELECT id FROM users WHERE id > ? ORDER BY id LIMIT ?';

/** The next users of the reference schema, in the order of their ids. @param after '0': from the first */
export async function readUsers(database: Database, after: Id | '0', limit: number): Promise<Id[]> {
  return (await database.rows(USERS, [after, String(limit)])).map((row) => String(row[0]));
}

/** Reads one entry of an index, however many photos there are. */
function isWrongColumn(column: string, audience: number): string {
  return `u.${column} <> COALESCE((SELECT p.uploaded_at FROM photos AS p
                                  WHERE p.owner_id = u.id AND p.audience = ${audience}
                                  ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0)`;
}

const COMPARED_COLUMNS = `
  SELECT u.id, ${COLUMN_OF_AUDIENCE.map(isWrongColumn).join(' OR ')}
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS asked
  STRAIGHT_JOIN users AS u ON u.id = asked.id`;

interface ComparedColumns {
  /** The users asked for that exist. */
  readonly users: readonly Id[];
  /** Those of them whose columns contradict their photos. */
  readonly wrong: readonly Id[];
}

/**
 * Compares the `last_…_at` columns of these users with their photos. Both are read in one snapshot and written in one
 * transaction, so every difference is an error.
 * @throws DatabaseUnavailable
 */
export async function compareColumns(database: Database, users: readonly Id[]): Promise<ComparedColumns> {
  const rows = await database.rows(COMPARED_COLUMNS, [JSON.stringify(users)]);
  const wrong = rows.filter((row) => Number(row[1]) !== 0);
  return { users: rows.map((row) => String(row[0])), wrong: wrong.map((row) => String(row[0])) };
}
