import type { Id } from '../contracts/id.ts';
import type { Deadline } from '../timing/deadline.ts';
import {
  COLUMNS,
  type LiveContact,
  lastUploadOf,
  type ShownContact,
  shownOf,
  viewColumns,
  wholeMs,
} from './contacts.ts';
import type { AnswerDatabase, ColumnValue, Parameter } from './database.ts';
import { LAST_UPLOAD, withUploads } from './last-upload.ts';
import { type LearnedStatement, madeOnce } from './learned.ts';
import { isUnseen, joinSeen, readCompared } from './seen.ts';

export interface Photo {
  readonly id: Id;
  /** ms since 1970 UTC. */
  readonly uploadedAt: number;
  readonly title: string;
}

/** A contact and their newest photos that the user may see, in one snapshot. */
export interface ContactPhotos extends ShownContact {
  /** Newest first, then by greater id; at least one. */
  readonly photos: readonly Photo[];
}

// One branch reads the end of one index (owner_id, audience, uploaded_at, id), however many photos the uploader has.
// The join with recency_contacts in the same snapshot makes it safe: a photo is returned only while the user has the
// contact and may see its audience, whatever was read before.
const BRANCH = `
    (SELECT p.id, p.owner_id, p.audience, ${wholeMs('p.uploaded_at')} AS uploaded_at, p.title
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
    const { from, where } = withUploads(by, WANTED, viewColumns(by));
    return `
  SELECT ${COLUMNS}, ${isUnseen(ROW, by)}, photo.id, photo.uploaded_at, photo.title, e.seen_in_use
  FROM recency_epoch AS e
  STRAIGHT_JOIN ${from}${joinSeen(ROW, by)}
  STRAIGHT_JOIN (${Array<string>(branches).fill(BRANCH).join(' UNION ALL')}
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
  const rows = Map.groupBy((await Promise.all(parts)).flat(), ([contact]) => String(contact));
  return new Map(Array.from(rows, ([contact, some]) => [contact, contactPhotos(some, count)]));
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
): Promise<readonly (readonly ColumnValue[])[]> {
  const size = SIZES.find((size) => size >= branches.length) ?? LARGEST;
  const uploaders = [...new Set(branches.map(({ uploader }) => uploader))];
  const parameters: Parameter[] = [JSON.stringify(uploaders), user];
  for (let i = 0; i < size; i++) {
    const branch = branches[i];
    parameters.push(branch?.uploader ?? null, branch?.audience ?? '0', String(count));
  }
  const statement = STATEMENTS.get(size);
  if (statement === undefined) throw new RangeError(`no statement has ${size} branches`);
  const { rows } = await readCompared(database, { statement, inUse: IN_USE_COLUMN }, async (text) => ({
    rows: await database.rows(text, parameters, { deadline }),
  }));
  return rows;
}

/** Each audience's newest photos together contain the newest of all. */
function contactPhotos(rows: readonly (readonly ColumnValue[])[], count: number): ContactPhotos {
  const photos = rows.map(photoOf).sort(byNewest).slice(0, count);
  return { ...shownOf(rows[0] ?? []), photos };
}

function photoOf([, , , , , , id, uploadedAt, title]: readonly ColumnValue[]): Photo {
  return { id: String(id), uploadedAt: lastUploadOf(uploadedAt), title: String(title ?? '') };
}

function byNewest(a: Photo, b: Photo): number {
  return b.uploadedAt - a.uploadedAt || b.id.length - a.id.length || (a.id < b.id ? 1 : -1);
}

function* chunks(branches: readonly Branch[]): Iterable<Branch[]> {
  for (let from = 0; from < branches.length; from += LARGEST) yield branches.slice(from, from + LARGEST);
}
