import type { Id } from '../contracts/id.ts';
import type { DelayedItem } from '../index/deferred-work.ts';
import { type Operation, step } from '../index/protocol.ts';
import { rebuild } from '../index/rebuild.ts';
import { RECHECKS } from '../index/rechecks.ts';
import { type Hint, type RefreshReport, refresh } from '../index/refresh.ts';
import { hasVersion } from './planned-work.ts';

/** Who is told what was done, for the metrics. */
export interface DelayedObserver {
  readonly onRefresh?: (report: RefreshReport) => void;
  /** A row stayed older than its task said for too long; what MySQL says was applied. */
  readonly onGivenUp?: (count: number) => void;
  /** Rebuilds that take longer than a statement may, and were not done. */
  readonly onSlow?: (users: readonly Id[]) => void;
}

type Refreshing = Exclude<DelayedItem, { kind: 'rebuild' }>;

/** Does items of the delay queue, or re-checks. When it has ended, they are written, or wait again, and may be finished. */
export function* doDelayed(items: readonly DelayedItem[], observer: DelayedObserver): Operation<void> {
  const users = items.filter((item) => item.kind === 'rebuild').map((item) => item.user);
  if (users.length > 0) {
    const { unsettled, slow } = yield* rebuild(users);
    if (slow.length > 0) observer.onSlow?.(slow);
    // These texts are among the held ones: put back before those are finished, they wait again.
    if (unsettled.length > 0) yield* step('defer', { pairs: [], rebuilds: unsettled });
  }
  for (const [attempt, some] of Map.groupBy(items.filter(isRefresh), attemptOf)) {
    yield* refreshAgain(some, attempt, observer);
  }
}

function* refreshAgain(items: readonly Refreshing[], attempt: number, observer: DelayedObserver): Operation<void> {
  const report = yield* refresh(eachPairOnce(items));
  observer.onRefresh?.(report);
  const behind = report.behind.filter(hasVersion);
  if (behind.length === 0) return;
  if (attempt < RECHECKS) yield* step('recheck', behind, attempt + 1);
  else observer.onGivenUp?.(behind.length);
}

function isRefresh(item: DelayedItem): item is Refreshing {
  return item.kind !== 'rebuild';
}

function attemptOf(item: Refreshing): number {
  return item.kind === 'recheck' ? item.attempt : 0;
}

/**
 * Each pair once; of several versions of one pair, the newest must be seen. What a re-check waits for may be what its
 * user grants the contact, so the contact's side is looked at again with it.
 */
function eachPairOnce(items: readonly Refreshing[]): Hint[] {
  const hints = new Map<string, Hint>();
  const add = (user: Id, contact: Id, version: string) => {
    const pair = `${user} ${contact}`;
    const before = hints.get(pair)?.version ?? '0';
    const newest = BigInt(version) > BigInt(before) ? version : before;
    hints.set(pair, { user, contact, ...(newest === '0' ? {} : { version: newest }) });
  };
  for (const item of items) {
    add(item.user, item.contact, item.kind === 'recheck' ? item.version : '0');
    if (item.kind === 'recheck') add(item.contact, item.user, '0');
  }
  return [...hints.values()];
}
