/**
 * The last upload where a site's view has no column `last_upload_at`: it is derived from the photos, in the same statement
 * and so in the same snapshot. The statements of this folder are written for the column; in the text of each, the column is
 * replaced by an expression. Like `since`, the missing column is noticed by the server's own error, once a database.
 */
import type { AnswerDatabase } from './database.ts';
import { codeOf } from './faults.ts';

const COLUMN = 'c.last_upload_at';

/** Audiences with a subquery of their own. A server prepares each at every execution, so they are few. */
const FIRST = 4;

const HIGHEST = 62;

/**
 * The newest photo of one audience: one entry of the index (owner_id, audience, uploaded_at), however many photos there are
 * and whoever may see the others. Newest first over all audiences would read each photo that the user may not see.
 */
const newest = (audience: string) => `(SELECT p.uploaded_at FROM recency_photos AS p
      WHERE p.owner_id = c.contact_id AND p.audience = ${audience} AND p.uploaded_at >= 1
      ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)`;

const first = (audience: number) => `IF((c.sees >> ${audience}) & 1, COALESCE(${newest(String(audience))}, 0), 0)`;

const OTHERS = JSON.stringify(Array.from({ length: HIGHEST - FIRST + 1 }, (_, i) => FIRST + i));

// Only where a higher bit is set: the list is read anew for every row.
const others = `IF(c.sees >> ${FIRST}, COALESCE((SELECT MAX(${newest('seen.audience')})
      FROM JSON_TABLE('${OTHERS}', '$[*]' COLUMNS (audience INT PATH '$')) AS seen WHERE (c.sees >> seen.audience) & 1), 0), 0)`;

const DERIVED = `GREATEST(${Array.from({ length: FIRST }, (_, audience) => first(audience)).join(', ')}, ${others})`;

const TEXTS = new Map<string, string>();

/** The same statement over a view without the column. The texts are few and fixed, so each is made once. */
export function derivingUploads(statement: string): string {
  const text = TEXTS.get(statement) ?? statement.replaceAll(COLUMN, () => DERIVED);
  TEXTS.set(statement, text);
  return text;
}

const DERIVES = new WeakSet<AnswerDatabase>();

function lacksColumn(error: unknown): boolean {
  return codeOf(error) === 'ER_BAD_FIELD_ERROR' && error instanceof Error && /\blast_upload_at\b/.test(error.message);
}

/**
 * Reads with the column, or without it where the view has none.
 * @param statement about rows of `recency_contacts AS c`
 * @throws what `read` throws
 */
export async function readUploads<T>(
  database: AnswerDatabase,
  statement: string,
  read: (statement: string) => Promise<T>,
): Promise<T> {
  if (DERIVES.has(database)) return await read(derivingUploads(statement));
  try {
    return await read(statement);
  } catch (error) {
    if (!lacksColumn(error)) throw error;
    DERIVES.add(database);
    return await read(derivingUploads(statement));
  }
}

/** Has the view the column? @throws DatabaseUnavailable */
export async function hasLastUploadColumn(database: AnswerDatabase): Promise<boolean> {
  try {
    await database.rows(`SELECT ${COLUMN} FROM recency_contacts AS c LIMIT 0`, []);
    return true;
  } catch (error) {
    if (lacksColumn(error)) return false;
    throw error;
  }
}
