import { type DriftClass, INDEX_CLASSES } from '../contracts/drift.ts';
import type { AnswerCounts, IndexCounts, TruthCounted } from '../repair/counts.ts';
import type { DriftExample } from '../repair/examples.ts';
import type { FailedUser } from '../repair/failed-users.ts';
import { pairText, type WrongPair } from '../repair/truth-check.ts';

/** What is wrong with indexes. */
export function driftText(found: IndexCounts & { readonly wrong_users: readonly DriftExample[] }): string {
  const { users, warm, cold, wrong, visible, unsettled, classes, visible_classes, wrong_users } = found;
  const kinds = INDEX_CLASSES.filter((drift) => classes[drift] > 0);
  const kindText = (drift: DriftClass) =>
    `${drift} ${classes[drift]}${visible_classes[drift] > 0 ? ` (${visible_classes[drift]} visibly)` : ''}`;
  return [
    `${users} users: ${warm} with an index, ${cold} without; ${wrong} wrong, ${visible} of them visibly; ${unsettled} unsettled.`,
    ...(kinds.length > 0 ? [`  ${kinds.map(kindText).join(', ')}`] : []),
    ...(unsettled > 0
      ? [`Unsettled: ${unsettled} users differ, but changes of theirs may still be on their way.`]
      : []),
    ...wrong_users.map(exampleText),
  ].join('\n');
}

/** Where the views contradict one another. */
export function truthText(found: Pick<IndexCounts, 'classes'> & TruthCounted & TruthExamples): string[] {
  const { truth, classes, wrong_pairs } = found;
  if (truth.wrong === 0) return [`recency_photos confirms last_upload_at of ${truth.pairs} pairs.`];
  return [
    `truth ${classes.truth}: last_upload_at of ${truth.wrong} of ${truth.pairs} pairs, of ${classes.truth} users, is not the newest row of`,
    'recency_photos that the user may see. What the views read is wrong, and every answer shows it; no rebuild changes it.',
    ...wrong_pairs.map((pair) => `  ${pairText(pair)}`),
  ];
}

interface TruthExamples {
  readonly wrong_pairs: readonly WrongPair[];
}

/** What is wrong with answers. */
export function answersText({ answers_checked, answers_wrong, answers_unsettled }: AnswerCounts): string {
  return [
    `${answers_wrong} of ${answers_checked} answers differ from plain SQL.`,
    ...(answers_unsettled > 0
      ? [`Unsettled: answers to ${answers_unsettled} users differ, and changes may still be on their way.`]
      : []),
  ].join('\n');
}

function exampleText({ user, mismatches }: DriftExample): string {
  const shown = mismatches.map((mismatch) =>
    mismatch.contact === undefined ? mismatch.class : `${mismatch.class} ${mismatch.contact}`,
  );
  return `  user ${user}: ${shown.join(', ')}`;
}

/** Users with whom nothing could be done, and why. */
export function failedText({ failed, failed_users }: Failed): string[] {
  if (failed === 0) return [];
  const others = failed - failed_users.length;
  return [
    `${failed} users failed, each for the reason below; all others were done:`,
    ...failed_users.map(({ user, reason }) => `  user ${user}: ${reason}`),
    ...(others > 0 ? [`  and ${others} more`] : []),
  ];
}

interface Failed {
  readonly failed: number;
  readonly failed_users: readonly FailedUser[];
}
