/** The photos of one thing that a user follows, a page at a time, in either direction. */
import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import { EVERY_PHOTO } from '../contracts/seen.ts';
import type { Deadline } from '../timing/deadline.ts';
import { lastUploadOf, viewColumns, wholeMs, withExtra } from './contacts.ts';
import type { AnswerDatabase, ColumnValue, Parameter } from './database.ts';
import { EPOCH, readAnswer } from './epoch.ts';
import { type ExtraColumn, extraIn, extraRaw, extraValues } from './extra-columns.ts';
import { withUploads } from './last-upload.ts';
import { type Learned, type LearnedStatement, madeOnce } from './learned.ts';
import { audiencesOf, type Photo } from './photos.ts';
import { joinSeen, readCompared } from './seen.ts';

/** What decides which photos of the source the user may see, and which are new. */
export interface SourceRelation {
  /** A bitmask as decimal text; '0': the user does not follow it, or may see nothing of it. */
  readonly sees: string;
  /** The photos above this key are new; undefined: all of them. */
  readonly seen: Key | undefined;
}

export interface SourcePage {
  readonly order: 'newest first' | 'oldest first';
  /** Only photos above this key; undefined: from the oldest. */
  readonly above: Key | undefined;
  /** Only photos below this key; undefined: to the newest. */
  readonly below: Key | undefined;
  readonly limit: number;
}

export interface SourceRows {
  /** In the snapshot of the photos. */
  readonly relation: SourceRelation;
  /** In the order of the page, at most its limit. */
  readonly photos: readonly Photo[];
  /** As in `LiveContacts`. */
  readonly isReplica: boolean;
}

const ROW = { user: 'c.user_id', id: 'c.contact_id', at: 'c.last_upload_at', since: 'c.since', sees: 'c.sees' };

// One branch for each audience reads one range of one index (owner_id, audience, uploaded_at, id). The bounds of the time are
// of whole ms, as the keys are.
const branch = (direction: 'ASC' | 'DESC', { extra }: Learned) => `
    (SELECT p.id, p.audience, ${wholeMs('p.uploaded_at')} AS uploaded_at, p.title${extraRaw('p', extra.photo)}
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ${direction}, p.id ${direction}
     LIMIT ?)`;

const RELATION = { from: 'recency_contacts AS c', where: 'c.user_id = ? AND c.contact_id = ?' };

const RELATION_COLUMNS = 6;

function statement(branches: number, direction: 'ASC' | 'DESC'): LearnedStatement {
  return (by) => {
    const photos = Array<string>(branches).fill(branch(direction, by)).join(' UNION ALL');
    const { from, where } = withUploads(by, RELATION, viewColumns(by));
    return `
  SELECT c.sees, ${by.since ? 'c.since' : 'NULL'},
         ${by.seen ? 'seen_all.seen_at, seen_all.seen_id, seen_own.seen_at, seen_own.seen_id' : 'NULL, NULL, NULL, NULL'},
         photo.id, photo.uploaded_at, photo.title, e.seen_in_use${extraValues('photo', by.extra.photo)}, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN ${from} ON ${where}${joinSeen(ROW, by)}
  LEFT JOIN (${photos}
  ) AS photo ON (c.sees >> photo.audience) & 1`;
  };
}

const IN_USE_COLUMN = RELATION_COLUMNS + 3;

/** Few statement texts, so that prepared statements do not pile up. Unused branches have a NULL uploader. */
const SIZES = [4, 16, 64] as const;

const STATEMENTS = {
  'oldest first': new Map(SIZES.map((size) => [size as number, madeOnce(statement(size, 'ASC'))])),
  'newest first': new Map(SIZES.map((size) => [size as number, madeOnce(statement(size, 'DESC'))])),
};

/**
 * Reads a page of the source's photos in the audiences that the user was seen to see, with the relation of the same snapshot:
 * only if that is still the same is the page whole.
 * @param sees the audiences to look in, a bitmask as decimal text
 * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled
 */
export async function readSourcePhotos(
  database: AnswerDatabase,
  { user, source }: { readonly user: Id; readonly source: Id },
  sees: string,
  page: SourcePage,
  deadline?: Deadline,
): Promise<SourceRows> {
  const audiences = audiencesOf(sees);
  const size = SIZES.find((one) => one >= audiences.length) ?? 64;
  const statement = STATEMENTS[page.order].get(size);
  if (statement === undefined) throw new RangeError(`no statement has ${size} branches`);
  const bounds = boundsOf(page);
  const parameters: Parameter[] = [user, source];
  for (let i = 0; i < size; i++) {
    const audience = audiences[i];
    parameters.push(audience === undefined ? null : source, audience ?? '0', ...bounds, String(page.limit));
  }
  const { rows, isReplica, by } = await readCompared(database, { statement, inUse: IN_USE_COLUMN }, (text) =>
    readAnswer(database, text, parameters, { deadline }),
  );
  const photos = rows.flatMap((row) => (row[RELATION_COLUMNS] === null ? [] : [photoOf(row, by.extra.photo)]));
  photos.sort(page.order === 'oldest first' ? (a, b) => byTime(a, b) : (a, b) => byTime(b, a));
  return { relation: relationOf(rows[0] ?? [], source), photos: photos.slice(0, page.limit), isReplica };
}

/** A time that no photo reaches. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** The parameters of a branch: the range of times, and at either end the ids. */
function boundsOf({ above = { at: 1, id: '0' }, below = { at: NEVER, id: '0' } }: SourcePage): Parameter[] {
  const [from, to] = [above.at, below.at].map(String) as [string, string];
  const after = String(above.at + 1);
  return [from, String(below.at + 1), after, above.id, to, below.id];
}

function relationOf(row: readonly ColumnValue[], source: Id): SourceRelation {
  const [sees = null, since = null, allAt = null, allId = null, ownAt = null, ownId = null] = row;
  const bounds: Key[] = [];
  if (since !== null) bounds.push({ at: Number(since), id: EVERY_PHOTO });
  if (allAt !== null) {
    const covers = source <= String(allId); // its own place at that time is not above the cursor
    bounds.push({ at: covers ? Number(allAt) : Number(allAt) - 1, id: EVERY_PHOTO });
  }
  if (ownAt !== null) bounds.push({ at: Number(ownAt), id: String(ownId) });
  const [seen] = bounds.sort((a, b) => byTime(photoAt(b), photoAt(a)));
  return { sees: String(sees ?? 0), seen: seen !== undefined && seen.at > 0 ? seen : undefined };
}

const photoAt = ({ at, id }: Key) => ({ uploadedAt: at, id });

/** By time, then by id as a number: the order of photos. */
function byTime(a: Pick<Photo, 'uploadedAt' | 'id'>, b: Pick<Photo, 'uploadedAt' | 'id'>): number {
  return a.uploadedAt - b.uploadedAt || a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function photoOf(row: readonly ColumnValue[], extra: readonly ExtraColumn[]): Photo {
  const [id, uploadedAt, title] = row.slice(RELATION_COLUMNS);
  const photo = { id: String(id), uploadedAt: lastUploadOf(uploadedAt), title: String(title ?? '') };
  return withExtra(photo, extraIn(row, extra, IN_USE_COLUMN + 1));
}
