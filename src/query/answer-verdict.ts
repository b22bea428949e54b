import type { ContactRow } from '../mysql/explain-contact.ts';

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
export function answerVerdictOf(row: ContactRow | undefined, shown: boolean, limit: number): AnswerVerdict {
  const outside = outsideOf(row, limit);
  if (shown) return outside === undefined ? 'shown' : 'not_wanted';
  return outside ?? 'left_out';
}

/** Why the contact does not belong on the page; undefined: it does. */
function outsideOf(row: ContactRow | undefined, limit: number): AnswerVerdict | undefined {
  if (row === undefined) return 'not_a_contact';
  if (!row.related) return 'no_longer_related';
  if (row.at <= 0) return 'no_visible_upload';
  return row.above >= limit ? 'further_down' : undefined;
}
