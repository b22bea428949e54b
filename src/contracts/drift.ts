/**
 * How an index can differ from MySQL, by the invariants I1 to I4 (docs/exactness.md):
 *
 * - `missing`: related, with an upload and a key above the floor, absent, and above the lowest member (I1, I3)
 * - `hole`: as `missing`, but below the lowest member: the floor is too low
 * - `ghost`: present, but not related, without an upload, or with a key at or below the floor
 * - `score`: present with a last upload that is not MySQL's
 * - `cap`: more than max members (I2)
 * - `floor`: fewer than min members although contacts were left out (I2), or a floor that is not a number
 * - `torn`: a field is missing, or the set does not have the size that was written (I4)
 * - `wrong_type`: a key that is not Recency's has the index's name
 */
export const INDEX_CLASSES = ['missing', 'hole', 'ghost', 'score', 'cap', 'floor', 'torn', 'wrong_type'] as const;

export type IndexClass = (typeof INDEX_CLASSES)[number];

/** `truth`: MySQL contradicts itself, because a pair's last upload is not that of its photos. */
export const DRIFT_CLASSES = [...INDEX_CLASSES, 'truth'] as const;

export type DriftClass = (typeof DRIFT_CLASSES)[number];
