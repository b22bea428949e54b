import { readPlain } from '../../../mysql/contacts.ts';
import type { Database } from '../../../mysql/database.ts';
import type { RecentAnswer, RecentQuery } from '../../../query/recent-contacts.ts';
import { Stopwatch } from '../../../query/stopwatch.ts';
import { answerOf } from './arm-answer.ts';

/** What a site does without an index: the best plain query over all of the user's contacts, prepared. */
export class PlainSql {
  readonly #database: Database;
  readonly #now: () => number;

  /** @param now ms, monotonic */
  constructor(database: Database, now: () => number) {
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
