/**
 * The last upload of a row `c` of the view with the pairs. The view may hold it in a column, `last_upload_at`. Where it does not,
 * it is derived from the photos, in the same statement and so in the same snapshot.
 *
 * It is derived by one look-up for each audience that the user sees, in the index that the photos of an uploader are read
 * from as well, (owner_id, audience, uploaded_at, id). Each look-up reads one entry, however many photos there are and
 * whatever their audiences. Newest first over all audiences would need a second index, and would read every photo that is newer
 * than the first one that the user may see: 100,000 for an owner with 100,000 private ones.
 */
import type { KindView } from '../../site/kind-view.ts';
import type { ColumnValue } from '../../site/row.ts';
import type { AnswerDatabase } from '../database.ts';
import type { KindDatabase, KindStatements } from './kind-statements.ts';
import { asScore, byKey, GREATEST_SCORE, isRelated, named } from './pair-row.ts';

/** The last upload in ms since 1970 UTC; 0 when there is none. */
export function lastUploadOf(column: ColumnValue | bigint | undefined): number {
  const at = Number(column ?? 0);
  return at > 0 ? Math.min(at, GREATEST_SCORE) : 0;
}

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
function newest({ kind: { photosView, ownerColumn } }: KindView, owner: string, audience: string): string {
  return `(SELECT p.uploaded_at FROM ${photosView} AS p
        WHERE p.${ownerColumn} = ${owner} AND p.audience = ${audience}
        ORDER BY p.${ownerColumn} DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)`;
}

/**
 * SQL: the newest photo of an owner among the audiences that the row `c` sees, as it is in the photos; below 1: there is none.
 * @param audiences only the first so many; one of {@link SIZES}
 */
function newestSeen(view: KindView, owner: string, audiences = AUDIENCES): string {
  const among = (audience: number) =>
    `IF(c.sees & ${2 ** audience}, COALESCE(${newest(view, owner, String(audience))}, 0), 0)`;
  const [everybody = '', ...more] = Array.from({ length: Math.min(audiences, FIRST) }, (_, audience) =>
    among(audience),
  );
  if (audiences > FIRST) more.push(amongOthers(view, owner));
  if (more.length === 0) return everybody;
  // Most rows see only the public photos: those ask no further.
  return `GREATEST(${everybody}, IF(c.sees >> 1, ${more.length === 1 ? more[0] : `GREATEST(${more.join(', ')})`}, 0))`;
}

/** The list of the audiences is read anew for each row that sees one of them. */
function amongOthers(view: KindView, owner: string): string {
  return `IF(c.sees >> ${FIRST}, COALESCE((
      SELECT MAX(${newest(view, owner, 'seen.audience')})
      FROM JSON_TABLE('${OTHERS}', '$[*]' COLUMNS (audience INT PATH '$')) AS seen
      WHERE (c.sees >> seen.audience) & 1), 0), 0)`;
}

/**
 * The cast changes no value. Without it MariaDB 10.11 finds no photo of an id above 2^63 where it reads the row first, by its
 * primary key: it takes the id for a negative number, and the condition for impossible.
 */
const ownerOf = ({ kind: { idColumn } }: KindView) => `CAST(c.${idColumn} AS UNSIGNED)`;

/** How many times {@link ofOneOwner} names the owner. */
export const OWNER_PARAMETERS = FIRST + 1;

/** SQL: {@link lastUpload} where one owner is a parameter: the server looks up the owner's photos once, not for each row. */
export function ofOneOwner(view: KindView): string {
  return asScore(view.lastUpload ? 'c.last_upload_at' : newestSeen(view, '?'));
}

/** SQL: the last upload as an index holds it. It is worth naming once in a statement only; see {@link withUploads}. */
export function lastUpload(view: KindView): string {
  return asScore(view.lastUpload ? 'c.last_upload_at' : newestSeen(view, ownerOf(view)));
}

/** SQL: the same, of a source with few rows: among the audiences that those have been found to see ({@link KindView}). */
export function lastUploadOfFew(view: KindView, { id = ownerOf(view) }: RowSource): string {
  return asScore(view.lastUpload ? 'c.last_upload_at' : newestSeen(view, id, view.audiences));
}

/** SQL: the same, of rows that may not be related. Nobody asks for the photos of those. */
export function lastUploadIfRelated(view: KindView): string {
  return view.lastUpload ? lastUpload(view) : `IF(${isRelated(view)}, ${lastUpload(view)}, 0)`;
}

/** More rows than there are. With a limit no server merges the derived table, and so evaluates it once for each row. */
const ALL_ROWS = '18446744073709551615';

/** SQL: what a statement selects from, and its condition. */
export interface RowSource {
  /** Ends with the view of the pairs as `c`, joined or not. */
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
 * @param source that the rows are related is added to its condition
 * @param columns of the view, that the statement names beside `c.last_upload_at`
 */
export function withUploads(view: KindView, source: RowSource, columns: readonly string[]): RowSource {
  const { from, where, rows } = source;
  if (view.lastUpload) return { from, where: `${where} AND ${isRelated(view)} AND ${HAS_ONE}` };
  const audiences = rows === 'few' ? view.audiences : AUDIENCES;
  const found = derived(view, source, columns, `LIMIT ${ALL_ROWS}`, audiences);
  return { from: found, where: rows === 'few' ? `(${HAS_ONE} OR c.sees >> ${audiences})` : HAS_ONE };
}

/**
 * SQL: the first of those rows, highest key first, in no order. Ends with one more placeholder: how many.
 * @param select what to select of `c`, `FROM` excluded
 */
export function topUploads(view: KindView, source: RowSource, columns: readonly string[], select: string): string {
  const { from, where } = view.lastUpload
    ? withUploads(view, source, columns)
    : { from: derived(view, source, columns, `${byDerivedKey(view)} LIMIT ?`), where: HAS_ONE };
  return `
    SELECT ${select}
    FROM ${from}
    WHERE ${where}
    ${view.lastUpload ? `ORDER BY ${byKey(view)}\n    LIMIT ?` : ''}`;
}

const HAS_ONE = 'c.last_upload_at >= 1';

// Rows without an upload are the last, so that they may be left out after the limit.
const byDerivedKey = ({ kind: { idColumn } }: KindView) =>
  `ORDER BY last_upload_at DESC, CAST(c.${idColumn} AS BINARY) DESC`;

const related = (view: KindView, { from, where }: RowSource) => `${from} WHERE ${where} AND ${isRelated(view)}`;

function derived(
  view: KindView,
  source: RowSource,
  columns: readonly string[],
  limited: string,
  audiences?: number,
): string {
  const from = source.rows === 'many' ? readFirst(view, source, columns) : related(view, source);
  return `(SELECT ${named(view, columns)}, ${asScore(newestSeen(view, source.id ?? ownerOf(view), audiences))} AS last_upload_at
      FROM ${from} ${limited}) AS c`;
}

/** A table of its own, because a view's `sees` is evaluated wherever it is named. */
function readFirst(view: KindView, source: RowSource, columns: readonly string[]): string {
  return `(SELECT ${named(view, [...new Set([...columns, 'sees'])])}
      FROM ${related(view, source)} LIMIT ${ALL_ROWS}) AS c`;
}

/** Where the last uploads of a kind come from. */
export type UploadsFrom = 'column' | 'photos';

/** What is known already. */
export function uploadsFound({ view: { lastUpload } }: KindStatements): UploadsFrom {
  return lastUpload ? 'column' : 'photos';
}

/** Asks the server. @throws DatabaseUnavailable */
export async function uploadsFrom({ server, statements }: KindDatabase<AnswerDatabase>): Promise<UploadsFrom> {
  await statements.probe(server);
  return uploadsFound(statements);
}
