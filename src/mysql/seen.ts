/** What users have seen (`recency_seen`), and the SQL that says what is new. */

import type { RowDataPacket } from 'mysql2/promise';
import type { Id } from '../contracts/id.ts';
import { namedRelations } from '../contracts/relation.ts';
import { EVERY_PHOTO, type SeenCursor } from '../contracts/seen.ts';
import type { AnswerDatabase, Database } from './database.ts';
import type { EpochRows } from './epoch.ts';
import { type ExtraColumn, type ExtraColumns, NO_EXTRA } from './extra-columns.ts';
import { codeOf } from './faults.ts';
import { askedAboutBy, KIND_NAME } from './kind-database.ts';

// The greater of two cursors, whatever came first. seen_id is assigned first, because both servers let an assignment see
// those before it, and it compares the times. Source 0 has keys, whose ids compare as text; the others have photos.
const RAISE = `
  INSERT INTO recency_seen (user_id, kind, source_id, seen_at, seen_id)
  SELECT ?, given.kind, given.source_id, given.seen_at, given.seen_id
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    kind VARCHAR(32) PATH '$.kind',
    source_id BIGINT UNSIGNED PATH '$.source',
    seen_at BIGINT PATH '$.at',
    seen_id BIGINT UNSIGNED PATH '$.id')) AS given
  ON DUPLICATE KEY UPDATE
    recency_seen.seen_id = CASE
      WHEN given.seen_at > recency_seen.seen_at THEN given.seen_id
      WHEN given.seen_at < recency_seen.seen_at THEN recency_seen.seen_id
      WHEN recency_seen.source_id <> 0 THEN GREATEST(given.seen_id, recency_seen.seen_id)
      WHEN CAST(given.seen_id AS BINARY) > CAST(recency_seen.seen_id AS BINARY) THEN given.seen_id
      ELSE recency_seen.seen_id END,
    recency_seen.seen_at = GREATEST(given.seen_at, recency_seen.seen_at)`;

const READ_IN_USE = 'SELECT seen_in_use FROM recency_epoch';
const SET_IN_USE = 'UPDATE recency_epoch SET seen_in_use = TRUE';

/**
 * Raises the user's cursors, all of them or none. A cursor that is higher already stays, so late, repeated and concurrent
 * calls do no harm.
 * @param cursors one for each kind and source
 * @throws DatabaseUnavailable
 */
export async function raiseSeen(database: Database, user: Id, cursors: readonly SeenCursor[]): Promise<void> {
  if (cursors.length === 0) return;
  const ordered = [...cursors].sort((a, b) => (a.kind < b.kind ? -1 : 1)); // two calls wait for each other, never in a circle
  await database.transaction(async (connection) => {
    await connection.execute(RAISE, [user, JSON.stringify(ordered)]);
    // Read without a lock, so that marks do not wait for each other. A mark is never committed without it.
    const [[row]] = await connection.query<RowDataPacket[]>(READ_IN_USE);
    if (!row?.seen_in_use) await connection.query(SET_IN_USE);
  });
}

/** What a statement compares with the last uploads of the rows that it shows, and what it shows of them. */
export interface Compared {
  /** The cursors of `recency_seen`. Their joins cost a tenth of an answer, so they are left out until there is a cursor. */
  readonly seen: boolean;
  /** When the relations began: the view has the column `since`. A view that gets it later needs a restart. */
  readonly since: boolean;
  /** What it selects only to pass it on. A view that gets such a column later needs a restart, too. */
  readonly extra: ExtraColumns;
  /** It selects `bits`: this process has names for them. */
  readonly bits: boolean;
}

/** A statement whose text depends on what it compares. */
export type ComparingStatement = (by: Compared) => string;

/** The same, with each text made once. There are few: a process compares more, and selects less, as it learns. */
export function madeOnce(statement: ComparingStatement): ComparingStatement {
  const texts = new WeakMap<Compared, string>();
  return (by) => {
    const text = texts.get(by) ?? statement(by);
    texts.set(by, text);
    return text;
  };
}

/** What statements about one kind must compare. It is learned from answers: at first, that nobody has seen anything. */
interface Learned {
  by: Compared;
}

/** By database, and by the name of the kind. */
const LEARNED = new WeakMap<AnswerDatabase, Map<string, Learned>>();

/** Objects for all, so that their statements are made once. */
const AT_FIRST: Compared = { seen: false, since: true, extra: NO_EXTRA, bits: false };
const AT_FIRST_WITH_BITS: Compared = { ...AT_FIRST, bits: true };

function learnedOfServer(server: AnswerDatabase): Map<string, Learned> {
  const learned = LEARNED.get(server) ?? new Map<string, Learned>();
  LEARNED.set(server, learned);
  return learned;
}

function learnedOf(database: AnswerDatabase): Learned {
  const { server, kind } = askedAboutBy(database);
  const ofServer = learnedOfServer(server);
  const learned = ofServer.get(kind) ?? { by: namedRelations().length > 0 ? AT_FIRST_WITH_BITS : AT_FIRST };
  ofServer.set(kind, learned);
  return learned;
}

/** What is learned of one of them holds for both: they ask the same server about the same views. @returns `other` */
export function learnTogether<D extends AnswerDatabase>(other: D, database: AnswerDatabase): D {
  LEARNED.set(other, learnedOfServer(database));
  return other;
}

/** From now on, answers of this database about its kind have these columns too. */
export function passOn(database: AnswerDatabase, extra: ExtraColumns): void {
  const learned = learnedOf(database);
  learned.by = { ...learned.by, extra };
}

const UNKNOWN_COLUMN = /Unknown column '(?:\w+\.)?(\w+)'/;

/** The same without a column that the view lacks; undefined: it is an error of another kind. */
function without(error: unknown, by: Compared): Compared | undefined {
  if (codeOf(error) !== 'ER_BAD_FIELD_ERROR' || !(error instanceof Error)) return undefined;
  const [, lacking] = UNKNOWN_COLUMN.exec(error.message) ?? [];
  if (lacking === 'since' && by.since) return { ...by, since: false };
  const others = (columns: readonly ExtraColumn[]) => columns.filter(({ column }) => column !== lacking);
  const extra = { source: others(by.extra.source), photo: others(by.extra.photo) };
  const isFewer = extra.source.length < by.extra.source.length || extra.photo.length < by.extra.photo.length;
  return isFewer ? { ...by, extra } : undefined;
}

/** Rows, and what their statement compared. */
export type ComparedRows<Rows> = Rows & { readonly by: Compared };

/**
 * Reads rows with whether they are unseen. Whether there are cursors is in the rows themselves, in the same snapshot: if
 * there are and they were not compared, the rows are read again. So they are where the view has lost a column.
 * @param inUse the column that says so
 * @throws what `read` throws
 */
export async function readCompared<Rows extends Pick<EpochRows, 'rows'>>(
  database: AnswerDatabase,
  { statement, inUse }: { readonly statement: ComparingStatement; readonly inUse: number },
  read: (statement: string) => Promise<Rows>,
): Promise<ComparedRows<Rows>> {
  const learned = learnedOf(database);
  for (;;) {
    const { by } = learned;
    try {
      const found = await read(statement(by));
      if (by.seen || Number(found.rows[0]?.[inUse]) !== 1) return { ...found, by };
      learned.by = { ...learned.by, seen: true };
    } catch (error) {
      const fewer = without(error, by);
      if (fewer === undefined) throw error;
      if (learned.by === by) learned.by = fewer; // otherwise another statement has learned it meanwhile
    }
  }
}

/** SQL: where a statement finds the columns of the rows that it compares. */
export interface ComparedRow {
  readonly user: string;
  /** The followed thing's id. */
  readonly id: string;
  /** The last upload, whole ms. */
  readonly at: string;
  /** When the relation began, ms; null: unknown. */
  readonly since: string;
  /** A bitmask: the audiences that the user sees. */
  readonly sees: string;
}

/** Every audience that a bitmask can name. */
const AUDIENCES = Array.from({ length: 64 }, (_, audience) => audience).join(', ');

/**
 * SQL: has the source a photo that the user may see, of the same time as its cursor and above it? It is asked only for those
 * times. The audiences are listed so that an index by owner, audience and time finds it.
 */
function isPhotoAbove({ id, at, sees }: ComparedRow): string {
  return `EXISTS (
      SELECT 1 FROM recency_photos AS tie
      WHERE tie.owner_id = ${id} AND tie.audience IN (${AUDIENCES})
        AND tie.uploaded_at >= ${at} AND tie.uploaded_at < ${at} + 1
        AND tie.id > seen_own.seen_id AND (${sees} >> tie.audience) & 1)`;
}

/**
 * SQL: joins the user's cursor for all of the kind that is asked about (`seen_all`), and the one of each row (`seen_own`),
 * by their primary key.
 */
export function joinSeen({ user, id }: ComparedRow, { seen }: Compared): string {
  if (!seen) return '';
  return `
  LEFT JOIN recency_seen AS seen_all ON seen_all.user_id = ${user} AND seen_all.kind = ${KIND_NAME} AND seen_all.source_id = 0
  LEFT JOIN recency_seen AS seen_own ON seen_own.user_id = ${user} AND seen_own.kind = ${KIND_NAME} AND seen_own.source_id = ${id}`;
}

/**
 * SQL: is the row new to the user? It is if its key is above the cursor for all, one of its photos is above its own
 * cursor, and its last upload came after the relation began.
 */
export function isUnseen(row: ComparedRow, by: Compared): string {
  const { id, at, since } = row;
  const cursors = [
    `(seen_all.seen_at IS NULL OR ${at} > seen_all.seen_at
      OR (${at} = seen_all.seen_at AND CAST(${id} AS BINARY) > CAST(seen_all.seen_id AS BINARY)))`,
    `(seen_own.seen_at IS NULL OR ${at} > seen_own.seen_at OR (${at} = seen_own.seen_at
      AND seen_own.seen_id < ${EVERY_PHOTO} AND ${isPhotoAbove(row)}))`,
  ];
  const conditions = [...(by.seen ? cursors : []), ...(by.since ? [`(${since} IS NULL OR ${at} > ${since})`] : [])];
  return conditions.length === 0 ? 'TRUE' : `(${conditions.join(' AND ')})`;
}
