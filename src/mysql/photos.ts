import type { Extra } from '../contracts/extra.ts';
import type { Id } from '../contracts/id.ts';
import type { Deadline } from '../timing/deadline.ts';
import {
  BITS,
  COLUMNS,
  type LiveContact,
  lastUploadOf,
  restOf,
  type ShownContact,
  viewColumns,
  wholeMs,
  withExtra,
} from './contacts.ts';
import type { AnswerDatabase, ColumnValue, Parameter } from './database.ts';
import { extraIn, extraRaw, extraValues } from './extra-columns.ts';
import { LAST_UPLOAD, withUploads } from './last-upload.ts';
import { type Learned, type LearnedStatement, madeOnce } from './learned.ts';
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
// The join with recency_contacts in the same snapshot makes it safe: a photo is returned only while the user has the
// contact and may see its audience, whatever was read before.
const branch = ({ extra }: Learned) => `
    (SELECT p.id, p.owner_id, p.audience, ${wholeMs('p.uploaded_at')} AS uploaded_at, p.title${extraRaw('p', extra.photo)}
     FROM recency_photos AS p
     WHERE p.owner_id = ? AND p.audience = ? AND p.uploaded_at >= 1
     ORDER BY p.uploaded_at DESC, p.id DESC
     LIMIT ?)`;

const ROW = { user: 'c.user_id', id: 'c.contact_id', at: LAST_UPLOAD, since: 'c.since', sees: 'c.sees' };

/** The place behind `COLUMNS`, whether the contact is unseen, and the photo. */
const IN_USE_COLUMN = 9;

const WANTED = {
  from: `JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
  STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = wanted.id`,
  where: 'TRUE',
};

function statement(branches: number): LearnedStatement {
  return (by) => {
    const passedOn = by.extra.source.map(({ column }) => column);
    const { from, where } = withUploads(by, WANTED, [...viewColumns(by), ...passedOn]);
    return `
  SELECT ${COLUMNS}, ${unseenColumn(ROW, by)}, photo.id, photo.uploaded_at, photo.title, e.seen_in_use${extraValues('c', by.extra.source)}${by.bits ? `, ${BITS}` : ''}${extraValues('photo', by.extra.photo)}
  FROM recency_epoch AS e
  STRAIGHT_JOIN ${from}${joinSeen(ROW, by)}
  STRAIGHT_JOIN (${Array<string>(branches).fill(branch(by)).join(' UNION ALL')}
  ) AS photo ON photo.owner_id = c.contact_id
  WHERE ${where} AND (c.sees >> photo.audience) & 1`;
  };
}

/** Few statement texts, so that prepared statements do not pile up. Unused branches have a NULL uploader. */
const SIZES = [4, 16, 80] as const;
const LARGEST = 80;
const STATEMENTS = new Map(SIZES.map((size) => [size as number, madeOnce(statement(size))]));

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
  database: AnswerDatabase,
  user: Id,
  contacts: readonly Pick<LiveContact, 'id' | 'sees'>[],
  count: number,
  deadline?: Deadline,
): Promise<ReadonlyMap<Id, ContactPhotos>> {
  const branches = contacts.flatMap(({ id, sees }) =>
    audiencesOf(sees).map((audience) => ({ uploader: id, audience })),
  );
  const parts = Array.from(chunks(branches), (some) => readPart(database, user, some, count, deadline));
  const rows = Map.groupBy((await Promise.all(parts)).flat(), ({ row }) => String(row[0]));
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
  database: AnswerDatabase,
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
  const statement = STATEMENTS.get(size);
  if (statement === undefined) throw new RangeError(`no statement has ${size} branches`);
  const { rows, by } = await readCompared(database, { statement, inUse: IN_USE_COLUMN }, async (text) => ({
    rows: await database.rows(text, parameters, { deadline }),
  }));
  return rows.map((row) => ({ row, by }));
}

/** A row of a statement, and what it has at its end. */
interface PhotoRow {
  readonly row: readonly ColumnValue[];
  readonly by: Learned;
}

/** Each audience's newest photos together contain the newest of all. */
function contactPhotos(rows: readonly [PhotoRow, ...PhotoRow[]], count: number): ContactPhotos {
  const photos = rows.map(photoOf).sort(byNewest).slice(0, count);
  const [{ row, by }] = rows;
  return { ...restOf(row, by, IN_USE_COLUMN + 1), photos };
}

function photoOf({ row, by: { extra, bits } }: PhotoRow): Photo {
  const [, , , , , , id, uploadedAt, title] = row;
  const photo = { id: String(id), uploadedAt: lastUploadOf(uploadedAt), title: String(title ?? '') };
  return withExtra(photo, extraIn(row, extra.photo, IN_USE_COLUMN + 1 + extra.source.length + (bits ? 1 : 0)));
}

function byNewest(a: Photo, b: Photo): number {
  return b.uploadedAt - a.uploadedAt || b.id.length - a.id.length || (a.id < b.id ? 1 : -1);
}

function* chunks(branches: readonly Branch[]): Iterable<Branch[]> {
  for (let from = 0; from < branches.length; from += LARGEST) yield branches.slice(from, from + LARGEST);
}
