import { type DriftClass, INDEX_CLASSES } from '../contracts/drift.ts';
import { CONTACTS, KINDS } from '../contracts/kind.ts';
import { counting } from '../health/finding.ts';
import type { AnswerCounts, IndexCounts, TruthCounted } from '../repair/counts.ts';
import type { DriftExample, UploadSources } from '../repair/examples.ts';
import type { FailedUser } from '../repair/failed-users.ts';
import { pairText, type WrongPair } from '../repair/truth-check.ts';

interface FoundDrift {
  readonly wrong_users: readonly DriftExample[];
  readonly kinds?: Readonly<Record<string, IndexCounts>>;
}

/** What is wrong with indexes. */
export function driftText(found: IndexCounts & FoundDrift): string {
  const { unsettled, classes, visible_classes, wrong_users } = found;
  const kinds = INDEX_CLASSES.filter((drift) => classes[drift] > 0);
  const kindText = (drift: DriftClass) =>
    `${drift} ${classes[drift]}${visible_classes[drift] > 0 ? ` (${visible_classes[drift]} visibly)` : ''}`;
  return [
    countsText(found),
    ...kindsText(found.kinds),
    ...(kinds.length > 0 ? [`  ${kinds.map(kindText).join(', ')}`] : []),
    ...(unsettled > 0 ? [`Unsettled: ${counting(unsettled, 'user')}, whose changes may still be on their way.`] : []),
    ...wrong_users.map(exampleText),
  ].join('\n');
}

/** Where the last uploads come from, and where the views contradict one another about them. */
export function truthText(found: Pick<IndexCounts, 'classes'> & TruthCounted & TruthExamples): string[] {
  return [...confirmedText(found), ...uploadsText(found.last_uploads)];
}

function confirmedText(found: Pick<IndexCounts, 'classes'> & TruthCounted & TruthExamples): string[] {
  const { truth, classes, wrong_pairs } = found;
  const views = found.kinds === undefined ? [CONTACTS.photosView] : photosViews(Object.keys(found.kinds));
  if (truth.wrong === 0)
    return [
      `${views.join(' and ')} confirm${views.length > 1 ? '' : 's'} the last uploads of ${counting(truth.pairs, 'pair')}.`,
    ];
  return [
    `truth ${classes.truth}: the last upload of ${truth.wrong} of ${counting(truth.pairs, 'pair')}, of ${counting(classes.truth, 'user')}, is not the newest row of`,
    `${views.join(' or ')} that the user may see. What the views read is wrong, and every answer shows it; no rebuild changes it.`,
    ...wrong_pairs.map(
      (pair) =>
        `  ${pairText(
          pair,
          KINDS.find(({ name }) => name === pair.kind),
        )}`,
    ),
  ];
}

function uploadsText(sources: UploadSources): string[] {
  return KINDS.filter(({ name }) => name in sources).map(({ name, view, photosView }) =>
    sources[name] === 'column'
      ? `Last uploads of ${name}: the column last_upload_at of ${view}.`
      : `Last uploads of ${name}: derived from ${photosView}, because ${view} has no column last_upload_at.`,
  );
}

function photosViews(names: readonly string[]): string[] {
  return KINDS.flatMap(({ name, photosView }) => (names.includes(name) ? [photosView] : []));
}

interface TruthExamples {
  readonly kinds?: Readonly<Record<string, unknown>>;
  readonly last_uploads: UploadSources;
  readonly wrong_pairs: readonly (WrongPair & { readonly kind?: string })[];
}

/** What is wrong with answers. */
export function answersText({ answers_checked, answers_wrong, answers_unsettled }: AnswerCounts): string {
  return [
    `${answers_wrong} of ${counting(answers_checked, 'answer')} differ from plain SQL.`,
    ...(answers_unsettled > 0
      ? [`Unsettled: answers to ${counting(answers_unsettled, 'user')}, whose changes may still be on their way.`]
      : []),
  ].join('\n');
}

/** The user, and the kind where it is named. */
export function userText({ user, kind }: { readonly user: string; readonly kind?: string }): string {
  return `user ${user}${kind === undefined ? '' : `, ${kind}`}`;
}

/** The sums of each kind, a line each. */
function kindsText(kinds: Readonly<Record<string, IndexCounts>> = {}): string[] {
  return Object.entries(kinds).map(([name, counts]) => `  ${name}: ${countsText(counts)}`);
}

function countsText({ users, warm, cold, wrong, visible, unsettled }: IndexCounts): string {
  return `${counting(users, 'user')}: ${warm} with an index, ${cold} without; ${wrong} wrong, ${visible} of them visibly; ${unsettled} unsettled.`;
}

function exampleText({ mismatches, ...about }: DriftExample): string {
  const shown = mismatches.map((mismatch) =>
    mismatch.contact === undefined ? mismatch.class : `${mismatch.class} ${mismatch.contact}`,
  );
  return `  ${userText(about)}: ${shown.join(', ')}`;
}

/** Users with whom nothing could be done, and why. */
export function failedText({ failed, failed_users }: Failed): string[] {
  if (failed === 0) return [];
  const others = failed - failed_users.length;
  return [
    `${counting(failed, 'user')} failed, each for the reason below; all others were done:`,
    ...failed_users.map(({ reason, ...about }) => `  ${userText(about)}: ${reason}`),
    ...(others > 0 ? [`  and ${others} more`] : []),
  ];
}

interface Failed {
  readonly failed: number;
  readonly failed_users: readonly FailedUser[];
}
