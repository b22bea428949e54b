import type { Id } from '../contracts/id.ts';
import type { Database } from './database.ts';
import { wholeMs } from './last-upload.ts';

/** A row of `recency_contacts` as it stands, right or wrong. */
export interface ContactRow {
  readonly id: Id;
  readonly related: boolean;
  /** As in the view, in whole ms: may be null, zero or negative. */
  readonly lastUploadAt: bigint | null;
  readonly isFriend: boolean;
  readonly isFamily: boolean;
  /** A bitmask as decimal text: bit k, the user may see the contact's photos of audience k. */
  readonly sees: string;
}

// Without a condition, an order or a limit: whoever checks the other questions decides by rules of their own.
const ALL = `
  SELECT c.contact_id, c.related, ${wholeMs('c.last_upload_at')}, c.is_friend, c.is_family, c.sees
  FROM recency_contacts AS c
  WHERE c.user_id = ?`;

/**
 * Every relationship of the user, in no order.
 * @param withinMs the server ends the statement after so many ms
 * @throws DatabaseUnavailable, StatementTooSlow
 */
export async function readAllContacts(database: Database, user: Id, withinMs?: number): Promise<ContactRow[]> {
  const rows = await database.rows(ALL, [user], { heavy: 'background', withinMs });
  return rows.map(([id, related, lastUploadAt, isFriend, isFamily, sees]) => ({
    id: String(id),
    related: Number(related) !== 0,
    lastUploadAt: lastUploadAt === null || lastUploadAt === undefined ? null : BigInt(lastUploadAt),
    isFriend: Number(isFriend) !== 0,
    isFamily: Number(isFamily) !== 0,
    sees: String(sees ?? 0),
  }));
}
