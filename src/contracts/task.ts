import { z } from 'zod';
import { idSchema } from './id.ts';

/**
 * What crosses the transport: a hint that something changed, never the truth, which is read from MySQL.
 * INTERFACE: `POST /v1/tasks`, the topic's message body, and a row of `recency_outbox` have the same content.
 */

/**
 * The version of a relationship's row, as decimal text. It grows with every change of the row, so a row with a smaller
 * version is older than the change that the task reports.
 */
const versionSchema = z
  .union([idSchema, z.int().positive().transform(String)], 'a version is a whole number from 1')
  .meta({ description: 'The version of the relationship that this task speaks of.' });

const contactTask = z.strictObject({
  type: z.enum(['recency.contact.added', 'recency.contact.removed', 'recency.contact.changed']),
  user: idSchema,
  contact: idSchema,
  version: versionSchema.optional(),
});

const photoTask = z.strictObject({
  type: z.enum(['recency.photo.uploaded', 'recency.photo.deleted', 'recency.photo.visibility_changed']),
  owner: idSchema,
  photo: idSchema.optional(),
  /** ms since 1970 UTC; a hint for people, never applied. */
  at: z.int().nonnegative().optional(),
});

/**
 * A change of a user that does not concern one pair or photo: a suspension, a setting, a deletion. Everything that the
 * views say about the user, as a viewer and as an uploader, may be different now. No version: it is published after the
 * commit.
 */
const userTask = z.strictObject({
  type: z.enum(['recency.user.changed', 'recency.user.deleted']),
  user: idSchema,
});

const isOfTwo = (task: object) => !('contact' in task && 'user' in task && task.contact === task.user);
const NOT_OF_TWO = { path: ['contact'], error: 'a user is not a contact of their own' };

/** A task from a caller who can be told of a mistake at once, such as an unknown field. */
export const taskSchema = z
  .discriminatedUnion('type', [contactTask, photoTask, userTask])
  .refine(isOfTwo, NOT_OF_TWO)
  .meta({ id: 'Task' });

/** A task from a transport. A newer producer may send unknown fields; they are dropped. */
export const deliveredTaskSchema = z
  .discriminatedUnion('type', [contactTask.strip(), photoTask.strip(), userTask.strip()])
  .refine(isOfTwo, NOT_OF_TWO);

export type ContactTask = z.infer<typeof contactTask>;
export type Task = z.infer<typeof taskSchema>;
export type TaskType = Task['type'];

/** Every type of task. */
export const TASK_TYPES: readonly TaskType[] = [contactTask, photoTask, userTask].flatMap(
  ({ shape }): TaskType[] => shape.type.options,
);

/** The largest task body, in bytes. */
export const MAX_TASK_BYTES = 65_536;

/** Kafka's partition key: tasks of one user or uploader stay together, so that they can be coalesced. */
export function partitionKey(task: Task): string {
  return 'owner' in task ? task.owner : task.user;
}
