import type { LiveContact } from '../../../mysql/contacts.ts';
import type { RecentAnswer, RecentQuery } from '../../../query/recent-contacts.ts';
import type { Stopwatch } from '../../../query/stopwatch.ts';

/** An answer in the form of Recency's own, so that the same routes write it. @param rows one more than asked for, if any */
export function answerOf(
  rows: readonly LiveContact[],
  query: RecentQuery,
  source: RecentAnswer['source'],
  clock: Stopwatch,
): RecentAnswer {
  return {
    contacts: rows.slice(0, query.limit),
    more: rows.length > query.limit,
    source,
    exact: true,
    complete: true,
    floor: undefined,
    reason: undefined,
    replica: false,
    timing: clock.spent,
  };
}
