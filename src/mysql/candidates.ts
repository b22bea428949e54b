/** The candidates of narrowed answers as MySQL has them now: of one user, or of several. */
import type { Id } from '../contracts/id.ts';
import type { Deadline } from '../timing/deadline.ts';
import {
  contactsOf,
  type LiveContacts,
  lastUploadOf,
  readShown,
  SEES_COLUMN,
  type ShownContact,
  shownOf,
  shownRows,
  UPLOAD_COLUMN,
  USER_COLUMN,
} from './contacts.ts';
import type { AnswerDatabase, Parameter } from './database.ts';
import { type AnswerRows, readAnswer } from './epoch.ts';
import { audiencesToLookUp } from './last-upload.ts';
import { type LearnedStatement, learnedOf, madeOnce } from './learned.ts';
import type { ComparedRows } from './seen.ts';

/** @param from names the candidates' ids `candidate.id` */
const ofCandidates = (from: string) => madeOnce(shownRows({ from, where: 'TRUE', rows: 'few', id: 'candidate.id' }));

// The candidates drive the join: with `contact_id IN (…)` MariaDB reads all of a heavy user's contacts. One placeholder
// for any number of them also means one statement text.
const OF_ONE = ofCandidates(`JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = ? AND c.contact_id = candidate.id`);

// The same with pairs: each is one look-up by primary key, however many contacts a user has.
const OF_MANY = ofCandidates(`
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]')) AS candidate
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = candidate.user_id AND c.contact_id = candidate.id`);

/**
 * The candidates that are related to the user and have an upload, in no order, with the epoch of the same snapshot.
 * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled
 */
export async function readCandidates(
  database: AnswerDatabase,
  user: Id,
  candidates: readonly Id[],
  deadline?: Deadline,
): Promise<LiveContacts> {
  return contactsOf(await readRows(database, OF_ONE, [JSON.stringify(candidates), user], deadline));
}

/**
 * The rows of those that have an upload. Where last uploads are derived, it is told by the rows themselves, in the same
 * snapshot, whether a user sees an audience that was not looked up: then they are read again.
 */
async function readRows(
  database: AnswerDatabase,
  statement: LearnedStatement,
  parameters: readonly Parameter[],
  deadline: Deadline | undefined,
): Promise<ComparedRows<AnswerRows>> {
  for (;;) {
    const found = await readShown(database, statement, (text) => readAnswer(database, text, parameters, { deadline }));
    const { rows, by } = found;
    const audiences = by.lastUpload ? 0 : Math.max(...rows.map((row) => audiencesToLookUp(row[SEES_COLUMN])));
    if (audiences <= by.audiences)
      return { ...found, rows: rows.filter((row) => lastUploadOf(row[UPLOAD_COLUMN]) > 0) };
    const learned = learnedOf(database);
    learned.by = { ...learned.by, audiences: Math.max(audiences, learned.by.audiences) };
  }
}

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
  const { epoch, rows, isReplica, by } = await readRows(database, OF_MANY, [JSON.stringify(pairs)], deadline);
  const contacts = new Map<Id, ShownContact[]>(wanted.map(({ user }) => [user, []]));
  for (const row of rows) contacts.get(String(row[USER_COLUMN]))?.push(shownOf(row, by));
  return { epoch, contacts, isReplica };
}
