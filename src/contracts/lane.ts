/**
 * Small tasks, and plans and segments of large audiences, have lanes of their own, so that no small task waits for a segment.
 */
export const LANES = ['small', 'bulk'] as const;

export type Lane = (typeof LANES)[number];
