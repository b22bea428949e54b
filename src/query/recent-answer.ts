import type { Consistency } from '../contracts/answer-parameters.ts';
import type { Reason } from '../contracts/http.ts';
import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { Freshness } from './fresh-reads.ts';
import type { ContactPage, PageWanted } from './narrow.ts';
import type { Stopwatch } from './stopwatch.ts';

export interface RecentQuery extends PageWanted {
  /** `limit` is 1 to 100. */
  readonly user: Id;
  /** strong: only plain SQL on the primary answers ('index'). */
  readonly consistency?: Consistency | undefined;
  /** The greatest lag accepted, ms; beyond it plain SQL on the primary answers. Undefined: any. */
  readonly maxLagMs?: number | undefined;
  /** The request's deadline, which bounds every wait. */
  readonly deadline?: Deadline | undefined;
  /** Undefined: the caller names no change that the answer must show. */
  readonly freshness?: Freshness | undefined;
}

export interface RecentAnswer extends ContactPage {
  /** `index`: the narrowed query; `database`: the plain one. */
  readonly source: 'index' | 'database';
  /** Every row is in its right place as of the moment the index was read, except for changes whose tasks are in flight. */
  readonly exact: boolean;
  /** Every contact of the user was considered: by the plain query, or by an index that left nobody out. */
  readonly complete: boolean;
  readonly floor: Key | undefined;
  /** Why the database answered; undefined: the index did. */
  readonly reason: Reason | undefined;
  /** The rows come from a replica, which may lag. */
  readonly replica: boolean;
  /** When reading began, ms since 1970 UTC by this process's clock: whatever was committed before is in the rows or in `lagMs`. */
  readonly asOf: number;
  /**
   * The age of the oldest change that may be missing from the rows because it is not applied yet, ms, at most; 0 where the
   * primary itself answered; undefined: not known.
   */
  readonly lagMs: number | undefined;
  /** Time spent waiting for Redis and for MySQL, ms. */
  readonly timing: { readonly index: number; readonly db: number };
}

/** The answer, which is not exact if MySQL lacks a change that its reader named. */
export function asCommitted(answer: RecentAnswer, freshness: Freshness | undefined): RecentAnswer {
  return freshness?.isBehind ? { ...answer, exact: false, reason: 'version_not_committed' } : answer;
}

/** When the reading of an answer began, and what the indexes may have lacked then. */
export type Beginning = Pick<RecentAnswer, 'asOf' | 'lagMs'>;

/** An answer without the fields that follow from these. */
type AnswerParts = ContactPage & Beginning & Pick<RecentAnswer, 'source' | 'floor' | 'reason' | 'replica'>;

/** Must the rows come from the primary? */
export function mayNotLag({ consistency, maxLagMs }: Pick<RecentQuery, 'consistency' | 'maxLagMs'>): boolean {
  return consistency === 'strong' || maxLagMs !== undefined;
}

/** Does the index lack more than the query accepts? @param lagMs undefined: not known */
export function isTooFarBehind({ maxLagMs }: Pick<RecentQuery, 'maxLagMs'>, lagMs: number | undefined): boolean {
  return maxLagMs !== undefined && (lagMs === undefined || lagMs > maxLagMs);
}

/** The answer, with what follows from its parts. */
export function answerOf(parts: AnswerParts, { spent: timing }: Stopwatch): RecentAnswer {
  const { contacts, more, source, floor, reason, replica, asOf } = parts;
  const lagMs = replica ? undefined : source === 'database' ? 0 : parts.lagMs;
  const complete = floor === undefined;
  return { contacts, more, source, exact: !replica, complete, floor, reason, replica, asOf, lagMs, timing };
}
