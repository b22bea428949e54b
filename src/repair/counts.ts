import { DRIFT_CLASSES, type DriftClass } from '../contracts/drift.ts';

/** Counts by name, some of them in groups. Declare counts as type aliases: an interface is not assignable to this. */
export type Counts = { readonly [name: string]: number | Counts };

/** The sum of two sets of counts; a name that one of them lacks counts as 0. */
export function addCounts<T extends Counts>(a: T, b: T): T {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, addCount(a[name], b[name])])) as T;
}

function addCount(a: number | Counts = 0, b: number | Counts = 0): number | Counts {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  return addCounts(typeof a === 'number' ? {} : a, typeof b === 'number' ? {} : b);
}

/** The state of some users' indexes. These names, and those of the counts below, are part of `verify --json`. */
export type IndexCounts = {
  readonly users: number;
  readonly warm: number;
  readonly cold: number;
  /** Users whose index is wrong. */
  readonly wrong: number;
  /** Of the wrong ones, those where a client would have noticed. */
  readonly visible: number;
  /** Users who differed, where it is unknown whether a change was still on its way. */
  readonly unsettled: number;
  /** Users with drift of each class; a user may have several. */
  readonly classes: Readonly<Record<DriftClass, number>>;
  /** Of these, the users where a client would have noticed, whichever of their classes was the cause. */
  readonly visible_classes: Readonly<Record<DriftClass, number>>;
};

export type AnswerCounts = {
  readonly answers_checked: number;
  readonly answers_wrong: number;
  /** Users with answers that differed, where it is unknown whether a change was still on its way. */
  readonly answers_unsettled: number;
};

export type TruthCounts = {
  /** Related pairs whose last upload was compared with the photos. Pairs that could not be read are not included. */
  readonly pairs: number;
  /** Of these, the pairs that the photos contradict. */
  readonly wrong: number;
};

export type TruthCounted = { readonly truth: TruthCounts };

const NO_CLASSES = Object.fromEntries(DRIFT_CLASSES.map((drift) => [drift, 0])) as Record<DriftClass, number>;

export const NO_INDEXES: IndexCounts = {
  users: 0,
  warm: 0,
  cold: 0,
  wrong: 0,
  visible: 0,
  unsettled: 0,
  classes: NO_CLASSES,
  visible_classes: NO_CLASSES,
};

export const NO_ANSWERS: AnswerCounts = { answers_checked: 0, answers_wrong: 0, answers_unsettled: 0 };

export const NO_TRUTH: TruthCounts = { pairs: 0, wrong: 0 };

/** Adds the class `truth`. All its users count as visible, because every client sees a wrong last upload. */
export function withTruth(
  counts: IndexCounts,
  { counts: truth, users }: { readonly counts: TruthCounts; readonly users: number },
): IndexCounts & TruthCounted {
  return {
    ...counts,
    classes: { ...counts.classes, truth: users },
    visible_classes: { ...counts.visible_classes, truth: users },
    truth,
  };
}
