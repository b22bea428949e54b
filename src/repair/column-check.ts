import type { Id } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import { compareColumns, hasLastUploadColumns, readUsers } from '../mysql/newest-photos.ts';

/** Users of the reference schema whose `last_…_at` columns were compared with their photos. */
export type ColumnCounts = {
  readonly users: number;
  readonly wrong: number;
};

export interface CheckedColumns {
  readonly counts: ColumnCounts;
  readonly wrong: readonly Id[];
  /** The last user of the page; undefined: there are no more. */
  readonly last: Id | undefined;
}

const USERS_A_PAGE = 1_000;

/** Compares the columns that the reference schema keeps with the photos. They are the site's: repair leaves them alone. */
export class ColumnCheck {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** False: the site has tables of its own. @throws DatabaseUnavailable */
  isPossible(): Promise<boolean> {
    return hasLastUploadColumns(this.#database);
  }

  /** The next page of all users. @throws DatabaseUnavailable */
  async page(after: Id | '0'): Promise<CheckedColumns> {
    const users = await readUsers(this.#database, after, USERS_A_PAGE);
    return { ...(await this.of(users)), last: users.length < USERS_A_PAGE ? undefined : users.at(-1) };
  }

  /** @throws DatabaseUnavailable */
  async of(users: readonly Id[]): Promise<Omit<CheckedColumns, 'last'>> {
    const compared = await compareColumns(this.#database, users);
    return { counts: { users: compared.users.length, wrong: compared.wrong.length }, wrong: compared.wrong };
  }
}
