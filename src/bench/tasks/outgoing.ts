import { randomUUID } from 'node:crypto';
import type { OutgoingTask } from '../../consumers/task-publisher.ts';
import type { Task } from '../../contracts/task.ts';

const SOURCE = '/recency/bench';

export function outgoing(task: Task): OutgoingTask {
  return { task, id: randomUUID(), source: SOURCE, time: Date.now() };
}
