/** All rows of users who have few, as MySQL has them now: where they are so few, reading all of them costs less than an index does. */
import type { Id } from '../../contracts/id.ts';
import { byKeyDescending } from '../../contracts/key.ts';
import type { KindView } from '../../site/kind-view.ts';
import type { Deadline } from '../../timing/deadline.ts';
import type { AnswerDatabase } from '../database.ts';
import { readFew, withUpload } from './candidates.ts';
import { eachOnce, type LiveContacts, type ShownContact, type ShownStatement } from './contacts.ts';
import { allRows } from './few-rows.ts';
import type { KindDatabase } from './kind-statements.ts';

/** All of a user's contacts, highest key first. */
export interface WholeList extends Omit<LiveContacts, 'contacts'> {
  /** Undefined: the user has too many rows for this. */
  readonly contacts: readonly ShownContact[] | undefined;
}

const ofOne = (view: KindView): ShownStatement =>
  allRows(view, { from: `${view.kind.view} AS c`, where: 'c.user_id = ?', rows: 'few' });

// The users drive the join, so that each is one range of the primary key.
const ofMany = (view: KindView): ShownStatement =>
  allRows(view, {
    from: `JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$')) AS owner
    STRAIGHT_JOIN ${view.kind.view} AS c ON c.user_id = owner.user_id`,
    where: 'TRUE',
    rows: 'few',
  });

/**
 * All related contacts of the user with an upload. The statement itself counts the user's rows, related or not, and reads no more
 * than one too many.
 * @param most rows of the view that the user may have
 * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled
 */
export async function readWholeList(
  database: KindDatabase<AnswerDatabase>,
  user: Id,
  most: number,
  deadline?: Deadline,
): Promise<WholeList> {
  const found = await readFew(database, ofOne, [user, String(most + 1)], deadline);
  const { epoch, isReplica, rows, statement } = found;
  const contacts = rows.length > most ? undefined : sorted(withUpload(found).rows.map(statement.contactOf));
  return { epoch, isReplica, seenAll: statement.seenAllIn(rows[0]), contacts };
}

/**
 * The same of several users, in their order, from one statement.
 * @param users each once
 * @returns undefined: together they have too many rows, so it is not known who has how many
 * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled
 */
export async function readWholeLists(
  database: KindDatabase<AnswerDatabase>,
  users: readonly Id[],
  most: number,
  deadline?: Deadline,
): Promise<readonly WholeList[] | undefined> {
  const limit = users.length * (most + 1);
  const found = await readFew(database, ofMany, [JSON.stringify(users), String(limit)], deadline);
  const { epoch, isReplica, rows, statement } = found;
  if (rows.length === limit) return undefined;
  const counts = Map.groupBy(rows, statement.userOf);
  const contacts = Map.groupBy(withUpload(found).rows, statement.userOf);
  return users.map((user) => {
    const isWhole = (counts.get(user)?.length ?? 0) <= most;
    const own = isWhole ? sorted((contacts.get(user) ?? []).map(statement.contactOf)) : undefined;
    return { epoch, isReplica, seenAll: statement.seenAllIn(counts.get(user)?.[0]), contacts: own };
  });
}

function sorted(contacts: ShownContact[]): ShownContact[] {
  return eachOnce(contacts).sort(byKeyDescending);
}
