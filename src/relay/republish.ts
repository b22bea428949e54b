import type { Database } from '../mysql/database.ts';
import { readClock, unpublish } from '../mysql/outbox.ts';

const ROWS_AT_ONCE = 1_000;

/**
 * Has everything that was published in a stretch of time published again: after the transport lost tasks. The rows only
 * become unpublished here; running relays publish them.
 * @param time ms since 1970 UTC; `from` included, `to` not. It ends now at the latest: what is published from now on is not
 *   to be published again
 * @returns how many rows
 * @throws DatabaseUnavailable; then some of the rows may have been done, and all of it can be done again
 */
export async function republish(
  database: Database,
  time: { from: number; to: number },
  signal: AbortSignal,
): Promise<number> {
  const to = Math.min(time.to, await readClock(database));
  let rows = 0;
  while (!signal.aborted) {
    const some = await unpublish(database, { from: time.from, to }, ROWS_AT_ONCE);
    rows += some;
    if (some === 0) break;
  }
  return rows;
}
