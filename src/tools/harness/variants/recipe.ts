import type { Id } from '../../../contracts/id.ts';
import type { Key } from '../../../contracts/key.ts';
import { CONTACTS } from '../../../contracts/kind.ts';
import { REFERENCE_VIEWS } from '../../../mysql/reference-views.ts';
import { contactColumns, contactOf, type ShownContact } from '../../../mysql/statements/contacts.ts';
import type { KindDatabase } from '../../../mysql/statements/kind-statements.ts';
import { byKey, isRelated } from '../../../mysql/statements/pair-row.ts';
import { readPlain } from '../../../mysql/statements/plain-contacts.ts';
import type { RecentAnswer, RecentQuery } from '../../../query/recent-answer.ts';
import { Stopwatch } from '../../../query/stopwatch.ts';
import type { RedisClient } from '../../../redis/connection.ts';
import { placesOf, selectList } from '../../../site/row.ts';
import { answerOf } from './sql.ts';

/** Reads the rows from the view, or from the view's text with a forced index, which a view does not accept. */
export type RecipeSource = 'view' | 'hinted';

const FROM: Readonly<Record<RecipeSource, string>> = { view: 'recency_contacts', hinted: `(${hinted()})` };

function hinted(): string {
  const view = REFERENCE_VIEWS.get('recency_contacts');
  if (view === undefined) throw new Error('there is no view of the contacts');
  return view.select(new Set()).replace(/\bFROM contacts\b/, 'FROM contacts FORCE INDEX (PRIMARY)');
}

const COLUMNS = contactColumns({ kind: CONTACTS });
const PLACES = placesOf(COLUMNS);

/** The recipe as published: the ids from Redis, and then only those rows, by id. */
function narrowed(source: RecipeSource, candidates: number): string {
  return `
  SELECT ${selectList(COLUMNS)}
  FROM ${FROM[source]} AS c
  WHERE c.user_id = ? AND c.contact_id IN (${Array(candidates).fill('?').join(', ')}) AND ${isRelated({ kind: CONTACTS })} AND c.last_upload_at >= 1
  ORDER BY ${byKey({ kind: CONTACTS })}
  LIMIT ?`;
}

/** What a site does that follows the recipe. */
export class Recipe {
  readonly #index: Pick<RecipeIndex, 'recent'>;
  readonly #database: KindDatabase;
  readonly #now: () => number;
  readonly #source: RecipeSource;

  constructor(
    index: Pick<RecipeIndex, 'recent'>,
    database: KindDatabase,
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

  async #rows({ user, limit }: RecentQuery, candidates: readonly Id[]): Promise<ShownContact[]> {
    const rows = await this.#database.server.rows(narrowed(this.#source, candidates.length), [
      user,
      ...candidates,
      String(limit + 1),
    ]);
    return rows.map((row) => ({ ...contactOf(row, PLACES), unseen: false }));
  }
}

export interface RecipeIndexOptions {
  readonly prefix: string;
  readonly max: number;
}

/**
 * The index of the recipe as published ("Using Redis as a Secondary Index for MySQL"): each task is applied as it
 * arrives, each command in its own round trip. It ends wrong when tasks are reordered; that is what it is compared for.
 */
export class RecipeIndex {
  readonly #client: RedisClient;
  readonly #options: RecipeIndexOptions;

  constructor(client: RedisClient, options: RecipeIndexOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** A contact of the user uploaded, or somebody who had uploaded became a contact. */
  async add(user: Id, { id, at }: Key): Promise<void> {
    const key = this.#key(user);
    await this.#client.zadd(key, at, id);
    const size = await this.#client.zcard(key);
    if (size > this.#options.max) await this.#client.zremrangebyrank(key, 0, size - this.#options.max - 1);
  }

  async remove(user: Id, contact: Id): Promise<void> {
    await this.#client.zrem(this.#key(user), contact);
  }

  /** The user's contacts, most recently active first. */
  async recent(user: Id): Promise<Id[]> {
    return await this.#client.zrevrange(this.#key(user), 0, -1);
  }

  #key(user: Id): string {
    return `${this.#options.prefix}:recipe:${user}`;
  }
}

/** Fills it as uploads would have, oldest first. @param max contacts that an index keeps @throws DatabaseUnavailable */
export async function fillRecipeIndex(
  index: RecipeIndex,
  database: KindDatabase,
  user: Id,
  max: number,
): Promise<void> {
  const { contacts: top } = await readPlain(database, { user, relation: 'any', limit: max, below: undefined });
  for (const contact of top.toReversed()) await index.add(user, contact);
}
