import type { Id } from '../contracts/id.ts';
import { isOfRow } from '../mysql/faults.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import {
  countUsersAhead,
  estimateRelationships,
  estimateRelationshipsOfEach,
  type UserRange,
} from '../mysql/statements/users.ts';

/** Relationships counted ahead of the cursor. If there are fewer, the total is exact. */
const ROWS_AHEAD = 2_000;

/** Maximum pages between two estimates; at the start of a job there are fewer. */
const PAGES_BETWEEN = 4;

/**
 * Estimates how many users are left in a range without counting them all. It compares the number of relationships before
 * and after the cursor, as MySQL estimates them, and how many of them a user has. Distances between ids would say nothing: ids made from the time have
 * gaps, and beside one id that is far away all others look close together. Near the end the estimate is exact. If the
 * account may not read MySQL's estimates, it is the least possible number.
 */
export class UserEstimate {
  readonly #database: KindDatabase;
  readonly #to: Id;
  #pages = 0;
  #nextAt = 0;
  /** Users done by this process at the last estimate, and users left at that time. */
  #doneThen = 0;
  #leftThen = 0;

  constructor(database: KindDatabase, { to }: Pick<UserRange, 'to'>) {
    this.#database = database;
    this.#to = to;
  }

  /** Users left when this part of the job has done `done`. */
  left(done: number): number {
    return Math.max(0, this.#leftThen - (done - this.#doneThen));
  }

  /** Call when no users are left. */
  end(): void {
    this.#leftThen = 0;
  }

  /**
   * Call before each page.
   * @param start where this part of the job began
   * @param cursor the last user done
   * @param done users from `start` to the cursor
   * @throws DatabaseUnavailable
   */
  async refresh(start: Id | '0', cursor: Id | '0', done: number): Promise<void> {
    if (this.#pages++ < this.#nextAt && this.left(done) > 0) return;
    this.#nextAt = this.#pages + Math.min(this.#pages, PAGES_BETWEEN) - 1;
    this.#leftThen = await this.#estimate(start, cursor, done);
    this.#doneThen = done;
  }

  async #estimate(start: Id | '0', cursor: Id | '0', done: number): Promise<number> {
    const to = this.#to;
    const ahead = await countUsersAhead(this.#database, { after: cursor, to }, ROWS_AHEAD).catch(unknownIfRow);
    if (ahead.rows < ROWS_AHEAD) return ahead.users;
    const [ofEach, all, before] = await Promise.all([
      estimateRelationshipsOfEach(this.#database),
      estimateRelationships(this.#database, { after: start, to }),
      done === 0 ? 0 : estimateRelationships(this.#database, { after: start, to: cursor }),
    ]);
    if (ofEach === undefined || all === undefined || before === undefined) return ahead.users;
    // MySQL estimates no range at more than half of the table, so the smaller of the two parts is the reliable one.
    const rowsLeft =
      before < all / 2 ? all - before : await estimateRelationships(this.#database, { after: cursor, to });
    if (rowsLeft === undefined) return ahead.users;
    // The users ahead have as many rows as the index says of all; towards the end, as those who are done: the first ones of a site
    // often have far more than the others.
    const rowsDone = Math.max(1, all - rowsLeft, before);
    const weight = done === 0 ? 0 : Math.min(1, rowsDone / Math.max(1, all)) ** 2;
    const usersPerRow = (1 - weight) / ofEach + (weight * done) / rowsDone;
    return Math.max(ahead.users, Math.round(rowsLeft * usersPerRow));
  }
}

/** A row ahead cannot be read: there may be any number of them. */
function unknownIfRow(error: unknown): { users: number; rows: number } {
  if (isOfRow(error)) return { users: 0, rows: ROWS_AHEAD };
  throw error;
}
