import type { ReceivedTask } from '../../src/consumers/work-plan.ts';
import { type BulkTask, isBulkTask } from '../../src/contracts/bulk-task.ts';
import { meaningOf, type Task } from '../../src/contracts/task.ts';

/** A task in flight. */
export interface PendingTask extends ReceivedTask {
  /** Deliveries that wait for a worker. */
  readonly waiting: number;
  /** It has never been acknowledged. */
  readonly owed: boolean;
  /** The action that it announces, if that is not committed yet. */
  readonly uncommitted: string | undefined;
  /** A plan that is lost, which nobody has noticed. It is owed until another upload of its owner is done. */
  readonly isStray?: true;
}

/** In order of position, without those that are finished. */
export type PendingTasks = readonly PendingTask[];

export function published(
  tasks: PendingTasks,
  task: Task,
  position: string,
  uncommitted: string | undefined,
): PendingTasks {
  return kept([...tasks, { task, position, waiting: 1, owed: true, uncommitted }]);
}

/** Published by a worker. Equal ones are one task, delivered as often as it was published. */
export function inBulkLane(tasks: PendingTasks, some: readonly BulkTask[]): PendingTasks {
  const named = some.map((task) => ({ task, position: nameOf(task) }));
  const isKnown = ({ position }: ReceivedTask) => tasks.some((task) => task.position === position);
  const again = changed(tasks, named.filter(isKnown), (one) => ({ ...one, waiting: one.waiting + 1, owed: true }));
  const first = named.filter((one) => !isKnown(one));
  return kept([...again, ...first.map((one) => ({ ...one, waiting: 1, owed: true, uncommitted: undefined }))]);
}

function nameOf(task: BulkTask): string {
  if (!('part' in task)) return `plan ${task.kind} ${task.owner} ${task.plan}`;
  return `segment ${task.kind} ${task.owner} (${task.after ?? '-∞'}, ${task.through ?? '∞'}] ${task.plan}`;
}

/** Commits an action whose task was published before. */
export function committed(tasks: PendingTasks, action: string): PendingTasks {
  return kept(tasks.map((task) => (task.uncommitted === action ? { ...task, uncommitted: undefined } : task)));
}

/** Every set of waiting tasks that a worker may take at once. From the bulk lane they are taken one by one. */
export function batches(tasks: PendingTasks): PendingTask[][] {
  const waiting = tasks.filter((task) => task.waiting > 0);
  const { small = [], bulk = [] } = Object.groupBy(waiting, ({ task }) => (isBulkTask(task) ? 'bulk' : 'small'));
  return [...subsets(small).filter((some) => some.length > 0), ...bulk.map((one) => [one])];
}

/** @param again the position of a task that is delivered once more, to another worker or later */
export function taken(tasks: PendingTasks, batch: readonly ReceivedTask[], again: string | undefined): PendingTasks {
  return changed(tasks, batch, (task) => ({ ...task, waiting: task.waiting - (task.position === again ? 0 : 1) }));
}

export function acknowledged(tasks: PendingTasks, batch: readonly ReceivedTask[]): PendingTasks {
  const left = tasks.filter((task) => !(task.isStray && batch.some((done) => isUploadOf(done, task))));
  return changed(left, batch, (task) => ({ ...task, owed: false }));
}

function isUploadOf({ task }: ReceivedTask, { task: plan }: PendingTask): boolean {
  if (isBulkTask(task) || !isBulkTask(plan)) return false;
  const about = meaningOf(task);
  return about.of === 'photos' && about.kind.name === plan.kind && about.owner === plan.owner;
}

/** Each plan that waits, lost. */
export function strays(tasks: PendingTasks): { tasks: PendingTasks; what: string }[] {
  const plans = tasks.filter(({ task, waiting }) => waiting > 0 && isBulkTask(task) && !('part' in task));
  return plans.map((plan) => ({
    tasks: changed(tasks, [plan], (task) => ({ ...task, waiting: 0, isStray: true })),
    what: `the ${plan.position} is lost, which nobody notices`,
  }));
}

/** The place that a publisher is told of: without spaces. */
export function placeOf(task: BulkTask): string {
  return nameOf(task).replaceAll(' ', '_');
}

/** Is a task in the bulk lane, and not done? */
export function isWaitingAt(tasks: PendingTasks, place: string): boolean {
  return tasks.some(({ task, isStray }) => isBulkTask(task) && placeOf(task) === place && isStray !== true);
}

/** Their worker crashed before acknowledging them, so they are delivered again. */
export function returned(tasks: PendingTasks, batch: readonly ReceivedTask[]): PendingTasks {
  const forgotten = batch.filter(({ position }) => !tasks.some((task) => task.position === position));
  const known = changed(tasks, batch, (task) => ({ ...task, waiting: task.waiting + 1 }));
  return kept([...known, ...forgotten.map((task) => ({ ...task, waiting: 1, owed: false, uncommitted: undefined }))]);
}

/** These deliveries will never come. */
export function lost(tasks: PendingTasks, batch: readonly ReceivedTask[]): PendingTasks {
  return changed(tasks, batch, (task) => ({ ...task, waiting: 0, owed: false }));
}

function changed(
  tasks: PendingTasks,
  batch: readonly ReceivedTask[],
  change: (task: PendingTask) => PendingTask,
): PendingTasks {
  const positions = new Set(batch.map(({ position }) => position));
  return kept(tasks.map((task) => (positions.has(task.position) ? change(task) : task)));
}

function kept(tasks: PendingTasks): PendingTasks {
  return tasks
    .filter((task) => task.waiting > 0 || task.owed || task.uncommitted !== undefined)
    .toSorted((a, b) => (a.position < b.position ? -1 : 1));
}

function subsets<T>(items: readonly T[]): T[][] {
  const [first, ...rest] = items;
  if (first === undefined) return [[]];
  return subsets(rest).flatMap((some) => [some, [first, ...some]]);
}
