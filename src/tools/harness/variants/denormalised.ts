import type { KindDatabase } from '../../../mysql/statements/kind-statements.ts';
import type { RecentAnswer, RecentQuery } from '../../../query/recent-answer.ts';
import { Stopwatch } from '../../../query/stopwatch.ts';
import { readDenormalised } from '../../denormalised/recent.ts';
import { answerOf, PlainSql } from './sql.ts';

/** What a site does that keeps last uploads in an indexed column of its relations. */
export class Denormalised {
  readonly #database: KindDatabase;
  readonly #plain: PlainSql;
  readonly #now: () => number;

  constructor(database: KindDatabase, now: () => number) {
    this.#database = database;
    this.#plain = new PlainSql(database, now);
    this.#now = now;
  }

  /** The index answers first pages of all contacts, unless only plain SQL may. @throws DatabaseUnavailable */
  async find(query: RecentQuery): Promise<RecentAnswer> {
    const { user, limit, relation, below, since, unseen, consistency } = query;
    const isFirstPage = relation === 'any' && below === undefined && since === undefined && unseen !== true;
    if (!isFirstPage || consistency === 'strong') return await this.#plain.find(query);
    const clock = new Stopwatch(this.#now);
    const page = await clock.time('db', () => readDenormalised(this.#database.server, user, limit));
    return { ...answerOf(page.contacts, query, 'index', clock), more: page.more };
  }
}
