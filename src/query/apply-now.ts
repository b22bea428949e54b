import type { RelationChange } from '../contracts/fresh.ts';
import { meaningOf, type Task } from '../contracts/task.ts';
import { storeFaultOf } from '../index/store-fault.ts';
import { Deadline, DeadlineExceeded } from '../timing/deadline.ts';
import type { RefreshNow } from './refresh-now.ts';

/** Tasks that one request may have applied while it waits. */
export const MOST_APPLIED_NOW = 8;

interface ApplyNowOptions {
  readonly refreshNow: Pick<RefreshNow, 'refresh' | 'kinds'>;
  /** Called with the fault of a store because of which tasks were not applied. */
  readonly onFault: (error: unknown) => void;
}

/** The part of the deadline after which applying is given up, so that there is time to publish. */
const PART = 1 / 2;

/** Applies tasks of relations while their sender waits (`POST /v1/tasks?apply=now`). */
export class ApplyNow {
  /** Tasks that were applied, and tasks that were left to the transport. */
  readonly counts = { applied: 0, published: 0 };
  readonly #options: ApplyNowOptions;

  constructor(options: ApplyNowOptions) {
    this.#options = options;
  }

  /** Whether a task can be applied now at all: it names one relation. */
  static canApply(task: Task): boolean {
    return meaningOf(task).of === 'relation';
  }

  /**
   * @returns whether every index says what the tasks speak of. If not, because a store is not available, an index keeps
   *   changing, or a change is not committed yet, all of them must be published: applying a task again does no harm
   * @throws RequestCancelled
   */
  async apply(tasks: readonly Task[], deadline: Deadline): Promise<boolean> {
    const isApplied = await this.#apply(tasks, deadline);
    this.counts[isApplied ? 'applied' : 'published'] += tasks.length;
    return isApplied;
  }

  async #apply(tasks: readonly Task[], deadline: Deadline): Promise<boolean> {
    const { refreshNow, onFault } = this.#options;
    const changes = tasks.flatMap(changeOf);
    if (changes.length < tasks.length || changes.some(({ kind }) => !refreshNow.kinds.includes(kind))) return false;
    const part = new Deadline(deadline.leftMs * PART);
    const onCancel = () => part.cancel();
    deadline.onCancel(onCancel);
    try {
      const { behind, unsettled } = await refreshNow.refresh(changes, 'both', { deadline: part });
      return behind.size === 0 && unsettled.size === 0;
    } catch (error) {
      if (!(error instanceof DeadlineExceeded) && storeFaultOf(error) === undefined) throw error;
      onFault(error);
      return false;
    } finally {
      deadline.offCancel(onCancel);
    }
  }
}

function changeOf(task: Task): RelationChange[] {
  const about = meaningOf(task);
  if (about.of !== 'relation') return [];
  const { kind, user, contact: id, version } = about;
  return [{ kind: kind.singular, user, id, ...(version === undefined ? {} : { version }) }];
}
