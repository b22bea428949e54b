import type { ContactIndex } from '../index/contact-index.ts';
import type { RaiseBarrier } from '../index/drain-barrier.ts';
import type { Limits } from '../index/limits.ts';
import type { Database } from '../mysql/database.ts';
import { Answers } from './answers.ts';
import { Belief } from './belief.ts';
import { Examination } from './examination.ts';
import { PageCheck } from './page-check.ts';
import { TruthCheck } from './truth-check.ts';

export interface CheckStores {
  readonly index: Pick<ContactIndex, 'read'>;
  /** Asked about the indexes. */
  readonly primary: Database;
  /** Asked for answers, as the API asks: the primary as well, where it is not to count what it reads. */
  readonly answersFrom?: Database;
  readonly limits: Limits;
  /** Put up behind what is on its way. */
  readonly raiseBarrier: RaiseBarrier;
  /** ms that a site takes from a commit to publishing its task, where it has no outbox (500). */
  readonly graceMs?: number;
  /** ms that what is on its way is waited for, at the most, before a difference counts as unsettled. */
  readonly settleMs: number;
  /** ms between two looks whether it has arrived (50). */
  readonly pollMs?: number;
  /** ms, monotonic. */
  readonly now: () => number;
  /** For a statement that reads all contacts of one user, ms (5,000). */
  readonly aloneMs?: number;
  /** For a statement that compares with the photos, ms (aloneMs). */
  readonly truthMs?: number;
  /** ms since 1970 UTC (this machine's). */
  readonly clock?: () => number;
}

const GRACE_MS = 500;

const POLL_MS = 50;

export function openPageCheck({
  answersFrom,
  raiseBarrier,
  graceMs = GRACE_MS,
  settleMs,
  pollMs = POLL_MS,
  truthMs,
  ...stores
}: CheckStores): PageCheck {
  const { primary, now } = stores;
  const truth = new TruthCheck({ ...stores, aloneMs: truthMs ?? stores.aloneMs });
  return new PageCheck({
    examination: new Examination(stores),
    answers: new Answers({ ...stores, truth, primary: answersFrom ?? primary }),
    belief: new Belief({ raiseBarrier, graceMs, settleMs, pollMs, now }),
    truth,
  });
}
