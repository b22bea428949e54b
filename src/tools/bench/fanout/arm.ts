import type { Id } from '../../../contracts/id.ts';

/** A photo that somebody uploaded: what a task's payload says. */
export interface Upload {
  readonly owner: Id;
  /** ms since 1970 UTC. */
  readonly at: number;
}

/**
 * What a fan-out does, and what of it is counted.
 * - `redis`: what MySQL says is known beforehand; only the indexes are written
 * - `total`: the followers and the pairs are read from MySQL page by page, and the task is acknowledged
 * - `total_from_payload`: the same without the pairs, for those who believe the task
 */
export const PARTS = ['redis', 'total', 'total_from_payload'] as const;
export type Part = (typeof PARTS)[number];

/** The first photo of an owner is new to every index, which trims somebody else for it; at the next one the owner is in already. */
export const PHOTOS = ['first', 'next'] as const;
export type Photo = (typeof PHOTOS)[number];

export const ARM_NAMES = ['recency', 'recipe', 'recipe_pipelined', 'raw_zadd'] as const;
export type ArmName = (typeof ARM_NAMES)[number];

/** One way to bring an upload into the index of every follower. */
export interface FanOutArm {
  readonly name: ArmName;
  /** Of which it has a figure. */
  readonly parts: readonly Part[];
  /** Before each fan-out, and not counted. */
  prepare(upload: Upload): Promise<void>;
  fanOut(upload: Upload, part: Part): Promise<void>;
  /** After each fan-out, and not counted. */
  tidy(): Promise<void>;
  /** The index of one follower, as the arm keeps it. */
  members(user: Id): Promise<readonly Id[]>;
}
