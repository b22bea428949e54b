/** Erases what Recency's own tables hold about a person, except those of push (push/erase.ts). */
import type { Id } from '../contracts/id.ts';
import { CONTACTS } from '../contracts/kind.ts';
import type { Database, Parameter } from './database.ts';

/** Rows that were deleted or changed, by table; and what cannot be erased yet. */
interface Erased {
  readonly seen: number;
  readonly outbox: number;
  /** Reports of finished runs, and reasons of dead letters that were dealt with. */
  readonly reports: number;
  /** Rows of the outbox that are not published yet: they are tasks, without which indexes would be wrong. */
  readonly pending: number;
}

/** The type of a row of the outbox that names nobody any more. */
export const ERASED = 'erased';

/** Rows that one statement looks through. */
const PAGE = 20_000;

interface Paged {
  /** The last key of the next page, after this one: parameters `after` and {@link PAGE}. */
  readonly end: string;
  /** Parameters `after`, `end` and then its own. */
  readonly erase: string;
  readonly own: readonly Parameter[];
}

/**
 * Erases the rows about a user, and, where contacts are users, what other users' rows say of them as a contact. What they have
 * seen of a contact has no index by contact: all rows are looked through, page by page.
 * @throws DatabaseUnavailable; some may be erased then, and it can be called again
 */
export async function eraseUser(database: Database, user: Id, areContactsUsers: boolean): Promise<Erased> {
  const one = async (sql: string, parameters: readonly Parameter[]) =>
    (await database.write(sql, parameters)).affectedRows;
  const asContact = areContactsUsers ? user : '0'; // which nobody has
  const own = await one('DELETE FROM recency_seen WHERE user_id = ?', [user]);
  const erased = {
    seen: own + (areContactsUsers ? await inPages(database, seenOf(asContact)) : 0),
    outbox: await inPages(database, outboxOf(user, asContact)),
    reports: (await eraseFromRuns(database, user)) + (await one(UNNAME, [`(^|[^0-9])${user}([^0-9]|$)`])),
  };
  const [row] = await database.rows(PENDING, [user, asContact]);
  return { ...erased, pending: Number(row?.[0]) };
}

const seenOf = (contact: Id): Paged => ({
  end: 'SELECT MAX(user_id) FROM (SELECT user_id FROM recency_seen WHERE user_id > ? ORDER BY user_id LIMIT ?) AS page',
  erase: 'DELETE FROM recency_seen WHERE user_id > ? AND user_id <= ? AND kind = ? AND source_id = ?',
  own: [CONTACTS.name, contact],
});

/** SQL: does a task name the user, or the contact? `other_id` is a contact only in tasks about contacts. */
const NAMES = "(user_id = ? OR (other_id = ? AND type LIKE 'recency.contact.%'))";

/** A row stays, and names nobody: whether the newest task is gone says whether tasks were lost (see ../app/outbox-history.ts). */
const outboxOf = (user: Id, contact: Id): Paged => ({
  end: 'SELECT MAX(id) FROM (SELECT id FROM recency_outbox WHERE id > ? ORDER BY id LIMIT ?) AS page',
  erase: `
    UPDATE recency_outbox SET type = '${ERASED}', user_id = 0, other_id = NULL
    WHERE id > ? AND id <= ? AND published_at IS NOT NULL AND ${NAMES}`,
  own: [user, contact],
});

const PENDING = `SELECT COUNT(*) FROM recency_outbox WHERE published_at IS NULL AND ${NAMES}`;

async function inPages(database: Database, { end, erase, own }: Paged): Promise<number> {
  let [after, erased] = ['0', 0];
  for (;;) {
    const [row] = await database.rows(end, [after, String(PAGE)]);
    if (row?.[0] === null || row?.[0] === undefined) return erased;
    const last = String(row[0]);
    erased += (await database.write(erase, [after, last, ...own])).affectedRows;
    after = last;
  }
}

/** The reason is text: nobody can say what of it is about the user. */
const UNNAME = "UPDATE recency_settled_letters SET why = '(erased)' WHERE why REGEXP ?";

const NAMING_RUNS = "SELECT id, counts FROM recency_runs WHERE state = 'done' AND counts LIKE ?";

/** Reports give examples of users, in lists. */
async function eraseFromRuns(database: Database, user: Id): Promise<number> {
  const text = `"${user}"`;
  let erased = 0;
  for (const [id, counts] of await database.rows(NAMING_RUNS, [`%${text}%`])) {
    const rest = JSON.stringify(withoutItems(JSON.parse(String(counts)), text));
    erased += (await database.write('UPDATE recency_runs SET counts = ? WHERE id = ?', [rest, String(id)]))
      .affectedRows;
  }
  return erased;
}

/** The same value, whose lists have no item with this text in its JSON. */
function withoutItems(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return value.filter((item) => !JSON.stringify(item).includes(text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutItems(part, text)]));
}
