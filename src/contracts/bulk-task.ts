import { z } from 'zod';
import { idSchema } from './id.ts';
import { KIND_NAMES, type KindName } from './kind.ts';

/**
 * What consumers tell each other about an audience that is too large for one batch. These tasks travel in the bulk lane, and
 * are hints like any other: at least once, in any order, to any worker. A site never publishes one.
 */

const PLAN = 'recency.followers.plan';
const SEGMENT = 'recency.followers.refresh';

const kindSchema = z.enum(KIND_NAMES);

/** Names one attempt to plan, for the key that says that it waits. */
const planIdSchema = z.string().min(1).max(64);

/** The photos of an owner changed, who has more followers than fit one page: cut them into segments. */
const planTask = z.strictObject({ type: z.literal(PLAN), kind: kindSchema, owner: idSchema, plan: planIdSchema });

/** Refresh the owner's followers after one id, up to and with another. Absent: from the first, to the last. */
const segmentTask = z.strictObject({
  type: z.literal(SEGMENT),
  kind: kindSchema,
  owner: idSchema,
  after: idSchema.optional(),
  through: idSchema.optional(),
  plan: planIdSchema,
  /** Its place among the plan's segments, from 1. */
  part: z.int().positive(),
});

export const BULK_FORMS = [planTask, segmentTask];

export type PlanTask = z.infer<typeof planTask>;
export type SegmentTask = z.infer<typeof segmentTask>;
export type BulkTask = PlanTask | SegmentTask;

export function isBulkTask(task: { readonly type: string }): task is BulkTask {
  return task.type === PLAN || task.type === SEGMENT;
}

export function planTaskOf(kind: KindName, owner: string, plan: string): PlanTask {
  return { type: PLAN, kind, owner, plan };
}

/**
 * One segment of a plan. Those of a plan together cover every id there can be, so it does not matter when the boundaries were
 * read, or who becomes a follower afterwards.
 * @param part from 1
 * @param boundaries all that are known, ids in ascending order. The segment begins after the one before it, and ends with its
 *   own; the last segment has none
 */
export function segmentTaskOf(
  { kind, owner, plan }: PlanTask,
  part: number,
  boundaries: readonly string[],
): SegmentTask {
  const [after, through] = [boundaries[part - 2], boundaries[part - 1]];
  return {
    ...{ type: SEGMENT, kind, owner, plan, part },
    ...(after === undefined ? {} : { after }),
    ...(through === undefined ? {} : { through }),
  } as const;
}

/**
 * Small tasks, and plans and segments of large audiences, have lanes of their own, so that no small task waits for a segment.
 */
export const LANES = ['small', 'bulk'] as const;

export type Lane = (typeof LANES)[number];
