import type { Id } from '../contracts/id.ts';
import { chunks } from '../index/chunks.ts';
import { type FanOutReport, fanOut } from '../index/fan-out.ts';
import { type Operation, step, type VersionedPair } from '../index/protocol.ts';
import { type Hint, PAIRS_A_CALL, type RefreshReport, refresh } from '../index/refresh.ts';
import type { WorkPlan } from './work-plan.ts';

/** Who is told what was done, for the metrics. */
export interface WorkObserver {
  readonly onRefresh?: (report: RefreshReport) => void;
  readonly onFanOut?: (report: FanOutReport) => void;
}

/** Owners whose followers are paged together. */
const OWNERS_AT_ONCE = 32;

/**
 * What a plan comes to, in stages: a stage begins when the one before it has ended; the operations of one stage are
 * independent and may run side by side. When the last one has ended, everything is written and may be acknowledged.
 * @param pageSize followers of one owner read at once
 */
export function stagesOf(plan: WorkPlan, pageSize: number, observer: WorkObserver): Operation<void>[][] {
  return [
    [...drops('forget', plan.forgotten), ...drops('drop', plan.dropped)],
    chunks(plan.hints, PAIRS_A_CALL).map((hints) => refreshHints(hints, observer)),
    ...chunks(plan.fanOuts, OWNERS_AT_ONCE).map((owners) => [fanOutOwners(owners, pageSize, observer)]),
  ];
}

function drops(name: 'forget' | 'drop', users: readonly Id[]): Operation<void>[] {
  return users.length > 0 ? [step(name, users)] : [];
}

function* refreshHints(hints: readonly Hint[], observer: WorkObserver): Operation<void> {
  const report = yield* refresh(hints);
  observer.onRefresh?.(report);
  const behind = report.behind.filter(hasVersion);
  if (behind.length > 0) yield* step('recheck', behind, 1);
}

function* fanOutOwners(
  owners: readonly { owner: Id; tasks: readonly string[] }[],
  pageSize: number,
  observer: WorkObserver,
): Operation<void> {
  const report = yield* fanOut(owners, pageSize, observer.onRefresh);
  observer.onFanOut?.(report);
}

export function hasVersion(hint: Hint): hint is Hint & VersionedPair {
  return hint.version !== undefined;
}
