import type { Id } from '../../../contracts/id.ts';
import { BY_KEY, COLUMNS, contactOf, HAS_UPLOAD, type LiveContact } from '../../../mysql/contacts.ts';
import type { Database } from '../../../mysql/database.ts';
import { VIEWS } from '../../../mysql/schema-views.ts';
import type { RecentAnswer, RecentQuery } from '../../../query/recent-contacts.ts';
import { Stopwatch } from '../../../query/stopwatch.ts';
import { answerOf } from './arm-answer.ts';
import type { RecipeIndex } from './recipe-index.ts';

/** Where the recipe's rows are read: in the truth view, or in the view's own text with the index forced, which no view takes. */
export type RecipeSource = 'view' | 'hinted';

const FROM: Readonly<Record<RecipeSource, string>> = { view: 'recency_contacts', hinted: `(${hinted()})` };

function hinted(): string {
  const view = VIEWS.find(({ name }) => name === 'recency_contacts');
  if (view === undefined) throw new Error('there is no view of the contacts');
  return view.select.replace(/\bFROM contacts\b/, 'FROM contacts FORCE INDEX (PRIMARY)');
}

/** The recipe as it was published: the ids from Redis, and then only those rows, named one by one. */
function narrowed(source: RecipeSource, candidates: number): string {
  return `
  SELECT ${COLUMNS}
  FROM ${FROM[source]} AS c
  WHERE c.user_id = ? AND c.contact_id IN (${Array(candidates).fill('?').join(', ')}) AND ${HAS_UPLOAD}
  ORDER BY ${BY_KEY}
  LIMIT ?`;
}

/** What a site does that follows the recipe. */
export class Recipe {
  readonly #index: Pick<RecipeIndex, 'recent'>;
  readonly #database: Database;
  readonly #now: () => number;
  readonly #source: RecipeSource;

  /** @param now ms, monotonic */
  constructor(
    index: Pick<RecipeIndex, 'recent'>,
    database: Database,
    now: () => number,
    source: RecipeSource = 'view',
  ) {
    this.#index = index;
    this.#database = database;
    this.#now = now;
    this.#source = source;
  }

  /** @throws DatabaseUnavailable, and what ioredis throws */
  async find(query: RecentQuery): Promise<RecentAnswer> {
    const clock = new Stopwatch(this.#now);
    const candidates = await clock.time('index', () => this.#index.recent(query.user));
    const rows = candidates.length === 0 ? [] : await clock.time('db', () => this.#rows(query, candidates));
    return answerOf(rows, query, 'index', clock);
  }

  async #rows({ user, limit }: RecentQuery, candidates: readonly Id[]): Promise<LiveContact[]> {
    const rows = await this.#database.rows(narrowed(this.#source, candidates.length), [
      user,
      ...candidates,
      String(limit + 1),
    ]);
    return rows.map(contactOf);
  }
}
