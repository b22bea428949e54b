import type { Id } from '../contracts/id.ts';
import type { Database } from './database.ts';

/** The column of `users` that holds the newest photo of each audience: 0, 1, 2, 3. */
const COLUMN_OF_AUDIENCE = ['last_public_at', 'last_friends_at', 'last_family_at', 'last_friends_family_at'];

const PRESENT = `
  SELECT COUNT(*) FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE()
    AND (TABLE_NAME = 'users' AND COLUMN_NAME IN ('id', ${COLUMN_OF_AUDIENCE.map((name) => `'${name}'`).join(', ')})
         OR TABLE_NAME = 'photos' AND COLUMN_NAME IN ('owner_id', 'audience', 'uploaded_at'))`;

/** Are the tables of the reference schema there? A site with tables of its own has none to check. */
export async function hasLastUploadColumns(database: Database): Promise<boolean> {
  const [row] = await database.rows(PRESENT, []);
  return Number(row?.[0]) === COLUMN_OF_AUDIENCE.length + 4;
}

const PAGE = 'SELECT id FROM users WHERE id > ? ORDER BY id LIMIT ?';

/** The next users of the reference schema, by id, after the one named ('0': from the first). */
export async function readUsers(database: Database, after: Id | '0', limit: number): Promise<Id[]> {
  return (await database.rows(PAGE, [after, String(limit)])).map((row) => String(row[0]));
}

/** The end of an index: one entry, however many photos there are (newest-photos.ts says why it is asked for so). */
function isWrong(column: string, audience: number): string {
  return `u.${column} <> COALESCE((SELECT p.uploaded_at FROM photos AS p
                                  WHERE p.owner_id = u.id AND p.audience = ${audience}
                                  ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1), 0)`;
}

const COMPARE = `
  SELECT u.id, ${COLUMN_OF_AUDIENCE.map(isWrong).join(' OR ')}
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS asked
  STRAIGHT_JOIN users AS u ON u.id = asked.id`;

export interface ComparedColumns {
  /** Those of the users asked about who are there. */
  readonly users: readonly Id[];
  /** Those of them whose columns are not what their photos say. */
  readonly wrong: readonly Id[];
}

/**
 * Compares the `last_…_at` columns of these users with their photos. Both are of one snapshot, and are written in one
 * transaction: nothing is on its way here.
 * @throws DatabaseUnavailable
 */
export async function compareColumns(database: Database, users: readonly Id[]): Promise<ComparedColumns> {
  const rows = await database.rows(COMPARE, [JSON.stringify(users)]);
  const wrong = rows.filter((row) => Number(row[1]) !== 0);
  return { users: rows.map((row) => String(row[0])), wrong: wrong.map((row) => String(row[0])) };
}
