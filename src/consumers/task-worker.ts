import { run, type Steps } from '../index/protocol.ts';
import { eachOrNone } from '../index/set-aside.ts';
import type { BatchLease } from '../transport/task-source.ts';
import { stagesOf, type WorkObserver } from './planned-work.ts';
import type { WorkPlan } from './work-plan.ts';

export interface TaskWorkerOptions extends WorkObserver {
  readonly steps: Steps;
  /** Followers of one owner read at once. */
  readonly pageSize: number;
}

/** Operations of a batch under way at once: one works in Redis while another waits for MySQL. */
const AT_ONCE = 2;

/** Does what a plan says, on the indexes. When it resolves, everything is written and may be acknowledged. */
export class TaskWorker {
  readonly #options: TaskWorkerOptions;

  constructor(options: TaskWorkerOptions) {
    this.#options = options;
  }

  /**
   * @param lease renewed before every step; what `renew` throws ends the work
   * @throws RedisUnavailable, DatabaseUnavailable; then some of it may have been done, and all of it can be done again
   */
  async work(plan: WorkPlan, lease?: BatchLease): Promise<void> {
    for (const stage of stagesOf(plan, this.#options.pageSize, this.#options)) {
      await eachOrNone([...stage], AT_ONCE, (operation) => run(operation, this.#options.steps, lease));
    }
  }
}
