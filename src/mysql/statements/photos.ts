import type { Id } from '../../contracts/id.ts';
import type { Extra } from '../../contracts/kind.ts';
import { extraRaw, extraReader, extraValues } from '../../site/extra-columns.ts';
import type { KindView } from '../../site/kind-view.ts';
import {
  type Columns,
  type OpenColumns,
  type OpenPlaces,
  placesOf,
  type ResultRow,
  selectList,
} from '../../site/row.ts';
import type { Deadline } from '../../timing/deadline.ts';
import type { AnswerDatabase, Parameter } from '../database.ts';
import {
  type ContactsStatement,
  comparedRow,
  contactColumns,
  type LiveContact,
  type ShownContact,
  shownBy,
  viewColumns,
  withExtra,
} from './contacts.ts';
import type { Build, KindDatabase } from './kind-statements.ts';
import { lastUploadOf, withUploads } from './last-upload.ts';
import { namedBits, wholeMs } from './pair-row.ts';
import { joinSeen, readCompared, unseenColumn } from './seen.ts';

export interface Photo {
  readonly id: Id;
  /** ms since 1970 UTC. */
  readonly uploadedAt: number;
  readonly title: string;
  /** As in `ShownContact`, of the photo's view. */
  readonly extra?: Extra;
}

/** A contact and their newest photos that the user may see, in one snapshot. */
export interface ContactPhotos extends ShownContact {
  /** Newest first, then by greater id; at least one. */
  readonly photos: readonly Photo[];
}

// One branch reads the end of one index (owner_id, audience, uploaded_at, id), however many photos the uploader has.
// The join with the view of the pairs in the same snapshot makes it safe: a photo is returned only while the user has the
// contact and may see its audience, whatever was read before.
const branch = ({ kind: { photosView, ownerColumn: owner }, extra }: KindView) => `
    (SELECT p.id, p.${owner}, p.audience, ${wholeMs('p.uploaded_at')} AS uploaded_at, p.title${extraRaw('p', extra.photo)}
     FROM ${photosView} AS p
     WHERE p.${owner} = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)`;

type PhotoColumn = 'photoId' | 'uploadedAt' | 'title';

/** SQL: the columns of a `photo` that {@link photoReader} reads. */
export const PHOTO_COLUMNS: Columns<PhotoColumn> = {
  photoId: 'photo.id',
  uploadedAt: 'photo.uploaded_at',
  title: 'photo.title',
};

/** Reads the photo of a row with {@link PHOTO_COLUMNS} and the extra values of `photo`. */
export function photoReader({ extra }: KindView, place: OpenPlaces<PhotoColumn>): (row: ResultRow) => Photo {
  const passedOn = extraReader('photo', extra.photo, place);
  return (row) => {
    const [id, uploadedAt, title] = [row[place.photoId], row[place.uploadedAt], row[place.title]];
    return withExtra(
      { id: String(id), uploadedAt: lastUploadOf(uploadedAt), title: String(title ?? '') },
      passedOn(row),
    );
  };
}

interface PhotosStatement extends ContactsStatement {
  readonly photoOf: (row: ResultRow) => Photo;
}

const ofBranches =
  (branches: number): Build<PhotosStatement> =>
  (view) => {
    const { view: pairs, idColumn, ownerColumn } = view.kind;
    const wanted = `JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN ${pairs} AS c ON c.user_id = ? AND c.${idColumn} = wanted.id`;
    const passedOn = view.extra.source.map(({ column }) => column);
    const { from, where } = withUploads(view, { from: wanted, where: 'TRUE' }, [...viewColumns(view), ...passedOn]);
    const row = comparedRow(view);
    const columns: OpenColumns<PhotoColumn | keyof ReturnType<typeof contactColumns> | 'unseen' | 'inUse'> = {
      ...{ ...contactColumns(view), unseen: unseenColumn(row, view), ...PHOTO_COLUMNS, inUse: 'e.seen_in_use' },
      ...extraValues('c', view.extra.source),
      ...(view.relations.length > 0 ? { bits: namedBits(view) } : {}),
      ...extraValues('photo', view.extra.photo),
    };
    const text = `
  SELECT ${selectList(columns)}
  FROM recency_epoch AS e
  STRAIGHT_JOIN ${from}${joinSeen(row, view)}
  STRAIGHT_JOIN (${Array<string>(branches).fill(branch(view)).join(' UNION ALL')}
  ) AS photo ON photo.${ownerColumn} = c.${idColumn}
  WHERE ${where} AND (c.sees >> photo.audience) & 1`;
    return { text, ...shownBy(view, columns, 'c'), photoOf: photoReader(view, placesOf(columns)) };
  };

/** Few statement texts, so that prepared statements do not pile up. Unused branches have a NULL uploader. */
const SIZES = [4, 16, 80] as const;
const LARGEST = 80;
const STATEMENTS = new Map(SIZES.map((size) => [size as number, ofBranches(size)]));

interface Branch {
  readonly uploader: Id;
  readonly audience: string;
}

/**
 * The newest photos of each contact that the user may see. Contacts that are no longer related, or of whom the user may
 * see nothing now, are left out. One statement for up to 80 pairs of contact and audience (20 contacts with the
 * reference schema's 4 audiences), otherwise several in parallel.
 * @param contacts as read before; their `sees` says where to look, not what may be seen
 * @param count photos of each contact
 * @throws DatabaseUnavailable
 */
export async function readPhotos(
  database: KindDatabase<AnswerDatabase>,
  user: Id,
  contacts: readonly Pick<LiveContact, 'id' | 'sees'>[],
  count: number,
  deadline?: Deadline,
): Promise<ReadonlyMap<Id, ContactPhotos>> {
  const branches = contacts.flatMap(({ id, sees }) =>
    audiencesOf(sees).map((audience) => ({ uploader: id, audience })),
  );
  const parts = Array.from(chunks(branches), (some) => readPart(database, user, some, count, deadline));
  const rows = Map.groupBy((await Promise.all(parts)).flat(), ({ row, statement }) => String(row[statement.place.id]));
  return new Map(
    Array.from(rows, ([contact, some]) => [contact, contactPhotos(some as [PhotoRow, ...PhotoRow[]], count)]),
  );
}

/** The audiences in a bitmask, as decimal text. */
export function audiencesOf(sees: string): string[] {
  const audiences: string[] = [];
  let bits = BigInt.asUintN(64, BigInt(sees));
  for (let audience = 0; bits > 0n; audience++, bits >>= 1n) if (bits & 1n) audiences.push(String(audience));
  return audiences;
}

async function readPart(
  database: KindDatabase<AnswerDatabase>,
  user: Id,
  branches: readonly Branch[],
  count: number,
  deadline: Deadline | undefined,
): Promise<PhotoRow[]> {
  const size = SIZES.find((size) => size >= branches.length) ?? LARGEST;
  const uploaders = [...new Set(branches.map(({ uploader }) => uploader))];
  const parameters: Parameter[] = [JSON.stringify(uploaders), user];
  for (let i = 0; i < size; i++) {
    const branch = branches[i];
    parameters.push(branch?.uploader ?? null, branch?.audience ?? '0', String(count));
  }
  const build = STATEMENTS.get(size);
  if (build === undefined) throw new RangeError(`no statement has ${size} branches`);
  const { rows, statement } = await readCompared(
    database,
    (known) => known.of(build),
    async ({ text }) => ({
      rows: await database.server.rows(text, parameters, { deadline }),
    }),
  );
  return rows.map((row) => ({ row, statement }));
}

/** A row, and the statement that it is of. */
interface PhotoRow {
  readonly row: ResultRow;
  readonly statement: PhotosStatement;
}

/** Each audience's newest photos together contain the newest of all. */
function contactPhotos(rows: readonly [PhotoRow, ...PhotoRow[]], count: number): ContactPhotos {
  const photos = rows.map(({ row, statement }) => statement.photoOf(row));
  const [{ row, statement }] = rows;
  return { ...statement.contactOf(row), photos: photos.sort(byNewest).slice(0, count) };
}

function byNewest(a: Photo, b: Photo): number {
  return b.uploadedAt - a.uploadedAt || b.id.length - a.id.length || (a.id < b.id ? 1 : -1);
}

function* chunks(branches: readonly Branch[]): Iterable<Branch[]> {
  for (let from = 0; from < branches.length; from += LARGEST) yield branches.slice(from, from + LARGEST);
}
