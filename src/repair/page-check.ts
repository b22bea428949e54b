import type { Logger } from 'pino';
import { DRIFT_CLASSES, type DriftClass } from '../contracts/drift.ts';
import type { Id } from '../contracts/id.ts';
import type { ContactIndex, Limits } from '../index/contact-index.ts';
import type { RaiseBarrier } from '../index/drain-barrier.ts';
import { mapConcurrently } from '../index/set-aside.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import type { Pair } from '../mysql/statements/pairs.ts';
import { ANSWER_MISMATCH, AnswerCheck, NO_ODD_ROWS, type OddRows, type WrongAnswer } from './answer-check.ts';
import { Confirmer } from './confirm.ts';
import { type AnswerCounts, addCounts, type IndexCounts } from './counts.ts';
import { INDEX_MISMATCH, type Mismatch } from './drift.ts';
import { IndexCheck, type IndexFinding } from './index-check.ts';
import { addTruth, type CheckedTruth, TruthCheck } from './truth-check.ts';

export interface PageCheckStores {
  readonly index: Pick<ContactIndex, 'read'>;
  /** Asked about the indexes, which are those of its kind. */
  readonly primary: KindDatabase;
  /** Asked for answers, as the API does; a second connection to the primary, where `primary` counts the rows it reads. */
  readonly answersFrom?: KindDatabase;
  readonly limits: Limits;
  readonly raiseBarrier: RaiseBarrier;
  /** ms that a site without an outbox takes from a commit to publishing its task (500). */
  readonly graceMs?: number;
  /** Maximum wait for pending work, ms; after that a difference counts as unsettled. */
  readonly settleMs: number;
  /** ms between two checks whether that work is done (50). */
  readonly pollMs?: number;
  /** Deadline of a statement that reads all contacts of one user, ms (5,000). */
  readonly aloneMs?: number;
  /** Deadline of a statement that compares pairs with the photos, ms (aloneMs). */
  readonly truthMs?: number;
  /** ms, monotonic. */
  readonly now: () => number;
  /** ms since 1970 UTC (of this machine). */
  readonly clock: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly logger?: Pick<Logger, 'warn'>;
}

/** A user whose index is wrong, and what is confirmed. */
export interface Drifted {
  readonly user: Id;
  readonly mismatches: readonly Mismatch[];
  readonly clientVisible: boolean;
}

export interface CheckedIndexes {
  readonly counts: IndexCounts;
  readonly drifted: readonly Drifted[];
  readonly unsettled: readonly Id[];
  /** The best contacts in MySQL of each user who has an index. */
  readonly heads: readonly Pair[];
}

export interface WrongAnswersOf {
  readonly user: Id;
  readonly wrong: readonly WrongAnswer[];
}

interface CheckedPageAnswers {
  readonly counts: AnswerCounts;
  readonly wrong: readonly WrongAnswersOf[];
  readonly unsettled: readonly Id[];
  readonly oddRows: OddRows;
  readonly truth: CheckedTruth;
}

const GRACE_MS = 500;

const POLL_MS = 50;

/** Users whose answers are checked side by side. */
const USERS_AT_ONCE = 4;

/** Checks a page of users. A difference is confirmed only when no pending work can explain it. */
export class PageCheck {
  readonly #indexes: IndexCheck;
  readonly #answers: AnswerCheck;
  readonly #confirmer: Confirmer;
  readonly #truth: TruthCheck;
  readonly #logger: Pick<Logger, 'warn'> | undefined;

  constructor(stores: PageCheckStores) {
    const { primary, answersFrom = primary, raiseBarrier, settleMs, aloneMs, truthMs = aloneMs, now } = stores;
    const { graceMs = GRACE_MS, pollMs = POLL_MS } = stores;
    this.#truth = new TruthCheck({ ...stores, aloneMs: truthMs });
    this.#indexes = new IndexCheck(stores);
    this.#answers = new AnswerCheck({ ...stores, primary: answersFrom, truth: this.#truth });
    this.#confirmer = new Confirmer({ raiseBarrier, graceMs, settleMs, pollMs, now });
    this.#logger = stores.logger;
  }

  /** Checks I1 to I4 of each user's index. @throws RedisUnavailable, DatabaseUnavailable, the signal's reason */
  async indexes(users: readonly Id[], signal?: AbortSignal): Promise<CheckedIndexes> {
    const latest = new Map<Id, IndexFinding>();
    const remember = (findings: readonly IndexFinding[]) => {
      for (const finding of findings) latest.set(finding.user, finding);
      return new Map(findings.map(({ user, mismatches }) => [user, mismatches]));
    };
    const first = remember(await this.#indexes.look(users, signal));
    const again = async (some: readonly Id[]) => remember(await this.#indexes.lookCloser(some, signal));
    const { confirmed, unsettled } = await this.#confirmer.confirm(first, again, INDEX_MISMATCH, signal);
    const drifted = [...confirmed].map(([user, mismatches]) => ({
      user,
      mismatches,
      clientVisible: latest.get(user)?.clientVisible ?? false,
    }));
    const findings = [...latest.values()];
    const heads = findings.flatMap(({ user, head }) => head.map((contact) => ({ user, contact })));
    return { counts: countIndexes(findings, drifted, unsettled.length), drifted, unsettled, heads };
  }

  /**
   * Compares the last uploads of these heads, and of some other pairs, with the photos. Pending work cannot explain a
   * difference, because one statement reads both views.
   * @throws DatabaseUnavailable, the signal's reason
   */
  async truth(users: readonly Id[], heads: readonly Pair[], signal?: AbortSignal): Promise<CheckedTruth> {
    const truth = await this.#truth.ofHeads(users, heads, signal);
    this.#logUnread(truth);
    return truth;
  }

  /**
   * Compares the answers to each user with plain SQL, and all contacts that plain SQL gives with the photos.
   * @param thorough ask every question instead of some
   * @throws RedisUnavailable, DatabaseUnavailable, the signal's reason
   */
  async answers(users: readonly Id[], thorough: boolean, signal?: AbortSignal): Promise<CheckedPageAnswers> {
    const questions = (user: Id) => (thorough ? this.#answers.everyQuestion() : this.#answers.someQuestions(user));
    const ask = (some: readonly Id[]) =>
      mapConcurrently(some, USERS_AT_ONCE, (user) => this.#answers.check(user, questions(user)));
    const first = await ask(users);
    const wrongIn = (checks: typeof first) => new Map(checks.map(({ user, wrong }) => [user, wrong]));
    const again = async (some: readonly Id[]) => wrongIn(await ask(some));
    const { confirmed, unsettled } = await this.#confirmer.confirm(wrongIn(first), again, ANSWER_MISMATCH, signal);
    const wrong = [...confirmed].map(([user, answers]) => ({ user, wrong: answers }));
    const counts = {
      answers_checked: first.reduce((all, { checked }) => all + checked, 0),
      answers_wrong: wrong.reduce((all, of) => all + of.wrong.length, 0),
      answers_unsettled: unsettled.length,
    };
    const oddRows = first.reduce((all, check) => addCounts(all, check.oddRows), NO_ODD_ROWS);
    const truth = addTruth(first.map((check) => check.truth));
    this.#logUnread(truth);
    return { counts, wrong, unsettled, oddRows, truth };
  }

  #logUnread({ unread }: CheckedTruth): void {
    if (unread > 0) this.#logger?.warn({ pairs: unread }, 'some pairs could not be compared with the photos');
  }
}

function countIndexes(findings: readonly IndexFinding[], drifted: readonly Drifted[], unsettled: number): IndexCounts {
  const visible = drifted.filter((user) => user.clientVisible);
  const inState = (state: IndexFinding['state']) => findings.filter((finding) => finding.state === state).length;
  return {
    users: findings.length,
    warm: inState('warm'),
    cold: inState('cold'),
    wrong: drifted.length,
    visible: visible.length,
    unsettled,
    classes: countClasses(drifted),
    visible_classes: countClasses(visible),
  };
}

function countClasses(drifted: readonly Drifted[]): Readonly<Record<DriftClass, number>> {
  const users = (drift: DriftClass) =>
    drifted.filter(({ mismatches }) => mismatches.some((mismatch) => mismatch.class === drift)).length;
  return Object.fromEntries(DRIFT_CLASSES.map((drift) => [drift, users(drift)])) as Record<DriftClass, number>;
}
