/** All of a user's rows, for the check of the questions that apply rules to them. */
import type { Id } from '../contracts/id.ts';
import { type Marks, namedRelations } from '../contracts/relation.ts';
import { BITS, namedIn, wholeMs } from './contacts.ts';
import type { Database } from './database.ts';

/** A row of `recency_contacts` as it is, valid or not. */
export interface RawContact extends Marks {
  readonly id: Id;
  readonly related: boolean;
  /** As in the view, in whole ms: may be null, zero or negative. */
  readonly lastUploadAt: bigint | null;
  /** As in {@link LiveContact}. */
  readonly sees: string;
}

// No condition, order or limit: the check of the other questions applies rules of its own.
const all = (bits: string) => `
  SELECT c.contact_id, c.related, ${wholeMs('c.last_upload_at')}, c.is_friend, c.is_family, c.sees${bits}
  FROM recency_contacts AS c
  WHERE c.user_id = ?`;

/**
 * Every relationship of the user, in no order.
 * @param withinMs the server ends the statement after this time
 * @throws DatabaseUnavailable, StatementTooSlow
 */
export async function readAllContacts(database: Database, user: Id, withinMs?: number): Promise<RawContact[]> {
  const hasNames = namedRelations().length > 0;
  const statement = all(hasNames ? `, ${BITS}` : '');
  const rows = await database.rows(statement, [user], { heavy: 'background', withinMs });
  return rows.map(([id, related, lastUploadAt, isFriend, isFamily, sees, bits]) => ({
    ...(hasNames ? namedIn(bits) : {}),
    id: String(id),
    related: Number(related) !== 0,
    lastUploadAt: lastUploadAt === null || lastUploadAt === undefined ? null : BigInt(lastUploadAt),
    isFriend: Number(isFriend) !== 0,
    isFamily: Number(isFamily) !== 0,
    sees: String(sees ?? 0),
  }));
}
