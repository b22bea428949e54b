import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import { RELATIONS, type Relation } from '../contracts/relation.ts';
import type { ContactIndex, Nonce } from '../index/contact-index.ts';
import type { Limits } from '../index/limits.ts';
import { type RawContact, readAllContacts } from '../mysql/contacts.ts';
import { type Database, StatementTooSlow } from '../mysql/database.ts';
import { type RecentAnswer, RecentContacts } from '../query/recent-contacts.ts';
import type { MismatchKind, Recurrence } from './belief.ts';
import { contactOf, type ExpectedAnswer, expectedAnswer, inOrder, lineOf } from './expected-answer.ts';
import { ContactsTooMany } from './failed-users.ts';
import { countOddRows, type OddRows } from './odd-rows.ts';
import { type CheckedTruth, TruthCheck } from './truth-check.ts';

export interface AnswerStores {
  readonly index: Pick<ContactIndex, 'read'>;
  readonly primary: Database;
  readonly limits: Limits;
  /** What remembers photos from one user to the next; one of its own, where it is left out. */
  readonly truth?: TruthCheck;
  /** For a statement that reads all contacts of one user, ms (5,000). */
  readonly aloneMs?: number;
  /** ms, monotonic. */
  readonly now: () => number;
  /** ms since 1970 UTC (this machine's). */
  readonly clock?: () => number;
}

/** A first page of contacts, and the one after it. */
export interface Question {
  readonly relation: Relation;
  readonly limit: number;
}

/** An answer that is not what plain SQL says. */
export interface WrongAnswer extends Question {
  /** 0: the first. */
  readonly page: number;
  readonly expected: readonly string[];
  readonly got: readonly string[];
  /** Of the user's index before anything was asked; undefined: it was not whole. */
  readonly nonce: Nonce | undefined;
  /**
   * The contacts who make the difference in any of the user's answers: who is missing on a first page moves others on the
   * second. Undefined: they are the same, in another order.
   */
  readonly differing: readonly (Id | undefined)[];
}

export interface CheckedAnswers {
  readonly user: Id;
  readonly checked: number;
  readonly wrong: readonly WrongAnswer[];
  readonly oddRows: OddRows;
  /** Of every contact of the user. */
  readonly truth: CheckedTruth;
}

const ALONE_MS = 5_000;

/** The greatest limit of the API. */
const GREATEST_LIMIT = 100;

/** Asks as a client of the API would, through the same code, and compares with plain SQL, and that with the photos. Changes nothing. */
export class Answers {
  readonly #stores: AnswerStores;
  readonly #recent: RecentContacts;
  readonly #truth: TruthCheck;
  readonly #limits: readonly number[];

  constructor(stores: AnswerStores) {
    const { index, primary, limits, now } = stores;
    this.#stores = stores;
    this.#truth = stores.truth ?? new TruthCheck(stores);
    this.#limits = [...new Set([10, 1, limits.min, limits.max, GREATEST_LIMIT])];
    this.#recent = new RecentContacts({
      index,
      database: primary,
      min: limits.min,
      max: limits.max,
      onCold: () => undefined,
      onLow: () => undefined,
      touch: false,
      now,
    });
  }

  /** Every relation and every limit worth asking for. */
  everyQuestion(): Question[] {
    return RELATIONS.flatMap((relation) => this.#limits.map((limit) => ({ relation, limit })));
  }

  /** The question asked most, and another one, so that many users together have all of them asked. */
  someQuestions(user: Id): Question[] {
    const questions = this.everyQuestion();
    const other = questions[Number(BigInt(user) % BigInt(questions.length))];
    return [questions[0], other].filter((question) => question !== undefined);
  }

  /** @throws RedisUnavailable, DatabaseUnavailable, ContactsTooMany */
  async check(user: Id, questions: readonly Question[]): Promise<CheckedAnswers> {
    const { index, primary } = this.#stores;
    const reading = await index.read(user, 1, false);
    const nonce = reading.state === 'warm' ? reading.nonce : undefined;
    const rows = await this.#allContacts(primary, user);
    const ordered = inOrder(rows);
    const wrong: Difference[] = [];
    let checked = 0;
    for (const question of questions) {
      let below: Key | undefined;
      for (let page = 0; page < 2; page++) {
        const answer = await this.#recent.find({ user, ...question, below });
        checked++;
        const asked = { ...question, page, nonce };
        wrong.push(...compare(asked, expectedAnswer(ordered, asked), answer));
        below = answer.contacts.at(-1);
        if (answer.contacts.length < question.limit || below === undefined) break;
      }
    }
    const differing = [...new Set(wrong.flatMap(differingIn))];
    return {
      user,
      checked,
      wrong: wrong.map((answer) => ({ ...answer, differing })),
      oddRows: countOddRows(rows, (this.#stores.clock ?? Date.now)()),
      truth: await this.#truth.ofRows(user, rows),
    };
  }

  async #allContacts(primary: Database, user: Id): Promise<RawContact[]> {
    const { aloneMs = ALONE_MS } = this.#stores;
    try {
      return await readAllContacts(primary, user, aloneMs);
    } catch (error) {
      throw error instanceof StatementTooSlow ? new ContactsTooMany(user, aloneMs) : error;
    }
  }
}

type Difference = Omit<WrongAnswer, 'differing'>;

function differingIn({ expected, got }: Difference): (Id | undefined)[] {
  const lines = [...expected.filter((line) => !got.includes(line)), ...got.filter((line) => !expected.includes(line))];
  return lines.length > 0 ? lines.map(contactOf) : [undefined];
}

/** An answer may say that there is more where there is not; never the other way round. */
function compare(
  asked: Omit<Difference, 'expected' | 'got'>,
  expected: ExpectedAnswer,
  answer: RecentAnswer,
): Difference[] {
  const got = answer.contacts.map(lineOf);
  const isRight = expected.lines.join() === got.join() && (answer.more || !expected.more);
  return isRight ? [] : [{ ...asked, expected: expected.lines, got }];
}

export const ANSWER_MISMATCH: MismatchKind<WrongAnswer> = { recurrence, contactsOf: ({ differing }) => differing };

/** The same question with the same right answer, wrong at both looks. */
function recurrence(before: WrongAnswer, now: WrongAnswer): Recurrence {
  const isAlike =
    before.relation === now.relation &&
    before.limit === now.limit &&
    before.page === now.page &&
    before.expected.join() === now.expected.join();
  if (!isAlike) return undefined;
  return now.nonce !== undefined && before.nonce === now.nonce ? 'lasting' : 'recurring';
}
