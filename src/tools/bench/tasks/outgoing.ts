import { randomUUID } from 'node:crypto';
import type { Task } from '../../../contracts/task.ts';
import type { OutgoingTask } from '../../../transport/task-publisher.ts';

const SOURCE = '/recency/bench';

export function outgoing(task: Task): OutgoingTask {
  return { task, id: randomUUID(), source: SOURCE, time: Date.now() };
}
