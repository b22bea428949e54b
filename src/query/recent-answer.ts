import type { Consistency } from '../contracts/answer-parameters.ts';
import { EXACT_WITHIN_MS, type Reason } from '../contracts/http.ts';
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
  /**
   * The rows show every change that was committed `lagMs` or longer before `asOf`, each in its right place; and `lagMs` is known
   * and at most what is set (RECENCY_EXACT_WITHIN_MS).
   */
  readonly exact: boolean;
  /** Every contact of the user was considered: by the plain query, or by an index that left nobody out. */
  readonly complete: boolean;
  readonly floor: Key | undefined;
  /** Why the database answered, or why the answer is not exact; undefined: neither. */
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

/** What is known of how far the indexes are behind. */
export interface IndexLag {
  /** The age of the oldest change that may not be applied, ms (see AppliedWatermark). Left out: never known. */
  readonly lagMs?: (() => number | undefined) | undefined;
  /** The greatest lag of an index whose answer is exact, ms. Left out: EXACT_WITHIN_MS. */
  readonly exactWithinMs?: number | undefined;
}

/** When the reading of an answer began, and what the indexes may have lacked then. */
export interface Beginning extends Pick<RecentAnswer, 'asOf' | 'lagMs'> {
  /** The indexes may lack more than an exact answer may, or it is not known what they lack. */
  readonly isLate: boolean;
}

/** @param asOf ms since 1970 UTC @param isReplica another server answers: how far the indexes are behind says nothing about its rows */
export function beginningAt(
  asOf: number,
  { lagMs: ask, exactWithinMs = EXACT_WITHIN_MS }: IndexLag,
  isReplica: boolean,
): Beginning {
  const lagMs = isReplica ? undefined : ask?.();
  return { asOf, lagMs, isLate: isLate(lagMs, exactWithinMs) };
}

/** May an index lack more than an exact answer may? Both in ms. @param lagMs undefined: it is not known what it lacks */
export function isLate(lagMs: number | undefined, exactWithinMs: number): boolean {
  return lagMs === undefined || lagMs > exactWithinMs;
}

/** The rows are the primary's own, read after the beginning: nothing that was committed before is missing. */
export function ofPrimary({ asOf }: Beginning): Beginning {
  return { asOf, lagMs: 0, isLate: false };
}

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
  const { contacts, more, source, floor, replica, asOf } = parts;
  const lagMs = replica ? undefined : parts.lagMs;
  const isLate = parts.isLate && !replica;
  const reason = isLate ? 'lag' : parts.reason;
  const exact = !replica && !isLate;
  return { contacts, more, source, exact, complete: floor === undefined, floor, reason, replica, asOf, lagMs, timing };
}
