import { LRUCache } from 'lru-cache';
import type { Id } from '../contracts/id.ts';
import type { ReadOptions } from './database.ts';
import type { KindDatabase } from './statements/kind-statements.ts';
import { countRows, readUsersAmong, TOO_MANY } from './statements/users.ts';

/** How long, and of how many users, a count is remembered. */
const REMEMBERED = { ttl: 7 * 86_400_000, max: 50_000 };

/**
 * How many rows of the view users have. To count them takes most of the time that building an index takes, and of the few users whose
 * indexes are built again and again the count hardly changes: it is remembered, and only whether it is above a limit is asked anew.
 */
export class RowCounts {
  readonly #database: KindDatabase;
  readonly #counted = new LRUCache<Id, number>(REMEMBERED);

  constructor(database: KindDatabase) {
    this.#database = database;
  }

  /**
   * @param limit whether a user has more rows than this is as of now
   * @returns in the order of the users; of one who has more rows than the limit, perhaps a count of the last week
   * @throws DatabaseUnavailable, DeadlineExceeded, RequestCancelled
   */
  async of(users: readonly Id[], limit: number, by?: Pick<ReadOptions, 'deadline' | 'heavy'>): Promise<number[]> {
    const known = users.filter((user) => (this.#counted.get(user) ?? 0) > limit);
    const asked = { deadline: by?.deadline, moreThan: limit };
    const above = known.length === 0 ? [] : await readUsersAmong(this.#database, known, asked);
    const isAbove = new Set(above);
    const unknown = users.filter((user) => !isAbove.has(user));
    const counts = unknown.length === 0 ? [] : await countRows(this.#database, unknown, by);
    const countOf = new Map(unknown.map((user, i) => [user, counts[i] ?? 0]));
    // Only assumed of somebody whose rows could not be counted in time.
    for (const [user, count] of countOf) if (count < TOO_MANY) this.#counted.set(user, count);
    return users.map((user) => countOf.get(user) ?? this.#counted.peek(user) ?? limit + 1);
  }
}
