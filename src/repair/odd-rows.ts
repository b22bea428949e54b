import type { RawContact } from '../mysql/contacts.ts';

/** Rows of `recency_contacts` that a site's view should not give. Each kind has a rule, and none of them is an error. */
export type OddRows = {
  /** No time at all (0 is the ordinary way to say that there is no upload): counts as none. */
  readonly null: number;
  /** Before 1970: counts as none. */
  readonly negative: number;
  /** Over an hour ahead of this machine's clock: stands as it is, before all others. */
  readonly future: number;
  /** A pair that came before: the index has it once, and the plain query as often as the view. */
  readonly duplicate: number;
};

export const NO_ODD_ROWS: OddRows = { null: 0, negative: 0, future: 0, duplicate: 0 };

const AHEAD_MS = 3_600_000;

/**
 * @param rows of one user
 * @param now ms since 1970 UTC
 */
export function countOddRows(rows: readonly RawContact[], now: number): OddRows {
  const upload = (isOdd: (at: bigint) => boolean) =>
    rows.filter(({ lastUploadAt }) => lastUploadAt !== null && isOdd(lastUploadAt)).length;
  const latest = BigInt(now + AHEAD_MS);
  return {
    null: rows.filter(({ lastUploadAt }) => lastUploadAt === null).length,
    negative: upload((at) => at < 0n),
    future: upload((at) => at > latest),
    duplicate: rows.length - new Set(rows.map(({ id }) => id)).size,
  };
}
