/** What `verify` finds. */
import type { UploadsFrom } from '../mysql/last-upload.ts';
import { NO_ODD_ROWS, type OddRows } from './answer-check.ts';
import { type AnswerCounts, type IndexCounts, NO_ANSWERS, NO_INDEXES, NO_TRUTH, type TruthCounted } from './counts.ts';
import type { ShownExamples } from './examples.ts';
import type { FailedUser } from './failed-users.ts';

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
