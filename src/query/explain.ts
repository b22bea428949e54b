import type { IndexClass } from '../contracts/drift.ts';
import { DEFAULT_LIMIT, type Reason } from '../contracts/http.ts';
import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import type { ContactIndex, Limits, Reading } from '../index/contact-index.ts';
import { type ExplainedContact, readExplainedContact } from '../mysql/contacts.ts';
import type { Database } from '../mysql/database.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import type { RecentContacts } from './recent-contacts.ts';
import {
  ANSWER_VERDICTS,
  type AnswerVerdict,
  answerVerdictOf,
  driftOf,
  sentenceOf,
  type VerdictCode,
  verdictOf,
} from './verdict.ts';

export interface Explanation {
  readonly user: Id;
  readonly contact: Id;
  readonly verdict: VerdictCode;
  /** The verdict for people. */
  readonly sentence: string;
  /** How the index differs from what it must be, about this contact or as a whole. */
  readonly drift: IndexClass | undefined;
  /** What MySQL says; undefined: it has no row of the pair. */
  readonly row: ExplainedContact | undefined;
  readonly index: {
    readonly state: Reading['state'];
    /** undefined: there is no whole index. */
    readonly epochCurrent: boolean | undefined;
    /** The contact's entry. */
    readonly entry: Key | undefined;
    readonly size: number;
    readonly floor: Key | undefined;
    readonly complete: boolean;
  };
  /** Whether the first page of the recency list, as it is by default, shows the contact. */
  readonly answer: {
    readonly shown: boolean;
    /** Why it does, or does not. */
    readonly verdict: AnswerVerdict;
    /** The same for people. */
    readonly sentence: string;
    readonly source: 'index' | 'database';
    readonly reason: Reason | undefined;
  };
}

export interface ExplainOptions {
  readonly index: Pick<ContactIndex, 'read'>;
  readonly database: Database;
  readonly recent: Pick<RecentContacts, 'find'>;
  readonly limits: Limits;
}

/** An index that changed between two looks is looked at again: what seems wrong may only have been a moment apart. */
const LOOKS = 3;

/**
 * Why a contact is, or is not, in a user's index and answer.
 * @throws RedisUnavailable, DatabaseUnavailable, HeavyQueriesBusy, DeadlineExceeded, RequestCancelled
 */
export async function explain(
  options: ExplainOptions,
  user: Id,
  contact: Id,
  deadline?: Deadline,
): Promise<Explanation> {
  const { reading, epoch, row } = await look(options, user, contact, deadline);
  const verdict = verdictOf(reading, epoch, row, contact);
  const { contacts, source, reason } = await options.recent.find({
    user,
    relation: 'any',
    limit: DEFAULT_LIMIT,
    below: undefined,
    deadline,
  });
  const shown = contacts.some(({ id }) => id === contact);
  const inAnswer = answerVerdictOf(row, shown, DEFAULT_LIMIT);
  return {
    user,
    contact,
    verdict,
    sentence: sentenceOf(verdict, epoch),
    drift: driftOf(verdict, reading, options.limits),
    row,
    index: indexOf(reading, epoch, contact),
    answer: { shown, verdict: inAnswer, sentence: ANSWER_VERDICTS[inAnswer], source, reason },
  };
}

/** The index and MySQL's row; the index did not change while the row was read, unless it does so all the time. */
async function look({ index, database, limits }: ExplainOptions, user: Id, contact: Id, deadline?: Deadline) {
  const read = async () => await withinDeadline(deadline, index.read(user, 0, false));
  let reading = await read();
  for (let looks = 1; ; looks++) {
    const { epoch, row } = await readExplainedContact(database, user, contact, deadline);
    const drift = driftOf(verdictOf(reading, epoch, row, contact), reading, limits);
    if (drift === undefined || looks === LOOKS) return { reading, epoch, row };
    const again = await read();
    if (nonceOf(again) === nonceOf(reading)) return { reading, epoch, row };
    reading = again;
  }
}

function nonceOf(reading: Reading): string {
  return reading.state === 'warm' ? reading.nonce : reading.state;
}

function indexOf(reading: Reading, epoch: string, contact: Id): Explanation['index'] {
  const { state } = reading;
  if (state !== 'warm') {
    return { state, epochCurrent: undefined, entry: undefined, size: 0, floor: undefined, complete: false };
  }
  const { head, size, floor } = reading;
  const entry = head.find(({ id }) => id === contact);
  return { state, epochCurrent: reading.epoch === epoch, entry, size, floor, complete: floor === undefined };
}
