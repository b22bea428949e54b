import type { ReceivedTask } from '../../src/consumers/work-plan.ts';
import type { Task } from '../../src/contracts/task.ts';

/** A task on its way. */
export interface PendingTask extends ReceivedTask {
  /** Deliveries that wait to be taken. */
  readonly waiting: number;
  /** Has not been acknowledged yet, not once. */
  readonly owed: boolean;
  /** The action that it tells of, when that is not committed yet. */
  readonly uncommitted: string | undefined;
}

/** In the order of their positions, without those that nobody waits for any more. */
export type PendingTasks = readonly PendingTask[];

export function published(
  tasks: PendingTasks,
  task: Task,
  position: string,
  uncommitted: string | undefined,
): PendingTasks {
  return kept([...tasks, { task, position, waiting: 1, owed: true, uncommitted }]);
}

/** The action is committed; its task went out before. */
export function committed(tasks: PendingTasks, action: string): PendingTasks {
  return kept(tasks.map((task) => (task.uncommitted === action ? { ...task, uncommitted: undefined } : task)));
}

/** Every choice of tasks that a worker may take at once: each that waits, alone or with others. */
export function batches(tasks: PendingTasks): PendingTask[][] {
  const waiting = tasks.filter((task) => task.waiting > 0);
  return subsets(waiting).filter((some) => some.length > 0);
}

/** @param again the position of one that is delivered once more, to somebody else or later */
export function taken(tasks: PendingTasks, batch: readonly ReceivedTask[], again: string | undefined): PendingTasks {
  return changed(tasks, batch, (task) => ({ ...task, waiting: task.waiting - (task.position === again ? 0 : 1) }));
}

export function acknowledged(tasks: PendingTasks, batch: readonly ReceivedTask[]): PendingTasks {
  return changed(tasks, batch, (task) => ({ ...task, owed: false }));
}

/** Their worker crashed before it acknowledged them: they are delivered again. */
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
