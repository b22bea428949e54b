import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import { type Marks, type Relation, relationNames } from '../contracts/relation.ts';
import type { ContactIndex, Limits, Nonce } from '../index/contact-index.ts';
import { StatementTooSlow } from '../mysql/database.ts';
import { type RawContact, readAllContacts } from '../mysql/statements/all-contacts.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { RecentContacts } from '../query/recent-contacts.ts';
import { SmallUsers } from '../query/small-users.ts';
import type { MismatchKind, Recurrence } from './confirm.ts';
import { ContactsTooMany } from './failed-users.ts';
import { ALONE_MS } from './index-check.ts';
import type { CheckedTruth, TruthCheck } from './truth-check.ts';

interface AnswerCheckStores {
  readonly index: Pick<ContactIndex, 'read'>;
  readonly primary: KindDatabase;
  readonly limits: Limits;
  /** Remembers photos from one user to the next. */
  readonly truth: TruthCheck;
  /** Deadline of a statement that reads all contacts of one user, ms (5,000). */
  readonly aloneMs?: number | undefined;
  /** ms, monotonic. */
  readonly now: () => number;
  /** ms since 1970 UTC (of this machine). */
  readonly clock: () => number;
}

/** Asks for the first page of contacts, and the one after it. */
interface ContactsQuestion {
  readonly relation: Relation;
  readonly limit: number;
}

/** An answer that differs from plain SQL. */
export interface WrongAnswer extends ContactsQuestion {
  /** 0: the first. */
  readonly page: number;
  readonly expected: readonly string[];
  readonly got: readonly string[];
  /** The nonce of the user's index before the first question; undefined: the index was not whole. */
  readonly nonce: Nonce | undefined;
  /**
   * The contacts that differ in any of the user's answers: one who is missing on a first page moves others on the second.
   * Undefined: the contacts are the same, in another order.
   */
  readonly differing: readonly (Id | undefined)[];
}

interface CheckedAnswers {
  readonly user: Id;
  readonly checked: number;
  readonly wrong: readonly WrongAnswer[];
  readonly oddRows: OddRows;
  /** Of all contacts of the user. */
  readonly truth: CheckedTruth;
}

/** The greatest limit of the API. */
const GREATEST_LIMIT = 100;

/**
 * Asks as a client of the API would, through the same code, and compares the answers with plain SQL, and all contacts that
 * plain SQL gives with the photos. Changes nothing.
 */
export class AnswerCheck {
  readonly #stores: AnswerCheckStores;
  readonly #recent: RecentContacts;
  readonly #areUsers: boolean;
  readonly #questions: readonly ContactsQuestion[];

  constructor(stores: AnswerCheckStores) {
    const { index, primary: database, limits, now } = stores;
    const { kind, relations: named } = database.statements.view;
    const { min, max, indexAbove = 0 } = limits;
    this.#stores = stores;
    this.#areUsers = kind.areUsers;
    const counts = [...new Set([10, 1, min, max, GREATEST_LIMIT])];
    const relations = kind.hasRelations ? relationNames(named) : ['any'];
    this.#questions = relations.flatMap((relation) => counts.map((limit) => ({ relation, limit })));
    const ignore = () => undefined;
    const small = indexAbove > 0 ? new SmallUsers({ database, most: indexAbove }) : undefined;
    const answering = { index, database, small, min, max };
    this.#recent = new RecentContacts({ ...answering, onCold: ignore, onLow: ignore, touch: false, now });
  }

  /** Every relation with every limit worth asking for. */
  everyQuestion(): readonly ContactsQuestion[] {
    return this.#questions;
  }

  /** The most common question, and one other that depends on the user, so that many users together cover them all. */
  someQuestions(user: Id): readonly ContactsQuestion[] {
    const other = this.#questions[Number(BigInt(user) % BigInt(this.#questions.length))];
    return [this.#questions[0], other].filter((question) => question !== undefined);
  }

  /** @throws RedisUnavailable, DatabaseUnavailable, ContactsTooMany */
  async check(user: Id, questions: readonly ContactsQuestion[]): Promise<CheckedAnswers> {
    const { index, truth, clock } = this.#stores;
    const reading = await index.read(user, 1, false);
    const nonce = reading.state === 'warm' ? reading.nonce : undefined;
    const all = await this.#allContacts(user);
    const withId = all.filter(({ id }) => BigInt(id) >= 1n);
    const rows = withId.filter(({ id }) => id !== user || !this.#areUsers); // a user is no contact of their own
    const ordered = inOrder(rows);
    const wrong: AnswerDifference[] = [];
    let checked = 0;
    for (const question of questions) {
      let below: Key | undefined;
      for (let page = 0; page < 2; page++) {
        const answer = await this.#recent.find({ user, ...question, below });
        checked++;
        const expected = expectedAnswer(ordered, { ...question, page });
        const got = answer.contacts.map(lineOf);
        // An answer may claim more contacts than there are, never fewer.
        const isRight = expected.lines.join() === got.join() && (answer.more || !expected.more);
        if (!isRight) wrong.push({ ...question, page, nonce, expected: expected.lines, got });
        below = answer.contacts.at(-1);
        if (answer.contacts.length < question.limit || below === undefined) break;
      }
    }
    const differing = [...new Set(wrong.flatMap(differingIn))];
    return {
      user,
      checked,
      wrong: wrong.map((answer) => ({ ...answer, differing })),
      oddRows: {
        ...countOddRows(rows, clock()),
        self: withId.length - rows.length,
        bad_id: all.length - withId.length,
      },
      truth: await truth.ofRows(user, rows),
    };
  }

  async #allContacts(user: Id): Promise<RawContact[]> {
    const { primary, aloneMs = ALONE_MS } = this.#stores;
    try {
      return await readAllContacts(primary, user, aloneMs);
    } catch (error) {
      throw error instanceof StatementTooSlow ? new ContactsTooMany(user, aloneMs) : error;
    }
  }
}

type AnswerDifference = Omit<WrongAnswer, 'differing'>;

function differingIn({ expected, got }: AnswerDifference): (Id | undefined)[] {
  const lines = [...expected.filter((line) => !got.includes(line)), ...got.filter((line) => !expected.includes(line))];
  return lines.length > 0 ? lines.map((line) => line.slice(0, line.indexOf(' '))) : [undefined];
}

export const ANSWER_MISMATCH: MismatchKind<WrongAnswer> = { recurrence, contactsOf: ({ differing }) => differing };

/** The same question with the same right answer, answered wrongly at both looks. */
function recurrence(before: WrongAnswer, now: WrongAnswer): Recurrence {
  const isAlike =
    before.relation === now.relation &&
    before.limit === now.limit &&
    before.page === now.page &&
    before.expected.join() === now.expected.join();
  if (!isAlike) return undefined;
  return now.nonce !== undefined && before.nonce === now.nonce ? 'lasting' : 'recurring';
}

// What an answer must be, from all of a user's rows, by rules written a second time: they share neither the SQL of the plain
// query nor the rules of the narrowed one, so a fault in either shows.

/** A last upload above this counts as this: the greatest integer that Redis holds exactly. */
const GREATEST = 2n ** 53n - 1n;

type OrderedContact = RawContact & { readonly at: bigint };

/** The contacts that can be in an answer at all, in the order of answers. */
export function inOrder(rows: readonly RawContact[]): OrderedContact[] {
  const known = new Set<Id>();
  return (
    rows
      .flatMap((row) => (row.related && row.lastUploadAt !== null ? [{ ...row, at: row.lastUploadAt }] : []))
      .filter(({ at }) => at > 0n)
      .map((row) => ({ ...row, at: row.at > GREATEST ? GREATEST : row.at }))
      // Ids are digits, so texts compare as their bytes do.
      .sort((a, b) => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1))
      .filter(({ id }) => !known.has(id) && known.add(id))
  );
}

/**
 * @param ordered from `inOrder`
 * @param wanted page 0: the first `limit` contacts; 1: the next `limit`; …
 * @returns a text for each contact; `more`: there are contacts below the last of them
 */
export function expectedAnswer(
  ordered: readonly OrderedContact[],
  { relation, limit, page }: ContactsQuestion & { readonly page: number },
): { readonly lines: readonly string[]; readonly more: boolean } {
  const wanted = ordered.filter(({ isFriend, isFamily, named }) => {
    const by: Record<string, boolean> = { any: true, friends: isFriend, family: isFamily };
    return { ...by, friends_or_family: isFriend || isFamily }[relation] ?? named?.includes(relation);
  });
  const from = limit * page;
  return { lines: wanted.slice(from, from + limit).map(lineOf), more: wanted.length > from + limit };
}

/** Contact, last upload, friend, family, names: equal lines are equal texts. */
function lineOf(contact: Marks & { readonly id: Id; readonly at: bigint | number }): string {
  const { id, at, isFriend, isFamily, named = [] } = contact;
  return [id, at, isFriend ? 'friend' : '-', isFamily ? 'family' : '-', ...named].join(' ');
}

/** Rows of `recency_contacts` that a site's view should not give. Each kind has a rule, and none is an error. */
export type OddRows = {
  /** No time at all (0 is the ordinary way to say that there is no upload): counts as no upload. */
  readonly null: number;
  /** Before 1970: counts as no upload. */
  readonly negative: number;
  /** Over an hour ahead of this machine's clock: taken as it is, before all others. */
  readonly future: number;
  /** A pair that occurred before: it counts once, by the row with the latest upload. The view is wrong. */
  readonly duplicate: number;
  /** A user as a contact of their own: it is ignored. */
  readonly self: number;
  /** An id below 1: it is ignored. */
  readonly bad_id: number;
};

export const NO_ODD_ROWS: OddRows = { null: 0, negative: 0, future: 0, duplicate: 0, self: 0, bad_id: 0 };

const AHEAD_MS = 3_600_000;

/** @param rows of one user @param now ms since 1970 UTC */
function countOddRows(rows: readonly RawContact[], now: number): Omit<OddRows, 'self' | 'bad_id'> {
  const times = rows.map(({ lastUploadAt }) => lastUploadAt);
  const latest = BigInt(now + AHEAD_MS);
  return {
    null: times.filter((at) => at === null).length,
    negative: times.filter((at) => at !== null && at < 0n).length,
    future: times.filter((at) => at !== null && at > latest).length,
    duplicate: rows.length - new Set(rows.map(({ id }) => id)).size,
  };
}
