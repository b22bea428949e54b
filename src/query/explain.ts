import type { IndexClass } from '../contracts/drift.ts';
import { DEFAULT_LIMIT, type Reason } from '../contracts/http.ts';
import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import type { Kind } from '../contracts/kind.ts';
import type { ContactIndex, Limits, Reading } from '../index/contact-index.ts';
import { type ExplainedContact, readExplainedContact } from '../mysql/statements/explained-contact.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
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
  wordedFor,
} from './verdict.ts';

export interface Explanation {
  /** What the index is of; the sentences call a contact by its name. */
  readonly kind: Kind;
  readonly user: Id;
  readonly contact: Id;
  readonly verdict: VerdictCode;
  /** The same as a sentence. */
  readonly sentence: string;
  /** How the index is wrong, about this contact or as a whole; undefined: it is not. */
  readonly drift: IndexClass | undefined;
  /** What MySQL has; undefined: no row for the pair. */
  readonly row: ExplainedContact | undefined;
  readonly index: {
    readonly state: Reading['state'];
    /** undefined: there is no intact index. */
    readonly epochCurrent: boolean | undefined;
    /** The contact's entry. */
    readonly entry: Key | undefined;
    readonly size: number;
    readonly floor: Key | undefined;
    readonly complete: boolean;
  };
  readonly answer: {
    /** The first page of the recency list, with default parameters, shows the contact. */
    readonly shown: boolean;
    /** Why it does, or does not. */
    readonly verdict: AnswerVerdict;
    /** The same as a sentence. */
    readonly sentence: string;
    readonly source: 'index' | 'database';
    readonly reason: Reason | undefined;
  };
}

interface ExplainOptions {
  readonly index: Pick<ContactIndex, 'read'>;
  readonly database: KindDatabase;
  readonly recent: Pick<RecentContacts, 'find'>;
  readonly limits: Limits;
}

/** Attempts to see the index and MySQL at one moment: what looks wrong may only have changed between two reads. */
const ATTEMPTS = 3;

/**
 * Explains why a contact is, or is not, in a user's index and answer.
 * @throws RedisUnavailable, DatabaseUnavailable, HeavyQueriesBusy, DeadlineExceeded, RequestCancelled
 */
export async function explain(
  options: ExplainOptions,
  user: Id,
  contact: Id,
  deadline?: Deadline,
): Promise<Explanation> {
  const { kind } = options.database.statements;
  const { reading, epoch, row } = await readBoth(options, user, contact, deadline);
  const { contacts, source, reason } = await options.recent.find({
    user,
    relation: 'any',
    limit: DEFAULT_LIMIT,
    below: undefined,
    deadline,
  });
  const verdict = reading.state === 'cold' && reason === 'small' ? 'small' : verdictOf(reading, epoch, row, contact);
  const shown = contacts.some(({ id }) => id === contact);
  const inAnswer = answerVerdictOf(row, shown, DEFAULT_LIMIT);
  return {
    kind,
    user,
    contact,
    verdict,
    sentence: wordedFor(sentenceOf(verdict, epoch), kind),
    drift: driftOf(verdict, reading, options.limits),
    row,
    index: indexOf(reading, epoch, contact),
    answer: { shown, verdict: inAnswer, sentence: wordedFor(ANSWER_VERDICTS[inAnswer], kind), source, reason },
  };
}

/** Reads the index and MySQL's row. The index did not change in between, unless it keeps changing. */
async function readBoth({ index, database, limits }: ExplainOptions, user: Id, contact: Id, deadline?: Deadline) {
  const readIndex = () => withinDeadline(deadline, index.read(user, 0, false));
  let reading = await readIndex();
  for (let attempt = 1; ; attempt++) {
    const { epoch, row } = await readExplainedContact(database, user, contact, deadline);
    const drift = driftOf(verdictOf(reading, epoch, row, contact), reading, limits);
    if (drift === undefined || attempt === ATTEMPTS) return { reading, epoch, row };
    const again = await readIndex();
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
