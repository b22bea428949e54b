import type { Id } from '../contracts/id.ts';
import type { UploadsFrom } from '../mysql/statements/last-upload.ts';
import { NO_ODD_ROWS, type OddRows, type WrongAnswer } from './answer-check.ts';
import { type AnswerCounts, type IndexCounts, NO_ANSWERS, NO_INDEXES, NO_TRUTH, type TruthCounted } from './counts.ts';
import type { Mismatch } from './drift.ts';
import type { FailedUser } from './failed-users.ts';
import type { Drifted, WrongAnswersOf } from './page-check.ts';
import type { WrongPair } from './truth-check.ts';

/** Examples of each kind: enough to investigate by hand; a report does not list everybody. */
const SHOWN = 20;

export interface FoundWrong {
  readonly drifted: readonly Drifted[];
  readonly answers: readonly WrongAnswersOf[];
  readonly columns: readonly Id[];
  readonly pairs: readonly WrongPair[];
}

/** With the name of its kind; undefined: the job is about contacts alone. */
type Tagged<T> = T & { readonly kind?: string };

type TaggedWrong = { readonly [K in keyof FoundWrong]: readonly Tagged<FoundWrong[K][number]>[] };

const NOTHING: TaggedWrong = { drifted: [], answers: [], columns: [], pairs: [] };

export interface DriftExample {
  readonly user: Id;
  readonly kind?: string;
  readonly visible: boolean;
  readonly mismatches: readonly Omit<Mismatch, 'nonce'>[];
}

interface AnswerExample {
  readonly user: Id;
  readonly kind?: string;
  readonly wrong: readonly Omit<WrongAnswer, 'nonce' | 'differing'>[];
}

export interface ShownExamples {
  readonly wrong_users: DriftExample[];
  readonly wrong_answers: AnswerExample[];
  readonly wrong_columns: Id[];
  /** Drift of the class `truth`. */
  readonly wrong_pairs: Tagged<WrongPair>[];
}

/** Keeps the first few things of each sort that are wrong. */
export class Examples {
  #found: TaggedWrong = NOTHING;

  /** @param kind named with each of them */
  add(more: Partial<FoundWrong>, kind?: string): void {
    const { drifted, answers, columns, pairs } = { ...NOTHING, ...more };
    const tagged = <T extends object>(some: readonly T[]) =>
      kind === undefined ? some : some.map((one) => ({ ...one, kind }));
    this.#found = {
      drifted: [...this.#found.drifted, ...tagged(drifted)].slice(0, SHOWN),
      answers: [...this.#found.answers, ...tagged(answers)].slice(0, SHOWN),
      columns: [...this.#found.columns, ...columns].slice(0, SHOWN),
      pairs: [...this.#found.pairs, ...tagged(pairs)].slice(0, SHOWN),
    };
  }

  /** As `--json` prints them: without nonces, which mean nothing to a reader. */
  shown(): ShownExamples {
    const { drifted, answers, columns, pairs } = this.#found;
    const about = ({ user, kind }: Tagged<{ readonly user: Id }>) => ({
      user,
      ...(kind === undefined ? {} : { kind }),
    });
    return {
      wrong_users: drifted.map((one) => ({
        ...about(one),
        visible: one.clientVisible,
        mismatches: one.mismatches.slice(0, SHOWN).map(({ nonce: _, ...rest }) => rest),
      })),
      wrong_answers: answers.map((one) => ({
        ...about(one),
        wrong: one.wrong.map(({ nonce: _, differing: __, ...rest }) => rest),
      })),
      wrong_columns: [...columns],
      wrong_pairs: [...pairs],
    };
  }
}

/** What `verify` finds. */

/** Where the last uploads come from, by the name of the kind: a column of its view, or its photos. */
export type UploadSources = Readonly<Record<string, UploadsFrom>>;

/** Users of the reference schema whose `last_…_at` columns were compared with their photos. */
type ColumnCounts = { readonly users: number; readonly wrong: number };

export type VerifyCounts = IndexCounts &
  TruthCounted &
  AnswerCounts & {
    readonly columns: ColumnCounts;
    readonly odd_rows: OddRows;
    /** Users who could not be verified; `failed_users` says why. */
    readonly failed: number;
  };

/** What `verify --json` prints. */
export type VerifyResult = VerifyCounts & {
  readonly seconds: number;
  /** What each kind adds to the sums, by its name; undefined: contacts alone were verified. */
  readonly kinds?: Readonly<Record<string, VerifyCounts>>;
  readonly last_uploads: UploadSources;
  /** The first 100. */
  readonly failed_users: readonly FailedUser[];
} & ShownExamples;

const NO_COLUMNS: ColumnCounts = { users: 0, wrong: 0 };
/** The counts of a `verify` that has done nothing. */
export const NOTHING_VERIFIED: VerifyCounts = {
  ...NO_INDEXES,
  truth: NO_TRUTH,
  ...NO_ANSWERS,
  columns: NO_COLUMNS,
  odd_rows: NO_ODD_ROWS,
  failed: 0,
};
