import { INDEX_CLASSES, type IndexClass } from '../contracts/drift.ts';
import { isAbove, type Key } from '../contracts/key.ts';
import type { Kind } from '../contracts/kind.ts';
import type { Epoch, Reading, WarmReading } from '../index/contact-index.ts';
import { type Limits, outsideLimits } from '../index/contact-index.ts';
import { isSuspended } from '../mysql/epoch-token.ts';
import type { ExplainedContact } from '../mysql/statements/explained-contact.ts';

/** The invariant that each kind of drift breaks (docs/exactness.md). */
export const RULES: Readonly<Record<IndexClass, string>> = {
  missing: 'I1: an index holds every related contact that has an upload and a key above its floor.',
  hole: 'I3: the floor of an index is at or above the key of every related contact that was left out.',
  ghost: 'I1: an index holds only related contacts that have an upload and a key above its floor.',
  score: 'I1: an index holds the exact last upload of each of its contacts.',
  cap: 'I2: an index has at most max contacts.',
  floor: 'I2: an index has at least min contacts, or leaves nobody out.',
  torn: 'I4: an index has all its fields, and as many contacts as its last write left.',
  wrong_type: 'I4: the keys of an index hold an index.',
};

/** Why a contact is, or is not, in a user's index: one sentence for every case. */
export const VERDICTS = {
  in_index: 'The contact is in the index, where it belongs.',
  below_floor:
    'The contact is at or below the floor: others were active more recently, and the index keeps only the top.',
  not_a_contact: 'The user does not have this contact: MySQL has no row for the pair.',
  own_self: 'Nobody is a contact of their own: a row that says so is ignored, and is in no index and no answer.',
  no_longer_related: 'The user had this contact; the relationship is no longer active.',
  no_visible_upload: 'The contact has no photo that this user may see.',
  cold: 'The user has no index. The plain query answers. Reads build one, unless RECENCY_KEEP is 0.',
  small:
    'The user has few contacts, or none. Reading all of them takes no longer than an index does, so none is kept (RECENCY_INDEX_ABOVE).',
  building: "The user's index is being built now.",
  other_epoch: 'The index is from another epoch, so it counts as cold. The next read rebuilds it.',
  torn: 'One of the two keys of the index is missing or incomplete, so it counts as cold. The next read rebuilds it.',
  wrong_type:
    'A key that does not belong to Recency has the name of the index. The plain query answers until the key is removed.',
  missing:
    'The contact belongs in the index and is not there. A task is still in flight, or was lost: a rebuild fixes it.',
  hole: 'The contact belongs in the index, below its lowest entry, and is not there. A task is still in flight, or was lost: a rebuild fixes it.',
  ghost:
    'The contact is in the index and does not belong there. The live query hides it from answers. A task is still in flight, or was lost: a rebuild fixes it.',
  score:
    'The index has a different last upload for the contact than MySQL. Answers show what MySQL has. A task is still in flight, or was lost: a rebuild fixes it.',
} as const;

/** Replaces the sentences that promise a build, while the epoch is suspended. */
const UNBUILT: Readonly<Partial<Record<keyof typeof VERDICTS, string>>> = {
  cold: 'The user has no index. The plain query answers.',
  other_epoch: 'The index is from another epoch, so it counts as cold.',
  torn: 'One of the two keys of the index is missing or incomplete, so it counts as cold.',
};

/** A sentence of this file, which is written about contacts, about what the kind follows: `group` for `contact`. */
export function wordedFor(sentence: string, { singular }: Pick<Kind, 'singular'>): string {
  return sentence.replaceAll('contact', singular);
}

/** The sentence for a verdict. */
export function sentenceOf(verdict: VerdictCode, epoch: Epoch): string {
  const unbuilt = isSuspended(epoch) ? UNBUILT[verdict] : undefined;
  return unbuilt === undefined ? VERDICTS[verdict] : `${unbuilt} No index is built while the epoch is suspended.`;
}

export type VerdictCode = keyof typeof VERDICTS;

export const VERDICT_CODES = Object.keys(VERDICTS) as [VerdictCode, ...VerdictCode[]];

/** @param row undefined: MySQL has no row for the pair */
export function verdictOf(
  reading: Reading,
  epoch: Epoch,
  row: ExplainedContact | undefined,
  contact: string,
): VerdictCode {
  if (reading.state !== 'warm') return reading.state;
  if (reading.epoch !== epoch) return 'other_epoch';
  const entry = reading.head.find(({ id }) => id === contact);
  const outside = outsideIndex(row, reading);
  if (outside !== undefined) return entry === undefined ? outside : 'ghost';
  const key = row as Key;
  if (entry !== undefined) return entry.at === key.at ? 'in_index' : 'score';
  const lowest = reading.head.at(-1);
  return lowest !== undefined && isAbove(lowest, key) ? 'hole' : 'missing';
}

/** Why the contact does not belong in the index; undefined: it does. */
function outsideIndex(row: ExplainedContact | undefined, { floor }: WarmReading): VerdictCode | undefined {
  if (row === undefined) return 'not_a_contact';
  if (row.isSelf) return 'own_self';
  if (!row.related) return 'no_longer_related';
  if (row.at <= 0) return 'no_visible_upload';
  return isAbove(row, floor) ? undefined : 'below_floor';
}

/** How the index is wrong: about the contact, according to the verdict, or else as a whole. undefined: not visibly. */
export function driftOf(verdict: VerdictCode, reading: Reading, limits: Limits): IndexClass | undefined {
  const drift = INDEX_CLASSES.find((one) => one === verdict);
  if (drift !== undefined || reading.state !== 'warm' || verdict === 'other_epoch') return drift;
  return outsideLimits(reading, limits);
}

/** Why the first page of the recency list shows a contact, or does not: one sentence for every case. */
export const ANSWER_VERDICTS = {
  shown: 'The first page shows the contact, where it belongs.',
  not_a_contact: 'The first page does not show the contact: the user does not have it.',
  own_self: 'The first page does not show the contact: nobody is a contact of their own.',
  no_longer_related: 'The first page does not show the contact: the relationship is no longer active.',
  no_visible_upload: 'The first page does not show the contact: it has no photo that this user may see.',
  further_down: 'The first page ends before the contact: enough others were active more recently.',
  left_out:
    'The first page does not show the contact, though it belongs there. A task is still in flight, or the index is wrong: `recency verify --user ID` tells which.',
  not_wanted:
    'The first page shows the contact, though it does not belong there. It changed a moment ago, or the index is wrong: `recency verify --user ID` tells which.',
} as const;

export type AnswerVerdict = keyof typeof ANSWER_VERDICTS;

export const ANSWER_VERDICT_CODES = Object.keys(ANSWER_VERDICTS) as [AnswerVerdict, ...AnswerVerdict[]];

/**
 * @param row undefined: MySQL has no row for the pair
 * @param shown the page shows the contact
 * @param limit contacts per page
 */
export function answerVerdictOf(row: ExplainedContact | undefined, shown: boolean, limit: number): AnswerVerdict {
  const outside = outsidePage(row, limit);
  if (shown) return outside === undefined ? 'shown' : 'not_wanted';
  return outside ?? 'left_out';
}

/** Why the contact does not belong on the page; undefined: it does. */
function outsidePage(row: ExplainedContact | undefined, limit: number): AnswerVerdict | undefined {
  if (row === undefined) return 'not_a_contact';
  if (row.isSelf) return 'own_self';
  if (!row.related) return 'no_longer_related';
  if (row.at <= 0) return 'no_visible_upload';
  return row.above >= limit ? 'further_down' : undefined;
}
