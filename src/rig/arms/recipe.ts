import type { Id } from '../../contracts/id.ts';
import type { Database } from '../../mysql/database.ts';
import { BY_KEY, HAS_UPLOAD } from '../../mysql/last-upload.ts';
import { COLUMNS, contactOf, type LiveContact } from '../../mysql/live-contacts.ts';
import type { RecentAnswer, RecentQuery } from '../../query/recent-contacts.ts';
import { Stopwatch } from '../../query/stopwatch.ts';
import { answerOf } from './arm-answer.ts';
import type { RecipeIndex } from './recipe-index.ts';

/** The recipe as it was published: the ids from Redis, and then only those rows, named one by one. */
function narrowed(candidates: number): string {
  return `
  SELECT ${COLUMNS}
  FROM recency_contacts AS c
  WHERE c.user_id = ? AND c.contact_id IN (${Array(candidates).fill('?').join(', ')}) AND ${HAS_UPLOAD}
  ORDER BY ${BY_KEY}
  LIMIT ?`;
}

/** What a site does that follows the recipe. */
export class Recipe {
  readonly #index: Pick<RecipeIndex, 'recent'>;
  readonly #database: Database;
  readonly #now: () => number;

  /** @param now ms, monotonic */
  constructor(index: Pick<RecipeIndex, 'recent'>, database: Database, now: () => number) {
    this.#index = index;
    this.#database = database;
    this.#now = now;
  }

  /** @throws DatabaseUnavailable, and what ioredis throws */
  async find(query: RecentQuery): Promise<RecentAnswer> {
    const clock = new Stopwatch(this.#now);
    const candidates = await clock.time('index', () => this.#index.recent(query.user));
    const rows = candidates.length === 0 ? [] : await clock.time('db', () => this.#rows(query, candidates));
    return answerOf(rows, query, 'index', clock);
  }

  async #rows({ user, limit }: RecentQuery, candidates: readonly Id[]): Promise<LiveContact[]> {
    const rows = await this.#database.rows(narrowed(candidates.length), [user, ...candidates, String(limit + 1)]);
    return rows.map(contactOf);
  }
}
