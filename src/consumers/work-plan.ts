import { type BulkTask, isBulkTask, type Lane, type PlanTask, type SegmentTask } from '../contracts/bulk-task.ts';
import type { Id } from '../contracts/id.ts';
import { CONTACTS, type Kind, type KindName } from '../contracts/kind.ts';
import { type DeliveredTask, meaningOf } from '../contracts/task.ts';
import { type FanOutReport, fanOut } from '../index/fan-out.ts';
import { type Operation, run, type Steps, step } from '../index/protocol.ts';
import { addHint, type Hint, PAIRS_A_CALL, type RefreshReport, refresh } from '../index/refresh.ts';
import { planSegments, refreshSegment, refreshWatched, takePlan } from '../index/segments.ts';
import { mapConcurrently, type SetAside } from '../index/set-aside.ts';
import type { Answers } from '../index/store-fault.ts';
import type { Pair } from '../mysql/statements/pairs.ts';
import { chunks } from '../timing/batches.ts';
import type { BatchLease } from '../transport/task-source.ts';

/** A decoded task and its identity. A redelivery of the same message has the same position; no other message has. */
export interface ReceivedTask {
  readonly position: string;
  readonly task: DeliveredTask;
}

/** The work that a batch of tasks amounts to: tasks that ask for the same thing are merged. */
export interface WorkPlan {
  readonly kind: KindName;
  /** Pairs to refresh, each once. */
  readonly hints: readonly Hint[];
  /** Owners whose followers are refreshed, each once. */
  readonly owners: readonly Id[];
  /** Users who have changed: their indexes are dropped. */
  readonly dropped: readonly Id[];
  /** Deleted users: their indexes and the work that waits for them are dropped. */
  readonly forgotten: readonly Id[];
  /** Large audiences to be cut into segments. */
  readonly plans: readonly PlanTask[];
  readonly segments: readonly SegmentTask[];
}

/** Told what was done, for the metrics. */
export interface WorkObserver {
  readonly onRefresh?: (report: RefreshReport) => void;
  readonly onFanOut?: (report: FanOutReport) => void;
  /** A plan has published this many segments. */
  readonly onPlan?: (plan: PlanTask, segments: number) => void;
  readonly onSegmentBegun?: (segment: SegmentTask) => void;
  /** A segment is done. */
  readonly onSegment?: (segment: SegmentTask, followers: number) => void;
}

/** How the work of a plan is cut. */
export interface WorkSizes {
  /** The lane whose tasks these are; `small` if left out. */
  readonly lane?: Lane;
  /** Followers of one owner read at once, and the most that are refreshed in a batch. */
  readonly pageSize: number;
  /** Followers of a segment, about; the default if left out. */
  readonly segmentSize?: number;
  /** Segments published together; the default if left out. */
  readonly segmentsAtOnce?: number;
}

interface TaskWorkerOptions extends WorkObserver, WorkSizes {
  /** Of this kind; contacts if left out. */
  readonly kind?: Kind;
  readonly steps: Steps;
  /** Do the stores answer? Left out: what takes too long always counts as a fault of a store. */
  readonly answers?: Answers;
  /** Called with the first failure of a call, before the pair is searched for that caused it. */
  readonly onFailure?: (error: unknown) => void;
}

/** Operations of a batch that run at once: one works in Redis while another waits for MySQL. */
const OPERATIONS_AT_ONCE = 2;

/** Owners whose followers are paged together. */
const OWNERS_AT_ONCE = 32;

/** Carries out plans on the indexes of one kind. */
export class TaskWorker {
  readonly #options: TaskWorkerOptions;

  constructor(options: TaskWorkerOptions) {
    this.#options = options;
  }

  get kind(): Kind {
    return this.#options.kind ?? CONTACTS;
  }

  /**
   * Resolves when everything in the plan is written, so that its tasks may be acknowledged once the pairs that it returns are set
   * aside.
   * @param lease renewed before every step; what `renew` throws ends the work
   * @returns pairs that fail by themselves; their users have no index
   * @throws RedisUnavailable, DatabaseUnavailable; some of the work may then be done, and all of it can be done again
   */
  async work(plan: WorkPlan, lease?: BatchLease): Promise<readonly SetAside<Pair>[]> {
    const { steps, onRefresh } = this.#options;
    const failed: SetAside<Hint>[] = [];
    const observer: WorkObserver = {
      ...this.#options,
      onRefresh: (report) => {
        failed.push(...report.failed);
        onRefresh?.(report);
      },
    };
    for (const stage of stagesOf(plan, this.#options, observer)) {
      await mapConcurrently(stage, OPERATIONS_AT_ONCE, (operation) => run(operation, steps, lease, this.#options));
    }
    return failed.filter(({ item }) => item.version === undefined); // the others are looked at again
  }
}

/**
 * The work of these tasks on the indexes of one kind; tasks of other kinds have none. Every task becomes refreshes: the
 * tasks of one pair become one refresh, and the uploads of one owner one fan-out. A change of a user concerns every kind,
 * and where they follow users, both sides. As an owner, the user is fanned out to everyone who has a row with them. As a
 * viewer, any row of the user's own index may be different, so the index is dropped, and the next reads build it from what
 * is committed by then. The order of the two does not matter: they write different users' indexes, and the task is
 * acknowledged after both.
 */
export function planWork(received: readonly ReceivedTask[], kind: Kind = CONTACTS): WorkPlan {
  const hints = new Map<string, Hint>();
  const owners = new Set<Id>();
  const bulk: BulkTask[] = [];
  const dropped = new Set<Id>();
  const forgotten = new Set<Id>();
  for (const { task } of received) {
    if (isBulkTask(task)) {
      if (task.kind === kind.name) bulk.push(task);
      continue;
    }
    const about = meaningOf(task);
    if (about.of === 'user') {
      (about.isDeleted ? forgotten : dropped).add(about.user);
      if (kind.areUsers) owners.add(about.user);
    } else if (about.kind.name !== kind.name) continue;
    else if (about.of === 'relation') for (const hint of hintsOf(about, kind)) addHint(hints, hint);
    else owners.add(about.owner);
  }
  return {
    kind: kind.name as KindName,
    hints: [...hints.values()],
    owners: [...owners],
    dropped: [...dropped].filter((user) => !forgotten.has(user)),
    forgotten: [...forgotten],
    plans: bulk.filter((task) => !isSegment(task)) as PlanTask[],
    segments: bulk.filter(isSegment),
  };
}

/**
 * Of two users both sides, because what the user grants decides what the contact sees. The version is that of the user's
 * own row. It holds for the other side too: the two stay next to each other in every plan, so that one snapshot has both
 * rows.
 */
function hintsOf({ user, contact, version }: Hint, { areUsers }: Kind): Hint[] {
  const own: Hint = version === undefined ? { user, contact } : { user, contact, version };
  return areUsers ? [own, { user: contact, contact: user }] : [own];
}

function isSegment(task: BulkTask): task is SegmentTask {
  return 'part' in task;
}

/**
 * The plan as operations, in stages. A stage begins when the one before it has ended; the operations of one stage are
 * independent and may run side by side.
 */
export function stagesOf(plan: WorkPlan, sizes: WorkSizes, observer: WorkObserver): Operation<void>[][] {
  const { kind, owners } = plan;
  return [
    [...drops('forget', plan.forgotten), ...drops('drop', plan.dropped)],
    chunks(plan.hints, PAIRS_A_CALL).map((hints) => refreshHints(hints, observer)),
    ...chunks(owners, OWNERS_AT_ONCE).map((some) => [fanOutOwners(some, kind, sizes, observer)]),
    ...bulkStages(plan, sizes, observer),
  ];
}

/** One after the other. A plan or segment in the small lane, perhaps a dead letter that was replayed, goes where it belongs. */
function bulkStages({ plans, segments }: WorkPlan, sizes: WorkSizes, observer: WorkObserver): Operation<void>[][] {
  if (sizes.lane === 'bulk') {
    return [
      ...plans.map((plan) => [planOne(plan, sizes, observer)]),
      ...segments.map((segment) => [refreshOne(segment, sizes, observer)]),
    ];
  }
  return plans.length + segments.length > 0 ? [[moveToBulkLane([...plans, ...segments])]] : [];
}

function drops(name: 'forget' | 'drop', users: readonly Id[]): Operation<void>[] {
  return users.length > 0 ? [dropAll(name, users)] : [];
}

function* dropAll(name: 'forget' | 'drop', users: readonly Id[]): Operation<void> {
  yield* step(name, users);
  yield* step('signal', users);
}

function* refreshHints(hints: readonly Hint[], observer: WorkObserver): Operation<void> {
  const report = yield* refresh(hints);
  observer.onRefresh?.(report);
  const { behind } = report;
  if (behind.length > 0) yield* step('recheck', behind, 1);
}

function* fanOutOwners(
  owners: readonly Id[],
  kind: KindName,
  { pageSize }: WorkSizes,
  observer: WorkObserver,
): Operation<void> {
  const report = yield* fanOut(owners, kind, pageSize, observer.onRefresh);
  observer.onFanOut?.(report);
}

function* planOne(plan: PlanTask, { segmentSize, segmentsAtOnce }: WorkSizes, observer: WorkObserver): Operation<void> {
  yield* takePlan(plan);
  yield* refreshWatched(plan, observer.onRefresh);
  const segments = yield* planSegments(plan, segmentSize, segmentsAtOnce);
  observer.onPlan?.(plan, segments);
}

function* refreshOne(segment: SegmentTask, { pageSize }: WorkSizes, observer: WorkObserver): Operation<void> {
  observer.onSegmentBegun?.(segment);
  const followers = yield* refreshSegment(segment, pageSize, observer.onRefresh);
  observer.onSegment?.(segment, followers);
}

function* moveToBulkLane(tasks: readonly BulkTask[]): Operation<void> {
  yield* step('publish', tasks);
}
