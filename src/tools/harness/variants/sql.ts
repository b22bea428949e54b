import type { ShownContact } from '../../../mysql/statements/contacts.ts';
import type { KindDatabase } from '../../../mysql/statements/kind-statements.ts';
import { readPlain } from '../../../mysql/statements/plain-contacts.ts';
import type { RecentAnswer, RecentQuery } from '../../../query/recent-answer.ts';
import { Stopwatch } from '../../../query/stopwatch.ts';

/** What a site does without an index: the best plain query over all of the user's contacts, prepared. */
export class PlainSql {
  readonly #database: KindDatabase;
  readonly #now: () => number;

  constructor(database: KindDatabase, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** @throws DatabaseUnavailable */
  async find(query: RecentQuery): Promise<RecentAnswer> {
    const clock = new Stopwatch(this.#now);
    const { contacts: rows } = await clock.time('db', () =>
      readPlain(this.#database, { ...query, limit: query.limit + 1 }),
    );
    return answerOf(rows, query, 'database', clock);
  }
}

/** Formats an answer like Recency's, so that the same routes write it. @param rows one more than requested, if any */
export function answerOf(
  rows: readonly ShownContact[],
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
    asOf: Date.now(),
    lagMs: undefined,
    timing: clock.spent,
  };
}
