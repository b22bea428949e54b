import { INDEX_CLASSES, type IndexClass } from '../contracts/drift.ts';
import { isAbove, type Key } from '../contracts/key.ts';
import type { Epoch, Reading, WarmReading } from '../index/contact-index.ts';
import { type Limits, outsideLimits } from '../index/contact-index.ts';
import type { ExplainedContact } from '../mysql/contacts.ts';
import { isSuspended } from '../mysql/epoch.ts';

/** The rule that each of them breaks (DESIGN §3). */
export const RULES: Readonly<Record<IndexClass, string>> = {
  missing: 'I1: an index holds every related contact that has an upload and a key above its floor.',
  hole: 'I3: the floor of an index is at or above the key of every related contact that was left out.',
  ghost: 'I1: an index holds nobody but related contacts that have an upload and a key above its floor.',
  score: 'I1: an index holds the last upload of each of its contacts exactly.',
  cap: 'I2: an index has no more than max contacts.',
  floor: 'I2: an index has min contacts or more, or leaves nobody out.',
  torn: 'I4: an index has all of its fields, and as many contacts as it was last left with.',
  wrong_type: 'I4: the keys of an index hold an index.',
};

/** Why a contact is, or is not, in a user's index: every case there is, in a plain sentence. */
export const VERDICTS = {
  in_index: 'The contact is in the index, where it belongs.',
  below_floor:
    'The contact is at or below the floor: others were active more recently, and the index keeps only the top.',
  not_a_contact: 'The user does not have this contact: MySQL has no row of the pair.',
  no_longer_related: 'The user had this contact; the relationship is no longer active.',
  no_visible_upload: 'The contact has no photo that this user may see.',
  cold: 'The user has no index. Answers come from the plain query; the next read has the index built.',
  building: "The user's index is being built just now.",
  other_epoch: 'The index is of another epoch, and so counts as cold. The next read has it built anew.',
  torn: 'One of the two keys of the index is gone or incomplete, so it counts as cold. The next read has it built anew.',
  wrong_type:
    "A key that is not Recency's has the name of the index. Answers come from the plain query until it is gone.",
  missing:
    'The contact belongs into the index and is not there. A task is still on its way, or was lost: rebuild mends it.',
  hole: 'The contact belongs into the index, below its lowest entry, and is not there. A task is still on its way, or was lost: rebuild mends it.',
  ghost:
    'The contact is in the index and does not belong there. The live query hides it from answers. A task is still on its way, or was lost: rebuild mends it.',
  score:
    'The index has the contact with another last upload than MySQL. Answers show what MySQL says. A task is still on its way, or was lost: rebuild mends it.',
} as const;

/** Instead of those sentences that say that an index is built, while none is. */
const UNBUILT: Readonly<Partial<Record<keyof typeof VERDICTS, string>>> = {
  cold: 'The user has no index. Answers come from the plain query.',
  other_epoch: 'The index is of another epoch, and so counts as cold.',
  torn: 'One of the two keys of the index is gone or incomplete, so it counts as cold.',
};

/** The verdict for people. */
export function sentenceOf(verdict: VerdictCode, epoch: Epoch): string {
  const unbuilt = isSuspended(epoch) ? UNBUILT[verdict] : undefined;
  return unbuilt === undefined ? VERDICTS[verdict] : `${unbuilt} No index is built while the epoch is suspended.`;
}

export type VerdictCode = keyof typeof VERDICTS;

export const VERDICT_CODES = Object.keys(VERDICTS) as [VerdictCode, ...VerdictCode[]];

/** @param row undefined: MySQL has no row of the pair */
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

/** Why the contact does not belong into the index; undefined: it does. */
function outsideIndex(row: ExplainedContact | undefined, { floor }: WarmReading): VerdictCode | undefined {
  if (row === undefined) return 'not_a_contact';
  if (!row.related) return 'no_longer_related';
  if (row.at <= 0) return 'no_visible_upload';
  return isAbove(row, floor) ? undefined : 'below_floor';
}

/** What is wrong with the index: about the contact, by the verdict, or else as a whole. undefined: nothing that could be seen. */
export function driftOf(verdict: VerdictCode, reading: Reading, limits: Limits): IndexClass | undefined {
  const drift = INDEX_CLASSES.find((one) => one === verdict);
  if (drift !== undefined || reading.state !== 'warm' || verdict === 'other_epoch') return drift;
  return outsideLimits(reading, limits);
}

/** Why the first page of the recency list shows a contact, or does not: every case there is, in a plain sentence. */
export const ANSWER_VERDICTS = {
  shown: 'The first page shows the contact, where it belongs.',
  not_a_contact: 'The first page does not show the contact: the user does not have it.',
  no_longer_related: 'The first page does not show the contact: the relationship is no longer active.',
  no_visible_upload: 'The first page does not show the contact: it has no photo that this user may see.',
  further_down: 'The first page ends before the contact: enough others were active more recently.',
  left_out:
    'The first page does not show the contact, though it belongs there. A task is still on its way, or the index is wrong: verify tells which.',
  not_wanted:
    'The first page shows the contact, though it does not belong there. A change came just now, or the index is wrong: verify tells which.',
} as const;

export type AnswerVerdict = keyof typeof ANSWER_VERDICTS;

export const ANSWER_VERDICT_CODES = Object.keys(ANSWER_VERDICTS) as [AnswerVerdict, ...AnswerVerdict[]];

/**
 * @param row undefined: MySQL has no row of the pair
 * @param shown the page shows the contact
 * @param limit how many contacts the page has
 */
export function answerVerdictOf(row: ExplainedContact | undefined, shown: boolean, limit: number): AnswerVerdict {
  const outside = outsidePage(row, limit);
  if (shown) return outside === undefined ? 'shown' : 'not_wanted';
  return outside ?? 'left_out';
}

/** Why the contact does not belong on the page; undefined: it does. */
function outsidePage(row: ExplainedContact | undefined, limit: number): AnswerVerdict | undefined {
  if (row === undefined) return 'not_a_contact';
  if (!row.related) return 'no_longer_related';
  if (row.at <= 0) return 'no_visible_upload';
  return row.above >= limit ? 'further_down' : undefined;
}
