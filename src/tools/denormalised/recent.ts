import type { Id } from '../../contracts/id.ts';
import { byKeyDescending } from '../../contracts/key.ts';
import type { Database } from '../../mysql/database.ts';
import type { ShownContact } from '../../mysql/statements/contacts.ts';

// By the index alone, backwards, and then as many rows of `contacts` for what an answer shows of each.
const ofNewest = (newest: string) => `
  SELECT d.contact_id, d.last_upload_at, c.is_friend, c.is_family, c.since
  FROM (
    SELECT n.contact_id, n.last_upload_at FROM denormalised_contacts AS n FORCE INDEX (denormalised_recent)
    WHERE n.user_id = ? AND ${newest}
  ) AS d
  STRAIGHT_JOIN contacts AS c ON c.user_id = ? AND c.contact_id = d.contact_id`;

const NEWEST = ofNewest('n.last_upload_at > 0 ORDER BY n.last_upload_at DESC, n.contact_id DESC LIMIT ?');

// All contacts of the last place's time, too. LIMIT: no server merges the derived table then.
const WITH_TIES = ofNewest(`n.last_upload_at >= COALESCE((
      SELECT o.last_upload_at FROM denormalised_contacts AS o FORCE INDEX (denormalised_recent)
      WHERE o.user_id = ? AND o.last_upload_at > 0 ORDER BY o.last_upload_at DESC LIMIT 1 OFFSET ?), 1)
    LIMIT 18446744073709551615`);

/**
 * The user's most recently active contacts by the denormalised table, highest key first.
 *
 * The index orders contacts of the same time as numbers, answers order them as text. So where the last place is shared with
 * contacts beyond it, all of those are read.
 * @throws DatabaseUnavailable
 */
export async function readDenormalised(
  database: Pick<Database, 'rows'>,
  user: Id,
  limit: number,
): Promise<{ readonly contacts: readonly ShownContact[]; readonly more: boolean }> {
  let found = contactsOf(await database.rows(NEWEST, [user, String(limit + 1), user]));
  const next = found[limit];
  if (next !== undefined && next.at === found[limit - 1]?.at)
    found = contactsOf(await database.rows(WITH_TIES, [user, user, String(limit), user]));
  return { contacts: found.slice(0, limit), more: found.length > limit };
}

function contactsOf(rows: readonly (readonly unknown[])[]): ShownContact[] {
  return rows
    .map(([id, at, isFriend, isFamily, since]) => ({
      ...{ id: String(id), at: Number(at), isFriend: Number(isFriend) !== 0, isFamily: Number(isFamily) !== 0 },
      unseen: Number(at) > Number(since), // as where no cursor was ever set
      sees: '0', // no answer shows it
    }))
    .sort(byKeyDescending);
}
