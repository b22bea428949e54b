import { DRIFT_CLASSES, type DriftClass } from '../contracts/drift.ts';
import type { Id } from '../contracts/id.ts';
import { eachOrNone } from '../index/set-aside.ts';
import type { Pair } from '../mysql/pairs.ts';
import { ANSWER_MISMATCH, type Answers, type WrongAnswer } from './answers.ts';
import type { Belief } from './belief.ts';
import { INDEX_MISMATCH, type Mismatch } from './drift.ts';
import type { Examination, Finding } from './examination.ts';
import { NO_ODD_ROWS, type OddRows } from './odd-rows.ts';
import { sum } from './tally.ts';
import { type CheckedTruth, type TruthCheck, type TruthCounts, together } from './truth-check.ts';

/** What the indexes of some users were found to be. The names are those of `verify --json`. */
export type IndexCounts = {
  readonly users: number;
  readonly warm: number;
  readonly cold: number;
  /** Users whose index is wrong. */
  readonly wrong: number;
  /** Those of them where a client would have noticed. */
  readonly visible: number;
  /** Users who differed, and of whom it could not be told whether that was only on its way. */
  readonly unsettled: number;
  /** Users with drift of each class; one user may have several. */
  readonly classes: Readonly<Record<DriftClass, number>>;
  /** Those of them where a client would have noticed, whichever of the user's classes it was. */
  readonly visible_classes: Readonly<Record<DriftClass, number>>;
};

export type AnswerCounts = {
  readonly answers_checked: number;
  readonly answers_wrong: number;
  /** Users with answers that differed, of whom it could not be told whether that was only on its way. */
  readonly answers_unsettled: number;
};

export const NO_ANSWERS: AnswerCounts = { answers_checked: 0, answers_wrong: 0, answers_unsettled: 0 };

export const NO_INDEXES: IndexCounts = {
  users: 0,
  warm: 0,
  cold: 0,
  wrong: 0,
  visible: 0,
  unsettled: 0,
  classes: countClasses([]),
  visible_classes: countClasses([]),
};

/** A user whose index is wrong: what is confirmed. */
export interface Drifted {
  readonly user: Id;
  readonly mismatches: readonly Mismatch[];
  readonly visible: boolean;
}

export interface CheckedIndexes {
  readonly counts: IndexCounts;
  readonly drifted: readonly Drifted[];
  readonly unsettled: readonly Id[];
  /** The best contacts of each user who has an index, as MySQL has them. */
  readonly heads: readonly Pair[];
}

export interface WrongAnswersOf {
  readonly user: Id;
  readonly wrong: readonly WrongAnswer[];
}

export interface CheckedAnswersOf {
  readonly counts: AnswerCounts;
  readonly wrong: readonly WrongAnswersOf[];
  readonly unsettled: readonly Id[];
  readonly oddRows: OddRows;
  readonly truth: CheckedTruth;
}

/** Users whose answers are asked for side by side. */
const USERS_AT_ONCE = 4;

interface PageCheckParts {
  readonly examination: Examination;
  readonly answers: Answers;
  readonly belief: Belief;
  readonly truth: TruthCheck;
}

/** Checks a page of users, and confirms what it finds only when nothing is on its way any more that could explain it. */
export class PageCheck {
  readonly #examination: Examination;
  readonly #answers: Answers;
  readonly #belief: Belief;
  readonly #truth: TruthCheck;

  constructor(parts: PageCheckParts) {
    this.#examination = parts.examination;
    this.#answers = parts.answers;
    this.#belief = parts.belief;
    this.#truth = parts.truth;
  }

  /** I1 to I4 of each user's index. @throws RedisUnavailable, DatabaseUnavailable, the signal's reason */
  async indexes(users: readonly Id[], signal?: AbortSignal): Promise<CheckedIndexes> {
    const latest = new Map<Id, Finding>();
    const remember = (findings: readonly Finding[]) => {
      for (const finding of findings) latest.set(finding.user, finding);
      return new Map(findings.map(({ user, mismatches }) => [user, mismatches]));
    };
    const first = remember(await this.#examination.look(users, signal));
    const again = async (some: readonly Id[]) => remember(await this.#examination.lookCloser(some, signal));
    const { confirmed, unsettled } = await this.#belief.confirm(first, again, INDEX_MISMATCH, signal);
    const drifted = [...confirmed].map(([user, mismatches]) => ({
      user,
      mismatches,
      visible: latest.get(user)?.visible ?? false,
    }));
    const findings = [...latest.values()];
    const heads = findings.flatMap(({ user, head }) => head.map((contact) => ({ user, contact })));
    return { counts: countIndexes(findings, drifted, unsettled.length), drifted, unsettled, heads };
  }

  /**
   * Whether the photos confirm the last uploads of these heads, and of some pairs beside. Nothing on its way explains what
   * contradicts them: one statement reads both views.
   * @throws DatabaseUnavailable, the signal's reason
   */
  truth(users: readonly Id[], heads: readonly Pair[], signal?: AbortSignal): Promise<CheckedTruth> {
    return this.#truth.ofHeads(users, heads, signal);
  }

  /**
   * Answers to each user, compared with plain SQL; and all that this says of their contacts, compared with the photos.
   * @param thorough every question there is, instead of some
   * @throws RedisUnavailable, DatabaseUnavailable, the signal's reason
   */
  async answers(users: readonly Id[], thorough: boolean, signal?: AbortSignal): Promise<CheckedAnswersOf> {
    const questions = (user: Id) => (thorough ? this.#answers.everyQuestion() : this.#answers.someQuestions(user));
    const ask = (some: readonly Id[]) =>
      eachOrNone(some, USERS_AT_ONCE, (user) => this.#answers.check(user, questions(user)));
    const first = await ask(users);
    const wrongIn = (checks: typeof first) => new Map(checks.map(({ user, wrong }) => [user, wrong]));
    const again = async (some: readonly Id[]) => wrongIn(await ask(some));
    const { confirmed, unsettled } = await this.#belief.confirm(wrongIn(first), again, ANSWER_MISMATCH, signal);
    const wrong = [...confirmed].map(([user, answers]) => ({ user, wrong: answers }));
    const counts = {
      answers_checked: first.reduce((all, check) => all + check.checked, 0),
      answers_wrong: wrong.reduce((all, of) => all + of.wrong.length, 0),
      answers_unsettled: unsettled.length,
    };
    const oddRows = first.reduce((all, check) => sum(all, check.oddRows), NO_ODD_ROWS);
    return { counts, wrong, unsettled, oddRows, truth: together(first.map((check) => check.truth)) };
  }
}

/** The counts with those of the class `truth`: whoever is shown such a pair sees what is wrong with it. */
export function withTruth(counts: IndexCounts, { counts: truth, users }: CheckedTruth): IndexCounts & TruthCounted {
  const { classes, visible_classes } = counts;
  const of = { truth: users };
  return { ...counts, classes: { ...classes, ...of }, visible_classes: { ...visible_classes, ...of }, truth };
}

export type TruthCounted = { readonly truth: TruthCounts };

function countIndexes(findings: readonly Finding[], drifted: readonly Drifted[], unsettled: number): IndexCounts {
  const visible = drifted.filter((user) => user.visible);
  const inState = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
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
