import type { BulkTask } from '../../src/contracts/bulk-task.ts';
import type { Task } from '../../src/contracts/task.ts';
import { Interner } from '../interner.ts';
import type { Cause, KindStep, Operations } from './operations.ts';
import {
  acknowledged,
  batches,
  committed,
  inBulkLane,
  isWaitingAt,
  lost,
  type PendingTask,
  type PendingTasks,
  placeOf,
  published,
  returned,
  strays,
  taken,
} from './pending-tasks.ts';

/** Tasks that a worker may take at once. */
export interface Take {
  /** The tasks that remain. */
  readonly tasks: number;
  /** The operation that they start. */
  readonly operation: number;
  readonly what: string;
}

/** Tasks that are lost. */
export interface Loss {
  readonly tasks: number;
  readonly what: string;
}

/** The tasks in flight, by the number of each of their states. Results are cached. */
export class TaskStore {
  readonly #contents = new Interner<PendingTasks>();
  readonly #operations: Operations;
  readonly #changes = new Map<string, number>();
  readonly #takes = new Map<number, readonly Take[]>();
  readonly #duplicates = new Map<number, readonly Take[]>();
  readonly #losses = new Map<number, readonly Loss[]>();
  readonly #uncommitted: (readonly PendingTask[])[] = [];

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  get empty(): number {
    return this.#contents.number([]);
  }

  list(number: number): PendingTasks {
    return this.#contents.thing(number);
  }

  /** Tasks published before their transactions commit. */
  uncommitted(number: number): readonly PendingTask[] {
    this.#uncommitted[number] ??= this.list(number).filter((task) => task.uncommitted !== undefined);
    return this.#uncommitted[number];
  }

  takes(number: number): readonly Take[] {
    return remember(this.#takes, number, () =>
      batches(this.list(number)).map((batch) => {
        const tasks = this.#contents.number(taken(this.list(number), batch, undefined));
        return { tasks, operation: this.#begin(batch), what: `takes ${positions(batch)}` };
      }),
    );
  }

  /** One of these tasks will be delivered again. */
  duplicates(number: number): readonly Take[] {
    return remember(this.#duplicates, number, () =>
      batches(this.list(number)).flatMap((batch) =>
        batch.map(({ position }) => {
          const tasks = this.#contents.number(taken(this.list(number), batch, position));
          const what = `takes ${positions(batch)} (${position} will be delivered once more)`;
          return { tasks, operation: this.#begin(batch), what };
        }),
      ),
    );
  }

  losses(number: number): readonly Loss[] {
    return remember(this.#losses, number, () => {
      const known = this.list(number).filter((task) => task.uncommitted === undefined);
      return batches(known).map((batch) => ({
        tasks: this.#contents.number(lost(this.list(number), batch)),
        what: `${positions(batch)} ${batch.length === 1 ? 'is' : 'are'} lost`,
      }));
    });
  }

  published(number: number, task: Task, position: string, uncommitted: string | undefined): number {
    return this.#contents.number(published(this.list(number), task, position, uncommitted));
  }

  /** A worker publishes to the bulk lane, or asks it. */
  do(number: number, { name, args }: KindStep): { tasks: number; reply: unknown } {
    if (name === 'isWaiting') return { tasks: number, reply: isWaitingAt(this.list(number), args[0] as string) };
    const some = args[0] as readonly BulkTask[];
    return { tasks: this.#contents.number(inBulkLane(this.list(number), some)), reply: some.map(placeOf) };
  }

  /** Plans that are lost unnoticed. */
  strays(number: number): readonly Loss[] {
    return strays(this.list(number)).map(({ tasks, what }) => ({ tasks: this.#contents.number(tasks), what }));
  }

  committed(number: number, action: string): number {
    return this.#contents.number(committed(this.list(number), action));
  }

  acknowledged(number: number, cause: number): number {
    return this.#change(`acknowledged ${number} ${cause}`, cause, (batch) => acknowledged(this.list(number), batch));
  }

  returned(number: number, cause: number): number {
    return this.#change(`returned ${number} ${cause}`, cause, (batch) => returned(this.list(number), batch));
  }

  #change(key: string, cause: number, change: (batch: TaskCause['batch']) => PendingTasks): number {
    return remember(this.#changes, key, () =>
      this.#contents.number(change((this.#operations.causes.thing(cause) as TaskCause).batch)),
    );
  }

  #begin(batch: readonly PendingTask[]): number {
    const received = batch.map(({ task, position }) => ({ task, position }));
    return this.#operations.begin({ kind: 'tasks', batch: received });
  }
}

type TaskCause = Extract<Cause, { kind: 'tasks' }>;

function positions(batch: readonly PendingTask[]): string {
  return batch.map(({ position }) => position).join(' and ');
}

function remember<K, V>(known: Map<K, V>, key: K, compute: () => V): V {
  let value = known.get(key);
  if (value === undefined) {
    value = compute();
    known.set(key, value);
  }
  return value;
}
