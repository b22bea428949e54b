import { planWork, TaskWorker, type WorkObserver, type WorkSizes } from '../../consumers/work-plan.ts';
import type { BulkTask } from '../../contracts/bulk-task.ts';
import type { Kind } from '../../contracts/kind.ts';
import type { DeliveredTask } from '../../contracts/task.ts';
import { FOLLOWERS_A_PAGE } from '../../index/fan-out.ts';
import type { Steps } from '../../index/protocol.ts';
import type { BatchLease } from '../../transport/task-source.ts';

export interface BothLanesOptions extends WorkObserver, Partial<Omit<WorkSizes, 'lane'>> {
  readonly kind?: Kind;
  /** The bulk lane; a new one if left out. */
  readonly bulk?: BulkTask[];
  readonly lease?: BatchLease;
}

/**
 * Does what a consumer of both lanes does with these tasks, until nothing is left in the bulk lane. The bulk lane is a list
 * here, so what is measured is the work and not a transport.
 * @throws RedisUnavailable, DatabaseUnavailable, what the lease throws; the bulk lane then keeps what is not done
 */
export async function workBothLanes(
  tasks: readonly DeliveredTask[],
  steps: Steps,
  { pageSize = FOLLOWERS_A_PAGE, bulk = [], lease, ...options }: BothLanesOptions = {},
): Promise<void> {
  const publish: Steps['publish'] = async (some) => void bulk.push(...some);
  const worker = (lane: 'small' | 'bulk') =>
    new TaskWorker({ ...options, pageSize, lane, steps: { ...steps, publish } });
  const receive = (some: readonly DeliveredTask[]) =>
    planWork(
      some.map((task, i) => ({ task, position: String(i) })),
      options.kind,
    );
  await worker('small').work(receive(tasks), lease);
  for (let [task] = bulk; task !== undefined; [task] = bulk) {
    await worker('bulk').work(receive([task]), lease);
    bulk.shift();
  }
}
