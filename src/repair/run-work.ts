import type { Id } from '../contracts/id.ts';
import type { Kind } from '../contracts/kind.ts';
import type { RunKind } from '../mysql/runs.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import type { Counts } from './counts.ts';
import type { FoundWrong, ShownExamples } from './examples.ts';
import type { FailedUser } from './failed-users.ts';
import type { Cost } from './job.ts';
import type { RunParameters } from './run-parameters.ts';
import type { IndexedUsers } from './user-pages.ts';

/** What a run saves in MySQL: what it found, what it did, and the cost. */
export type RunReport = {
  readonly before: Counts & { readonly users: number };
  readonly after: Counts & { readonly failed: number };
  readonly cost: Cost;
};

/** What a run does with the users of a page, to their indexes of one kind. */
export interface PageWork<R extends RunReport> {
  readonly kind: Kind;
  /** Asked about this kind. */
  readonly primary: KindDatabase;
  /** Given: after all users with relationships, the run also covers indexes whose user has none. */
  readonly indexedUsers?: IndexedUsers | undefined;
  /** Processes some users of a page. The same users may come again, until the page is saved. */
  process(users: readonly Id[], parameters: RunParameters, signal?: AbortSignal): Promise<ProcessedUsers<R>>;
}

/** A long job: what it does about each kind, one kind after the other. */
export interface RunWork<R extends RunReport, E extends object = object> {
  readonly job: RunKind;
  /** The report of a run that has done nothing. */
  readonly empty: R;
  /** Of every kind in use. */
  readonly kinds: readonly PageWork<R>[];
  /** The examples that the result shows. */
  examples(shown: ShownExamples): E;
}

export interface ProcessedUsers<R extends RunReport> {
  readonly before: R['before'];
  readonly after: R['after'];
  /** Examples for the result; they are kept once the page is saved. */
  readonly found?: Partial<FoundWrong>;
}

/** What a run's `--json` prints, apart from examples. */
export type RunResult<R extends RunReport> = R['before'] &
  R['after'] &
  Cost & {
    readonly run: Id;
    readonly dry_run: boolean;
    /** What each kind adds to the sums, by its name; undefined: the run is about contacts alone. */
    readonly kinds?: Readonly<Record<string, R['before'] & R['after']>>;
    /** The first 100 of this part of the run. */
    readonly failed_users: readonly FailedUser[];
  };
