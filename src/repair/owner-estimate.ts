import type { Id } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import { countOwnersAhead, estimateRelationships } from '../mysql/users.ts';

export interface UserRange {
  /** The last user before the first one wanted; '0': none. */
  readonly before: Id | '0';
  /** The last user wanted. */
  readonly to: Id;
}

/** Relationships that are counted ahead of the cursor: where these are all, the total is exact. */
const ROWS_AHEAD = 2_000;

/** Pages between two estimates at the most; at the beginning there are fewer. */
const PAGES_BETWEEN = 4;

/**
 * How many users there are in a range, as far as can be told without counting them all. It goes by rows: how many relationships
 * there are before the cursor and behind it, by MySQL's own estimates. Ids tell nothing: made from the time they have gaps, and
 * one that lies far off makes any distance between the others look like nothing. Near the end it is exact. Where MySQL may not be
 * asked for its estimates, it is the least that there can be.
 */
export class OwnerEstimate {
  readonly #database: Database;
  readonly #range: UserRange;
  #pages = 0;
  #nextAt = 0;
  /** Users before the cursor, of this process's part, when it was last looked. */
  #doneThen = 0;
  #left = 0;

  constructor(database: Database, range: UserRange) {
    this.#database = database;
    this.#range = range;
  }

  /** Users that are left when `done` of this part of the job are done. */
  left(done: number): number {
    return Math.max(0, this.#left - (done - this.#doneThen));
  }

  /** There are no more. */
  end(): void {
    this.#left = 0;
  }

  /**
   * To be called before each page. @param from where this part of the job began @param cursor the last user that is done
   * @param done users from `from` to the cursor
   * @throws DatabaseUnavailable
   */
  async look(from: Id | '0', cursor: Id | '0', done: number): Promise<void> {
    if (this.#pages++ < this.#nextAt && this.left(done) > 0) return;
    this.#nextAt = this.#pages + Math.min(this.#pages, PAGES_BETWEEN) - 1;
    this.#left = await this.#estimate(from, cursor, done);
    this.#doneThen = done;
  }

  async #estimate(from: Id | '0', cursor: Id | '0', done: number): Promise<number> {
    const { to } = this.#range;
    const ahead = await countOwnersAhead(this.#database, { after: cursor, to }, ROWS_AHEAD);
    if (ahead.rows < ROWS_AHEAD) return ahead.owners;
    const [all, before] = await Promise.all([
      estimateRelationships(this.#database, { after: from, to }),
      done === 0 ? 0 : estimateRelationships(this.#database, { after: from, to: cursor }),
    ]);
    if (all === undefined || before === undefined) return ahead.owners;
    // MySQL takes no range for more than half of the table, so the smaller of the two parts is the one to go by.
    const rowsLeft =
      before < all / 2 ? all - before : await estimateRelationships(this.#database, { after: cursor, to });
    if (rowsLeft === undefined) return ahead.owners;
    const perRow = done === 0 ? ahead.owners / ahead.rows : done / Math.max(1, all - rowsLeft, before);
    return Math.max(ahead.owners, Math.round(rowsLeft * perRow));
  }
}
