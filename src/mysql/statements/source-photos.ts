/** The photos of one thing that a user follows, a page at a time, in either direction. */
import type { Id } from '../../contracts/id.ts';
import type { Key } from '../../contracts/key.ts';
import { EVERY_PHOTO } from '../../contracts/seen.ts';
import { extraRaw, extraValues } from '../../site/extra-columns.ts';
import type { KindView } from '../../site/kind-view.ts';
import { type Columns, type Places, placesOf, type ResultRow, selectList } from '../../site/row.ts';
import type { Deadline } from '../../timing/deadline.ts';
import type { AnswerDatabase, Parameter } from '../database.ts';
import { EPOCH, readAnswer } from '../epoch.ts';
import { comparedRow, viewColumns } from './contacts.ts';
import type { Build, KindDatabase } from './kind-statements.ts';
import { withUploads } from './last-upload.ts';
import { wholeMs } from './pair-row.ts';
import { audiencesOf, PHOTO_COLUMNS, type Photo, photoReader } from './photos.ts';
import { type ComparedStatement, cursorColumns, joinSeen, readCompared } from './seen.ts';

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

type Direction = 'ASC' | 'DESC';

// One branch for each audience reads one range of one index (owner_id, audience, uploaded_at, id). The bounds of the time are
// of whole ms, as the keys are.
const branch = (direction: Direction, { kind: { photosView, ownerColumn }, extra }: KindView) => `
    (SELECT p.id, p.audience, ${wholeMs('p.uploaded_at')} AS uploaded_at, p.title${extraRaw('p', extra.photo)}
     FROM ${photosView} AS p
     WHERE p.${ownerColumn} = ? AND p.audience = ? AND p.uploaded_at >= ? AND p.uploaded_at < ?
       AND (p.uploaded_at >= ? OR p.id > ?) AND (p.uploaded_at < ? OR p.id < ?)
     ORDER BY p.uploaded_at ${direction}, p.id ${direction}
     LIMIT ?)`;

type RelationColumn = 'sees' | 'since' | 'allAt' | 'allId' | 'ownAt' | 'ownId';

interface SourcePhotosStatement extends ComparedStatement {
  readonly relationOf: (row: ResultRow, source: Id) => SourceRelation;
  /** None: the source has no photo on the page. */
  readonly photosOf: (row: ResultRow) => Photo[];
}

const NO_CURSORS = { allAt: 'NULL', allId: 'NULL', ownAt: 'NULL', ownId: 'NULL' };

const ofBranches =
  (branches: number, direction: Direction): Build<SourcePhotosStatement> =>
  (view) => {
    const { view: pairs, idColumn } = view.kind;
    const relation = { from: `${pairs} AS c`, where: `c.user_id = ? AND c.${idColumn} = ?` };
    const { from, where } = withUploads(view, relation, viewColumns(view));
    const columns = {
      ...{ sees: 'c.sees', since: view.since ? 'c.since' : 'NULL' },
      ...(view.cursors ? { ...cursorColumns('all'), ...cursorColumns('own') } : NO_CURSORS),
      ...{ ...PHOTO_COLUMNS, inUse: 'e.seen_in_use', ...extraValues('photo', view.extra.photo) },
    } satisfies Columns<RelationColumn>;
    const photos = Array<string>(branches).fill(branch(direction, view)).join(' UNION ALL');
    const text = `
  SELECT ${selectList(columns)}, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN ${from} ON ${where}${joinSeen(comparedRow(view, 'c.last_upload_at'), view)}
  LEFT JOIN (${photos}
  ) AS photo ON (c.sees >> photo.audience) & 1`;
    const place = placesOf(columns);
    const photoOf = photoReader(view, place);
    return {
      ...{ text, view, inUse: place.inUse },
      relationOf: (row, source) => relationOf(row, place, source),
      photosOf: (row) => (row[place.photoId] === null ? [] : [photoOf(row)]),
    };
  };

/** Few statement texts, so that prepared statements do not pile up. Unused branches have a NULL uploader. */
const SIZES = [4, 16, 64] as const;

const STATEMENTS = {
  'oldest first': new Map(SIZES.map((size) => [size as number, ofBranches(size, 'ASC')])),
  'newest first': new Map(SIZES.map((size) => [size as number, ofBranches(size, 'DESC')])),
};

/**
 * Reads a page of the source's photos in the audiences that the user was seen to see, with the relation of the same snapshot:
 * only if that is still the same is the page whole.
 * @param sees the audiences to look in, a bitmask as decimal text
 * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled
 */
export async function readSourcePhotos(
  database: KindDatabase<AnswerDatabase>,
  { user, source }: { readonly user: Id; readonly source: Id },
  sees: string,
  page: SourcePage,
  deadline?: Deadline,
): Promise<SourceRows> {
  const audiences = audiencesOf(sees);
  const size = SIZES.find((one) => one >= audiences.length) ?? 64;
  const build = STATEMENTS[page.order].get(size);
  if (build === undefined) throw new RangeError(`no statement has ${size} branches`);
  const bounds = boundsOf(page);
  const parameters: Parameter[] = [user, source];
  for (let i = 0; i < size; i++) {
    const audience = audiences[i];
    parameters.push(audience === undefined ? null : source, audience ?? '0', ...bounds, String(page.limit));
  }
  const { rows, isReplica, statement } = await readCompared(
    database,
    (known) => known.of(build),
    ({ text }) => readAnswer(database.server, text, parameters, { deadline }),
  );
  const photos = rows.flatMap(statement.photosOf);
  photos.sort(page.order === 'oldest first' ? (a, b) => byTime(a, b) : (a, b) => byTime(b, a));
  return { relation: statement.relationOf(rows[0] ?? [], source), photos: photos.slice(0, page.limit), isReplica };
}

/** A time that no photo reaches. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** The parameters of a branch: the range of times, and at either end the ids. */
function boundsOf({ above = { at: 1, id: '0' }, below = { at: NEVER, id: '0' } }: SourcePage): Parameter[] {
  const [from, to] = [above.at, below.at].map(String) as [string, string];
  const after = String(above.at + 1);
  return [from, String(below.at + 1), after, above.id, to, below.id];
}

function relationOf(row: ResultRow, place: Places<RelationColumn>, source: Id): SourceRelation {
  const valueIn = (name: RelationColumn) => row[place[name]] ?? null;
  const [sees, since, allAt, ownAt] = [valueIn('sees'), valueIn('since'), valueIn('allAt'), valueIn('ownAt')];
  const bounds: Key[] = [];
  if (since !== null) bounds.push({ at: Number(since), id: EVERY_PHOTO });
  if (allAt !== null) {
    const covers = source <= String(valueIn('allId')); // its own place at that time is not above the cursor
    bounds.push({ at: covers ? Number(allAt) : Number(allAt) - 1, id: EVERY_PHOTO });
  }
  if (ownAt !== null) bounds.push({ at: Number(ownAt), id: String(valueIn('ownId')) });
  const [seen] = bounds.sort((a, b) => byTime(photoAt(b), photoAt(a)));
  return { sees: String(sees ?? 0), seen: seen !== undefined && seen.at > 0 ? seen : undefined };
}

const photoAt = ({ at, id }: Key) => ({ uploadedAt: at, id });

/** By time, then by id as a number: the order of photos. */
function byTime(a: Pick<Photo, 'uploadedAt' | 'id'>, b: Pick<Photo, 'uploadedAt' | 'id'>): number {
  return a.uploadedAt - b.uploadedAt || a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
