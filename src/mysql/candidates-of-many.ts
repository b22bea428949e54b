import type { Id } from '../contracts/id.ts';
import type { Deadline } from '../timing/deadline.ts';
import { readShown, type ShownContact, selectUploads, shownOf, shownStatement, USER_COLUMN } from './contacts.ts';
import type { AnswerDatabase } from './database.ts';
import { readAnswer } from './epoch.ts';
import { madeOnce } from './learned.ts';

/** Candidates of several users, from one statement: one snapshot of one server, so one proof and one epoch hold for all. */
export interface LiveCandidates {
  readonly epoch: string;
  /** Of each user who has any. */
  readonly contacts: ReadonlyMap<Id, readonly ShownContact[]>;
  /** As in `LiveContacts`. */
  readonly isReplica: boolean;
}

/** The candidates of one user. */
export interface UserCandidates {
  readonly user: Id;
  readonly candidates: readonly Id[];
}

// The pairs drive the join, as in `readCandidates`: each is one look-up by primary key, however many contacts a user has.
const ROWS = {
  from: `JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = candidate.user_id AND c.contact_id = candidate.id`,
  where: 'TRUE',
};

const OF_MANY = madeOnce(shownStatement((by) => selectUploads(by, ROWS)));

/**
 * The candidates of each user that are related to the user and have an upload, in no order.
 * @param wanted each user once
 * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled
 */
export async function readCandidatesOfMany(
  database: AnswerDatabase,
  wanted: readonly UserCandidates[],
  deadline?: Deadline,
): Promise<LiveCandidates> {
  const pairs = wanted.flatMap(({ user, candidates }) => candidates.map((id) => [user, id]));
  const { epoch, rows, isReplica, by } = await readShown(database, OF_MANY, (statement) =>
    readAnswer(database, statement, [JSON.stringify(pairs)], { deadline }),
  );
  const contacts = new Map<Id, ShownContact[]>(wanted.map(({ user }) => [user, []]));
  for (const row of rows) if (row[0] !== null) contacts.get(String(row[USER_COLUMN]))?.push(shownOf(row, by));
  return { epoch, contacts, isReplica };
}
