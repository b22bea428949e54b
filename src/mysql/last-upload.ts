/** The greatest whole number that a Redis score holds exactly; in ms that is the year 287,396. */
export const GREATEST_SCORE = Number.MAX_SAFE_INTEGER;

/**
 * SQL for the last upload of a row of `recency_contacts AS c`, as every question here sees it: whole milliseconds, whatever
 * the type of the view's column is, because an index holds nothing else; and beyond what a Redis score can hold exactly, it
 * counts as the greatest that can be held, in SQL's order as in Redis's.
 */
export const LAST_UPLOAD = `CAST(FLOOR(LEAST(c.last_upload_at, ${GREATEST_SCORE})) AS SIGNED)`;

/**
 * SQL for the order of an index, highest first: the last upload, and between equal ones the id as binary text, because
 * Redis orders equal scores by the bytes of the member.
 */
export const BY_KEY = `${LAST_UPLOAD} DESC, CAST(c.contact_id AS BINARY) DESC`;

/** SQL: this row belongs to the truth that an index is the top of. Null, zero and negative last uploads are none. */
export const HAS_UPLOAD = 'c.related AND c.last_upload_at >= 1';

/** SQL for a time in whole milliseconds, of a column of whatever numeric type. The column alone is what an index serves. */
export function wholeMs(column: string): string {
  return `FLOOR(${column})`;
}

/** The last upload in ms since 1970 UTC; 0: there is none. */
export function lastUploadOf(column: string | number | bigint | null | undefined): number {
  const at = Number(column ?? 0);
  return at > 0 ? Math.min(at, GREATEST_SCORE) : 0;
}
