/**
 * How the proposed `recency_contacts` knows the newest photo of a contact that the user may see. Few sites have that in a
 * column, a view that merges has no subquery in what it selects, and Recency asks for `last_upload_at`: so a stored function
 * looks into `recency_photos`, one look-up by the index (owner, time) for each row. Nothing has to be filled in or kept right.
 *
 * This file alone decides it. Where the view may leave the column out, `newestUpload` returns no columns and no statements.
 */
import type { Guess } from './guess.ts';

const FUNCTION = 'recency_newest_upload';

export interface NewestUpload {
  /** Of `recency_contacts`: name, SQL. */
  readonly columns: readonly (readonly [name: string, sql: string])[];
  /** To be run before the view is made, and after `recency_photos`. */
  readonly statements: readonly string[];
  readonly guesses: readonly Guess[];
}

/** @param contact the contact's id @param sees the bits of what the user may see; both SQL */
export function newestUpload(contact: string, sees: string): NewestUpload {
  return {
    columns: [['last_upload_at', `${FUNCTION}(${contact}, ${sees})`]],
    statements: [`DROP FUNCTION IF EXISTS ${FUNCTION}`, CREATE],
    guesses: [
      {
        about: 'recency_contacts.last_upload_at',
        guess: `a function, ${FUNCTION}, looks for the newest photo`,
        why: 'no column is known to hold it for each audience, and the view must merge',
        check:
          'The account of Recency needs EXECUTE on it. Where the binary log is on, MySQL lets an account without SUPER create it only with log_bin_trust_function_creators.',
      },
    ],
  };
}

/** DETERMINISTIC, because MySQL orders the frame of a window by nothing else: within a statement it reads one snapshot. */
const CREATE = `CREATE FUNCTION ${FUNCTION} (of_owner BIGINT UNSIGNED, seen BIGINT UNSIGNED) RETURNS BIGINT
  DETERMINISTIC READS SQL DATA SQL SECURITY INVOKER
RETURN (
  SELECT p.uploaded_at FROM recency_photos AS p
  WHERE p.owner_id = of_owner AND (seen >> p.audience) & 1 = 1
  ORDER BY p.uploaded_at DESC LIMIT 1)`;
