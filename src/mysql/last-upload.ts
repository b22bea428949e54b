/**
 * The last upload of a row of `recency_contacts AS c`. A view may hold it in a column, `last_upload_at`. Where it does not, it
 * is derived from the photos, in the same statement and so in the same snapshot.
 *
 * It is derived by one look-up for each audience that the user sees, in the index that the photos of an uploader are read
 * from as well, (owner_id, audience, uploaded_at, id). Each look-up reads one entry, however many photos there are and whoever
 * may see the others. Newest first over all audiences would need a second index, and would read every photo that is newer
 * than the first one that the user may see: 100,000 for an owner with 100,000 private ones.
 */
import type { AnswerDatabase, ColumnValue } from './database.ts';
import { NOT_SELF } from './id-spaces.ts';
import { type Learned, learnedOf, madeOnce, readLearned } from './learned.ts';

/** The greatest whole number that a Redis score holds exactly; in ms that is the year 287,396. */
export const GREATEST_SCORE = Number.MAX_SAFE_INTEGER;

/**
 * SQL: the user has this contact now. Nobody is a contact of their own: what says otherwise is ignored. (Where the
 * ids are of different things, this compares nothing: of a kind that follows no users, see kind-database.ts, and with
 * RECENCY_SEPARATE_IDS, see id-spaces.ts.)
 */
export const IS_RELATED = `(c.related AND ${NOT_SELF})`;

/**
 * SQL: a time as an index holds it, whatever its numeric type: whole ms. One that a Redis score cannot hold exactly counts as
 * the greatest that it can, so that SQL and Redis order them alike.
 */
export function asScore(time: string): string {
  return `CAST(FLOOR(LEAST(${time}, ${GREATEST_SCORE})) AS SIGNED)`;
}

/** SQL: the last upload of a row with a column of it, as an index holds it. */
export const LAST_UPLOAD = asScore('c.last_upload_at');

/**
 * SQL: the order of an index, highest first: the last upload, then the id as binary text, because Redis orders equal
 * scores by the bytes of the member.
 */
export const BY_KEY = `${LAST_UPLOAD} DESC, CAST(c.contact_id AS BINARY) DESC`;

/** Audiences with a subquery of their own. A server plans each at every execution, so they are few. */
const FIRST = 4;

/** Of all. */
const AUDIENCES = 63;

const OTHERS = JSON.stringify(Array.from({ length: AUDIENCES - FIRST }, (_, i) => FIRST + i));

/** Statements about few rows exist for these numbers of audiences, so that prepared statements do not pile up. */
const SIZES = [1, 2, FIRST, AUDIENCES] as const;

/**
 * The least of {@link SIZES} that has all audiences that the user sees.
 * @param sees a bitmask, as the driver returns it
 */
export function audiencesToLookUp(sees: ColumnValue | undefined): number {
  const bits = Number(sees ?? 0);
  return SIZES.find((size) => bits >= 0 && bits < 2 ** size) ?? AUDIENCES;
}

/**
 * The ORDER BY names all columns of the index: with fewer, MySQL sorts the photos of the uploader. If the newest is of a time
 * that counts as none, so are the others.
 */
const newest = (owner: string, audience: string) => `(SELECT p.uploaded_at FROM recency_photos AS p
        WHERE p.owner_id = ${owner} AND p.audience = ${audience}
        ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)`;

/**
 * SQL: the newest photo of an owner among the audiences that the row `c` sees, as it is in the photos; below 1: there is none.
 * @param audiences only the first so many; one of {@link SIZES}
 */
function newestSeen(owner: string, audiences = AUDIENCES): string {
  const among = (audience: number) =>
    `IF(c.sees & ${2 ** audience}, COALESCE(${newest(owner, String(audience))}, 0), 0)`;
  const [everybody = '', ...more] = Array.from({ length: Math.min(audiences, FIRST) }, (_, audience) =>
    among(audience),
  );
  if (audiences > FIRST) more.push(amongOthers(owner));
  if (more.length === 0) return everybody;
  // Most rows see only the public photos: those ask no further.
  return `GREATEST(${everybody}, IF(c.sees >> 1, ${more.length === 1 ? more[0] : `GREATEST(${more.join(', ')})`}, 0))`;
}

/** The list of the audiences is read anew for each row that sees one of them. */
function amongOthers(owner: string): string {
  return `IF(c.sees >> ${FIRST}, COALESCE((
      SELECT MAX(${newest(owner, 'seen.audience')})
      FROM JSON_TABLE('${OTHERS}', '$[*]' COLUMNS (audience INT PATH '$')) AS seen
      WHERE (c.sees >> seen.audience) & 1), 0), 0)`;
}

/**
 * The cast changes no value. Without it MariaDB 10.11 finds no photo of an id above 2^63 where it reads the row first, by its
 * primary key: it takes the id for a negative number, and the condition for impossible.
 */
const OWNER = 'CAST(c.contact_id AS UNSIGNED)';

/** How many times {@link ofOneOwner} names the owner. */
export const OWNER_PARAMETERS = FIRST + 1;

/** SQL: {@link lastUpload} where one owner is a parameter: the server looks up the owner's photos once, not for each row. */
export function ofOneOwner({ lastUpload }: Learned): string {
  return asScore(lastUpload ? 'c.last_upload_at' : newestSeen('?'));
}

/** SQL: the last upload as an index holds it. It is worth naming once in a statement only; see {@link withUploads}. */
export function lastUpload({ lastUpload }: Learned): string {
  return asScore(lastUpload ? 'c.last_upload_at' : newestSeen(OWNER));
}

/** SQL: the same, of a source with few rows: among the audiences that those have been found to see ({@link Learned}). */
export function lastUploadOfFew(by: Learned, { id = OWNER }: RowSource): string {
  return asScore(by.lastUpload ? 'c.last_upload_at' : newestSeen(id, by.audiences));
}

/** SQL: the same, of rows that may not be related. Nobody asks for the photos of those. */
export function lastUploadIfRelated(by: Learned): string {
  return by.lastUpload ? lastUpload(by) : `IF(${IS_RELATED}, ${lastUpload(by)}, 0)`;
}

/** More rows than there are. With a limit no server merges the derived table, and so evaluates it once for each row. */
const ALL_ROWS = '18446744073709551615';

/** SQL: what a statement selects from, and its condition. */
export interface RowSource {
  readonly from: string;
  readonly where: string;
  /**
   * - `few`: what a statement costs is to plan it, so it has look-ups only for the audiences that somebody was found to see
   * - `many`: what it costs is its rows, so a view's expressions are evaluated once for each
   */
  readonly rows?: 'few' | 'many';
  /** Of few rows: what equals the contact's id, and is a BIGINT UNSIGNED. It saves a cast in each look-up, a twentieth of such a read. */
  readonly id?: string;
}

/**
 * SQL: related rows `c` with a column `c.last_upload_at` that is at least 1, whether the view has it or not. Derived, it is
 * evaluated once for each row, and only if the rest of the condition holds. Few rows may be returned without one: those that see
 * an audience that is not looked up.
 * @param source ends with `recency_contacts AS c`, joined or not; that the rows are related is added to its condition
 * @param columns of the view, that the statement names beside `c.last_upload_at`
 */
export function withUploads(by: Learned, source: RowSource, columns: readonly string[]): RowSource {
  const { from, where, rows } = source;
  if (by.lastUpload) return { from, where: `${where} AND ${IS_RELATED} AND c.last_upload_at >= 1` };
  const audiences = rows === 'few' ? by.audiences : AUDIENCES;
  const found = derived(source, columns, `LIMIT ${ALL_ROWS}`, audiences);
  return { from: found, where: rows === 'few' ? `(${HAS_ONE} OR c.sees >> ${audiences})` : HAS_ONE };
}

/**
 * SQL: the first of those rows, highest key first, in no order. Ends with one more placeholder: how many.
 * @param select what to select of `c`, `FROM` excluded
 */
export function topUploads(by: Learned, source: RowSource, columns: readonly string[], select: string): string {
  const { from, where } = by.lastUpload
    ? withUploads(by, source, columns)
    : { from: derived(source, columns, `${BY_DERIVED_KEY} LIMIT ?`), where: HAS_ONE };
  return `
    SELECT ${select}
    FROM ${from}
    WHERE ${where}
    ${by.lastUpload ? `ORDER BY ${BY_KEY}\n    LIMIT ?` : ''}`;
}

const HAS_ONE = 'c.last_upload_at >= 1';

// Rows without an upload are the last, so that they may be left out after the limit.
const BY_DERIVED_KEY = 'ORDER BY last_upload_at DESC, CAST(c.contact_id AS BINARY) DESC';

const related = ({ from, where }: RowSource) => `${from} WHERE ${where} AND ${IS_RELATED}`;

const named = (columns: readonly string[]) => columns.map((column) => `c.${column} AS ${column}`).join(', ');

function derived(source: RowSource, columns: readonly string[], limited: string, audiences?: number): string {
  const from = source.rows === 'many' ? readFirst(source, columns) : related(source);
  return `(SELECT ${named(columns)}, ${asScore(newestSeen(source.id ?? OWNER, audiences))} AS last_upload_at
      FROM ${from} ${limited}) AS c`;
}

/** A table of its own, because a view's `sees` is evaluated wherever it is named. */
function readFirst(source: RowSource, columns: readonly string[]): string {
  return `(SELECT ${named([...new Set([...columns, 'sees'])])}
      FROM ${related(source)} LIMIT ${ALL_ROWS}) AS c`;
}

const ANY = madeOnce(
  ({ lastUpload }) => `SELECT ${lastUpload ? 'c.last_upload_at' : '0'} FROM recency_contacts AS c LIMIT 0`,
);

/** Where the last uploads of a kind come from. */
export type UploadsFrom = 'column' | 'photos';

/** The same without asking: what the last statement about the pairs found. */
export function uploadsFound(database: AnswerDatabase | undefined): UploadsFrom {
  return database === undefined || learnedOf(database).by.lastUpload ? 'column' : 'photos';
}

/** Asks the server if nothing is known yet. @throws DatabaseUnavailable */
export async function uploadsFrom(database: AnswerDatabase): Promise<UploadsFrom> {
  return await readLearned(database, ANY, async (statement, { lastUpload }) => {
    await database.rows(statement, []);
    return lastUpload ? 'column' : 'photos';
  });
}
