import { type PlanTask, type SegmentTask, segmentTaskOf } from '../../src/contracts/bulk-task.ts';

/** All segments of a plan. @param boundaries all there are, ids in ascending order */
export function segmentTasksOf(plan: PlanTask, boundaries: readonly string[]): SegmentTask[] {
  return Array.from({ length: boundaries.length + 1 }, (_, i) => segmentTaskOf(plan, i + 1, boundaries));
}
