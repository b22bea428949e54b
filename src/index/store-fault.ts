import type { Kind } from '../contracts/kind.ts';
import type { Database } from '../mysql/database.ts';
import { EpochMissing } from '../mysql/epoch.ts';
import type { MysqlFault } from '../mysql/error-numbers.ts';
import { mysqlFaultOf, unlessRefused } from '../mysql/faults.ts';
import { type RedisFault, redisFaultOf } from '../redis/unavailable.ts';
import { withTimeout } from '../timing/deadline.ts';

/** What kind of fault of a store an error is: see the tables in `mysql/error-numbers.ts` and `redis/unavailable.ts`. */
export type StoreFault = MysqlFault | RedisFault;

/** The bulk lane took nothing, or did not answer: whatever wants to publish to it meets the same. */
export class BulkLaneUnavailable extends Error {
  override readonly name = 'BulkLaneUnavailable';

  constructor(cause: unknown) {
    super(`the bulk lane is not available: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** @returns undefined if the error is not known to be from a store */
export function storeFaultOf(error: unknown): StoreFault | undefined {
  if (error instanceof BulkLaneUnavailable) return storeFaultOf(error.cause) === 'setup' ? 'setup' : 'away';
  return error instanceof EpochMissing ? 'setup' : (redisFaultOf(error) ?? mysqlFaultOf(error));
}

/**
 * Would any other work fail in the same way? If so, the caller waits and retries. After a timeout the error alone does not
 * tell: see {@link concernsAll}.
 */
export function isStoreFault(error: unknown): boolean {
  const fault = storeFaultOf(error);
  return fault === 'away' || fault === 'session' || fault === 'setup' || fault === 'slow';
}

/** Asks every store a trivial question. Resolves to whether all of them answer at once; never rejects. */
export type Answers = () => Promise<boolean>;

/**
 * Like {@link isStoreFault}, for a caller that can check whether the stores answer. If they do, a timeout or an error that nobody
 * knows was the fault of the work itself.
 */
export async function concernsAll(error: unknown, answers: Answers): Promise<boolean> {
  const fault = storeFaultOf(error);
  if (fault === undefined || fault === 'slow' || fault === 'unknown') return !(await answers());
  return fault !== 'row';
}

/**
 * Trivial questions, one about each view of these kinds: while a table is locked, or waits to be altered, no work of its kind can be
 * done. What MySQL refuses to read is answered.
 */
export function askViews(primary: Database, kinds: readonly Kind[]): (() => Promise<unknown>)[] {
  const views = kinds.flatMap(({ view, photosView }) => [view, photosView]);
  return views.map((view) => () => primary.rows(`SELECT 1 FROM ${view} LIMIT 0`, []).catch(unlessRefused));
}

/** A store that answers a trivial question later than this is not healthy, ms. */
const AT_ONCE_MS = 1_000;

/** Asks all questions concurrently. @param ms to wait for the answers */
export function answersAtOnce(questions: readonly (() => Promise<unknown>)[], ms: number = AT_ONCE_MS): Answers {
  return async () => {
    const all = Promise.all(questions.map((ask) => ask())).then(() => true);
    return await withTimeout(all, ms, () => new Error('too late')).catch(() => false);
  };
}
