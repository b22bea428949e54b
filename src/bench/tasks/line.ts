import { setTimeout as pause } from 'node:timers/promises';
import type { OutgoingTask } from '../../consumers/task-publisher.ts';
import { chunks } from '../../index/chunks.ts';
import type { TransportMarks } from '../../index/settled.ts';
import type { ServiceProcess } from '../../rig/processes/service-process.ts';

/** What carries tasks, and who consumes them. */
export interface Line {
  readonly publish: (tasks: readonly OutgoingTask[]) => Promise<void>;
  readonly marks: TransportMarks;
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
  const mark = await publishAll(line, tasks);
  const from = performance.now();
  for (const consumer of line.consumers) consumer.signal('SIGCONT');
  await reached(line, mark, signal);
  return (performance.now() - from) / 1000;
}

/** Waits until the consumers have done so many tasks: then they have joined their group. */
export async function prime(line: Line, tasks: readonly OutgoingTask[], signal: AbortSignal): Promise<void> {
  await reached(line, await publishAll(line, tasks), signal);
}

async function publishAll({ publish, marks }: Line, tasks: readonly OutgoingTask[]): Promise<unknown> {
  for (const some of chunks(tasks, TASKS_A_CALL)) await publish(some);
  return await marks.mark();
}

async function reached({ marks }: Line, mark: unknown, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await marks.reached(mark))) {
    if (performance.now() > deadline) throw new Error(`the tasks were not applied within ${TIMEOUT_MS / 1000} s`);
    await pause(LOOK_MS, undefined, { signal });
  }
}
