/** All of a user's rows, for the check of the questions that apply rules to them. */
import type { Id } from '../contracts/id.ts';
import type { Marks } from '../contracts/relation.ts';
import { BITS, namedIn, wholeMs } from './contacts.ts';
import type { ColumnValue, Database } from './database.ts';
import { lastUploadIfRelated } from './last-upload.ts';
import { type Learned, madeOnce, readLearned } from './learned.ts';

/** A row of `recency_contacts` as it is, valid or not. */
export interface RawContact extends Marks {
  readonly id: Id;
  readonly related: boolean;
  /** As in the view, in whole ms: may be null, zero or negative. From the photos, where the view has none: 0 if not related. */
  readonly lastUploadAt: bigint | null;
  /** As in {@link LiveContact}. */
  readonly sees: string;
}

// No condition, order or limit: the check of the other questions applies rules of its own.
const ALL = madeOnce(
  (by) => `
  SELECT c.contact_id, c.related, ${by.lastUpload ? wholeMs('c.last_upload_at') : lastUploadIfRelated(by)},
         c.is_friend, c.is_family, c.sees${by.bits ? `, ${BITS}` : ''}
  FROM recency_contacts AS c
  WHERE c.user_id = ?`,
);

/**
 * Every relationship of the user, in no order.
 * @param withinMs the server ends the statement after this time
 * @throws DatabaseUnavailable, StatementTooSlow
 */
export async function readAllContacts(database: Database, user: Id, withinMs?: number): Promise<RawContact[]> {
  return await readLearned(database, ALL, async (statement, by) => {
    const rows = await database.rows(statement, [user], { heavy: 'background', withinMs });
    return rows.map((row) => rawOf(row, by));
  });
}

function rawOf(row: readonly ColumnValue[], { bits: hasNames }: Learned): RawContact {
  const [id, related, lastUploadAt, isFriend, isFamily, sees, bits] = row;
  return {
    ...(hasNames ? namedIn(bits) : {}),
    id: String(id),
    related: Number(related) !== 0,
    lastUploadAt: lastUploadAt === null || lastUploadAt === undefined ? null : BigInt(lastUploadAt),
    isFriend: Number(isFriend) !== 0,
    isFamily: Number(isFamily) !== 0,
    sees: String(sees ?? 0),
  };
}
