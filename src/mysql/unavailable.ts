import { UserError } from '../contracts/user-error.ts';

/** MySQL cannot be asked now: it is away, refuses, or did not answer in time. Nothing is wrong with the statement. */
export class DatabaseUnavailable extends UserError {
  override readonly name = 'DatabaseUnavailable';

  override get kind() {
    return 'unavailable' as const;
  }

  override get remedy() {
    return 'Check that MySQL is running; `recency doctor` says more.';
  }
}

/** Every connection is in use, and none would be free in time. */
export class DatabaseBusy extends DatabaseUnavailable {}

/** As many heavy queries run as may, and those that wait would make one more wait too long. */
export class HeavyQueriesBusy extends DatabaseBusy {}

/** The server is not the primary on record: it takes no writes, or is another one. What was asked must not rest on its rows. */
export class DatabaseNotPrimary extends DatabaseUnavailable {}

/** MySQL ended a statement because its time was up: the server is there, and the question takes longer than that. */
export class StatementTooSlow extends UserError {
  override readonly name = 'StatementTooSlow';

  override get kind() {
    return 'unavailable' as const;
  }

  override get remedy() {
    return 'It exceeded its time limit; `recency doctor` says whether an index is missing.';
  }
}
