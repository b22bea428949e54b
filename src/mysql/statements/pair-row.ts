/** SQL about a row `c` of the view with the pairs, that every question uses. */
import { GREATEST_BIT } from '../../contracts/relation.ts';
import type { KindView } from '../../site/kind-view.ts';

type AboutKind = Pick<KindView, 'kind'>;

/** The greatest whole number that a Redis score holds exactly; in ms that is the year 287,396. */
export const GREATEST_SCORE = Number.MAX_SAFE_INTEGER;

/** SQL: the followed thing is not the user. Where it is no user, equal ids mean nothing. */
export function notSelf({ kind: { areUsers, idColumn } }: AboutKind): string {
  return areUsers ? `c.user_id <> c.${idColumn}` : 'TRUE';
}

/**
 * SQL: the user has this contact now. Ids begin at 1: a row with another one says nothing. A user is never their own contact: what
 * says otherwise is ignored.
 */
export function isRelated(of: AboutKind): string {
  return `(c.related AND c.${of.kind.idColumn} >= 1 AND ${notSelf(of)})`;
}

/** SQL: the columns that say how the user has marked a contact. A view of a kind without relations lacks them. */
export function marks({ kind: { hasRelations } }: AboutKind): Record<'isFriend' | 'isFamily' | 'bits', string> {
  return hasRelations
    ? { isFriend: 'c.is_friend', isFamily: 'c.is_family', bits: 'c.bits' }
    : { isFriend: 'FALSE', isFamily: 'FALSE', bits: '0' };
}

/** SQL: the bits that may have names, as a small whole number. */
export function namedBits(of: AboutKind): string {
  return `(${marks(of).bits} & ${2 ** (GREATEST_BIT + 1) - 1})`;
}

/** SQL: a time in whole milliseconds, whatever the column's numeric type. An index serves only the bare column. */
export function wholeMs(column: string): string {
  return `FLOOR(${column})`;
}

/**
 * SQL: a time as an index holds it, whatever its numeric type: whole ms. One that a Redis score cannot hold exactly counts as
 * the greatest that it can, so that SQL and Redis order them alike.
 */
export function asScore(time: string): string {
  return `CAST(FLOOR(LEAST(${time}, ${GREATEST_SCORE})) AS SIGNED)`;
}

/** SQL: the last upload of a row with a column of it, as an index holds it. */
export const LAST_UPLOAD = asScore('c.last_upload_at');

/**
 * SQL: the order of an index, highest first: the last upload, then the id as binary text, because Redis orders equal
 * scores by the bytes of the member.
 */
export function byKey({ kind: { idColumn } }: AboutKind): string {
  return `${LAST_UPLOAD} DESC, CAST(c.${idColumn} AS BINARY) DESC`;
}

/** SQL: a column of the view as `c` names it. What a kind without relations lacks is constant. */
function columnOf(of: AboutKind, column: string): string {
  const { isFriend, isFamily, bits } = marks(of);
  return { is_friend: isFriend, is_family: isFamily, bits }[column] ?? `c.${column}`;
}

/** SQL: these columns of the view, each by its own name. */
export function named(of: AboutKind, columns: readonly string[]): string {
  return columns.map((column) => `${columnOf(of, column)} AS ${column}`).join(', ');
}
