/**
 * How an index can differ from what MySQL says it must be, over the invariants I1 to I4 (docs/exactness.md):
 *
 * - `missing`: related, with an upload and a key above the floor, absent, and above the lowest member (I1, I3)
 * - `hole`: the same, below the lowest member: the floor is too low
 * - `ghost`: present, but not related, without an upload, or with a key at or below the floor
 * - `score`: present with another last upload than MySQL's
 * - `cap`: more than max members (I2)
 * - `floor`: fewer than min members while somebody was left out (I2), or a floor that is no number
 * - `torn`: a field is missing, or the set is not of the size that was written (I4)
 * - `wrong_type`: a key that is not Recency's is in the way
 */
export const INDEX_CLASSES = ['missing', 'hole', 'ghost', 'score', 'cap', 'floor', 'torn', 'wrong_type'] as const;

export type IndexClass = (typeof INDEX_CLASSES)[number];

/** And `truth`: MySQL contradicts itself, because a pair's last upload is not what the photos say. */
export const DRIFT_CLASSES = [...INDEX_CLASSES, 'truth'] as const;

export type DriftClass = (typeof DRIFT_CLASSES)[number];
