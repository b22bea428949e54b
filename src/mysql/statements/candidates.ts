/** The candidates of narrowed answers as MySQL has them now: of one user, or of several. */
import type { Id } from '../../contracts/id.ts';
import type { Deadline } from '../../timing/deadline.ts';
import type { AnswerDatabase, Parameter } from '../database.ts';
import { type AnswerRows, readAnswer } from '../epoch.ts';
import {
  contactsOf,
  eachOnce,
  type FoundRows,
  type LiveContacts,
  type ShownContact,
  type ShownStatement,
} from './contacts.ts';
import { shownRows } from './few-rows.ts';
import type { Build, KindDatabase } from './kind-statements.ts';
import { audiencesToLookUp, lastUploadOf } from './last-upload.ts';
import { readCompared } from './seen.ts';

/** @param ids SQL: a table `candidate` with the candidates' ids @param user SQL: whose candidate a row of it is */
const ofCandidates =
  (ids: string, user: string): Build<ShownStatement> =>
  (view) => {
    const { view: pairs, idColumn } = view.kind;
    const from = `${ids} AS candidate
    STRAIGHT_JOIN ${pairs} AS c ON c.user_id = ${user} AND c.${idColumn} = candidate.id`;
    return shownRows(view, { from, where: 'TRUE', rows: 'few', id: 'candidate.id' });
  };

// The candidates drive the join: with `contact_id IN (…)` MariaDB reads all of a heavy user's contacts. One placeholder
// for any number of them also means one statement text.
const ofOne = ofCandidates("JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$'))", '?');

// The same with pairs: each is one look-up by primary key, however many contacts a user has.
const ofMany = ofCandidates(
  `
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', id BIGINT UNSIGNED PATH '$[1]'))`,
  'candidate.user_id',
);

/**
 * The candidates that are related to the user and have an upload, in no order, with the epoch of the same snapshot.
 * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled
 */
export async function readCandidates(
  database: KindDatabase<AnswerDatabase>,
  user: Id,
  candidates: readonly Id[],
  deadline?: Deadline,
): Promise<LiveContacts> {
  return contactsOf(withUpload(await readFew(database, ofOne, [JSON.stringify(candidates), user], deadline)));
}

/**
 * The rows of a statement about few. Where last uploads are derived, it is told by the rows themselves, in the same
 * snapshot, whether a user sees an audience that was not looked up: then they are read again.
 */
export async function readFew(
  database: KindDatabase<AnswerDatabase>,
  build: Build<ShownStatement>,
  parameters: readonly Parameter[],
  deadline: Deadline | undefined,
): Promise<FoundRows<AnswerRows>> {
  const { server, statements } = database;
  for (;;) {
    const found = await readCompared(
      database,
      (known) => known.of(build),
      ({ text }) => readAnswer(server, text, parameters, { deadline }),
    );
    const { rows, statement } = found;
    const { view, place } = statement;
    const audiences = view.lastUpload ? 0 : Math.max(...rows.map((row) => audiencesToLookUp(row[place.sees])));
    if (audiences <= view.audiences) return found;
    statements.learn({ audiences: Math.max(audiences, statements.view.audiences) });
  }
}

/** Those of the rows that have an upload. */
export function withUpload(found: FoundRows<AnswerRows>): FoundRows<AnswerRows> {
  const { at } = found.statement.place;
  return { ...found, rows: found.rows.filter((row) => lastUploadOf(row[at]) > 0) };
}

/** Candidates of several users, from one statement: one snapshot of one server, so one proof and one epoch hold for all. */
interface LiveCandidates {
  readonly epoch: string;
  /** Of each user who has any. */
  readonly contacts: ReadonlyMap<Id, readonly ShownContact[]>;
  /** As in `LiveContacts`. */
  readonly isReplica: boolean;
}

/** The candidates of one user. */
interface UserCandidates {
  readonly user: Id;
  readonly candidates: readonly Id[];
}

/**
 * The candidates of each user that are related to the user and have an upload, in no order.
 * @param wanted each user once
 * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled
 */
export async function readCandidatesOfMany(
  database: KindDatabase<AnswerDatabase>,
  wanted: readonly UserCandidates[],
  deadline?: Deadline,
): Promise<LiveCandidates> {
  const pairs = wanted.flatMap(({ user, candidates }) => candidates.map((id) => [user, id]));
  const found = await readFew(database, ofMany, [JSON.stringify(pairs)], deadline);
  const { epoch, rows, isReplica, statement } = withUpload(found);
  const contacts = new Map<Id, ShownContact[]>(wanted.map(({ user }) => [user, []]));
  for (const row of rows) contacts.get(statement.userOf(row))?.push(statement.contactOf(row));
  for (const [user, all] of contacts) contacts.set(user, eachOnce(all));
  return { epoch, contacts, isReplica };
}
