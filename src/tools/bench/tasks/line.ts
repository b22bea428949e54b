import { setTimeout as pause } from 'node:timers/promises';
import { chunks } from '../../../index/chunks.ts';
import { type DrainBarrier, EVERYBODY, type RaiseBarrier } from '../../../index/drain-barrier.ts';
import type { OutgoingTask } from '../../../transport/task-publisher.ts';
import type { ServiceProcess } from '../../harness/processes/service-process.ts';

/** What carries tasks, and who consumes them. */
export interface Line {
  readonly publish: (tasks: readonly OutgoingTask[]) => Promise<void>;
  readonly barrier: RaiseBarrier;
  readonly consumers: readonly ServiceProcess[];
}

const TASKS_A_CALL = 500;
const LOOK_MS = 10;
const TIMEOUT_MS = 120_000;

/**
 * Puts the tasks on the transport while its consumers are stopped, and then lets these go.
 * @returns seconds from there until all are applied and acknowledged
 */
export async function drain(line: Line, tasks: readonly OutgoingTask[], signal: AbortSignal): Promise<number> {
  for (const consumer of line.consumers) consumer.signal('SIGSTOP');
  const barrier = await publishAll(line, tasks);
  const from = performance.now();
  for (const consumer of line.consumers) consumer.signal('SIGCONT');
  await untilPassed(barrier, signal);
  return (performance.now() - from) / 1000;
}

/** Waits until the consumers have done so many tasks: then they have joined their group. */
export async function prime(line: Line, tasks: readonly OutgoingTask[], signal: AbortSignal): Promise<void> {
  await untilPassed(await publishAll(line, tasks), signal);
}

async function publishAll({ publish, barrier }: Line, tasks: readonly OutgoingTask[]): Promise<DrainBarrier> {
  for (const some of chunks(tasks, TASKS_A_CALL)) await publish(some);
  return await barrier([EVERYBODY]);
}

async function untilPassed(barrier: DrainBarrier, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await barrier.passed())) {
    if (performance.now() > deadline) throw new Error(`the tasks were not applied within ${TIMEOUT_MS / 1000} s`);
    await pause(LOOK_MS, undefined, { signal });
  }
}
