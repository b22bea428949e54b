import { fc } from '@fast-check/vitest';
import type { Task } from '../../src/contracts/task.ts';
import type { OutgoingTask } from '../../src/transport/task-publisher.ts';

const anyId = fc.oneof(
  fc.bigInt({ min: 1n, max: 99n }).map(String),
  fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String),
);

const contactTask = fc
  .record(
    {
      type: fc.constantFrom('recency.contact.added', 'recency.contact.removed', 'recency.contact.changed'),
      user: anyId,
      contact: anyId,
      version: anyId,
    },
    { requiredKeys: ['type', 'user', 'contact'] },
  )
  .filter(({ user, contact }) => user !== contact);

const photoTask = fc.record(
  {
    type: fc.constantFrom('recency.photo.uploaded', 'recency.photo.deleted', 'recency.photo.visibility_changed'),
    owner: anyId,
    photo: anyId,
    at: fc.nat({ max: 2 ** 45 }),
  },
  { requiredKeys: ['type', 'owner'] },
);

const userTask = fc.record({
  type: fc.constantFrom('recency.user.changed' as const, 'recency.user.deleted' as const),
  user: anyId,
});

const groupTask = fc.record(
  {
    type: fc.constantFrom('recency.group.joined', 'recency.group.left', 'recency.group.changed'),
    user: anyId,
    group: anyId,
    version: anyId,
  },
  { requiredKeys: ['type', 'user', 'group'] },
);

const groupPhotoTask = fc.record(
  {
    type: fc.constantFrom(
      'recency.group_photo.added',
      'recency.group_photo.removed',
      'recency.group_photo.visibility_changed',
    ),
    group: anyId,
    photo: anyId,
  },
  { requiredKeys: ['type', 'group'] },
);

const anyTask = fc.oneof(contactTask, photoTask, groupTask, groupPhotoTask, userTask) as fc.Arbitrary<Task>;

export const anyOutgoingTask = fc.record(
  {
    task: anyTask,
    id: fc.uuid(),
    source: fc.constantFrom('/recency/outbox', '/recency/api', '/sité/✓'),
    time: fc.nat({ max: 2 ** 45 }),
    traceparent: fc.constant('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
  },
  { requiredKeys: ['task', 'id', 'source', 'time'] },
) as fc.Arbitrary<OutgoingTask>;

let last = 0;

/** Returns a new task; its id is unique within this process. */
export function freshTask(user = String(++last)): OutgoingTask {
  return {
    task: { type: 'recency.contact.added', user, contact: '18446744073709551615' },
    id: `${process.pid}-${++last}`,
    source: '/recency/test',
    time: Date.UTC(2004, 1, 10),
  };
}

/** @param user the same for all, so that they share a partition; by default each has its own */
export function freshTasks(count: number, user?: string): OutgoingTask[] {
  return Array.from({ length: count }, () => freshTask(user));
}
