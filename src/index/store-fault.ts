import { EpochMissing } from '../mysql/epoch.ts';
import { type MysqlFault, mysqlFaultOf } from '../mysql/faults.ts';
import { type RedisFault, redisFaultOf } from '../redis/unavailable.ts';
import { withTimeout } from '../timing/deadline.ts';

/** See `mysql/faults.ts` and `redis/unavailable.ts`, which have the tables. */
export type StoreFault = MysqlFault | RedisFault;

/** undefined: no store said so. */
export function storeFaultOf(error: unknown): StoreFault | undefined {
  return error instanceof EpochMissing ? 'setup' : (redisFaultOf(error) ?? mysqlFaultOf(error));
}

/**
 * Would the same happen to any other work? Whoever sees this waits and tries again. Of a question that took too long this
 * cannot be told from the error: see {@link concernsAll}.
 */
export function isStoreFault(error: unknown): boolean {
  const fault = storeFaultOf(error);
  return fault === 'away' || fault === 'session' || fault === 'setup' || fault === 'slow';
}

/** Does every store answer a question that costs nothing, at once? */
export type Answers = () => Promise<boolean>;

/**
 * The same, where it can be asked whether the stores answer: if they do, what took too long and what nobody knows was the
 * work's own.
 */
export async function concernsAll(error: unknown, answers: Answers): Promise<boolean> {
  const fault = storeFaultOf(error);
  if (fault === 'slow' || fault === 'unknown') return !(await answers());
  return fault !== undefined && fault !== 'row';
}

/** For {@link concernsAll}, ms: what answers later than that is not well. */
const AT_ONCE_MS = 1_000;

/** Asks each of them, side by side. */
export function answersAtOnce(questions: readonly (() => Promise<unknown>)[], ms: number = AT_ONCE_MS): Answers {
  return async () => {
    const all = Promise.all(questions.map((ask) => ask())).then(() => true);
    return await withTimeout(all, ms, () => new Error('too late')).catch(() => false);
  };
}
